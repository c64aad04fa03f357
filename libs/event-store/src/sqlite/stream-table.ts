import type Database from 'better-sqlite3';
import type { StreamHead } from '../port.js';
import type { RestorableEvent } from '../restoring.js';
import { ACCESS_STREAM, LEDGER_SEALED } from '../seal.js';
import { COLUMNS } from './rows.js';
import type { Row } from './rows.js';
import { StreamHeads } from './stream-heads.js';

/** The table of events as a transaction that writes into it sees it: under its lock, with what it has written itself. */
export class StreamTable {
  private readonly headOf: Database.Statement<[string], StreamHead>;
  private readonly newestPosition: Database.Statement<[], bigint | null>;
  private readonly byId: Database.Statement<[string], string>;
  private readonly range: Database.Statement<[string, bigint, bigint], Row>;
  private readonly hashRange: Database.Statement<[string, bigint, bigint], string>;
  private readonly lastType: Database.Statement<[string], string>;
  private readonly insertion: Database.Statement;
  private readonly heads = new StreamHeads();
  /** Null: not asked in this transaction. */
  private sealed: boolean | null = null;

  constructor(db: Database.Database) {
    const within = 'FROM events WHERE stream = ? AND revision >= ? AND revision < ? ORDER BY revision';
    const last = 'FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1';
    this.headOf = db.prepare<[string], StreamHead>(`SELECT revision, position, hash ${last}`).safeIntegers();
    this.newestPosition = db.prepare<[], bigint | null>('SELECT max(position) FROM events').safeIntegers().pluck();
    this.byId = db.prepare<[string], string>('SELECT stream FROM events WHERE id = ?').pluck();
    this.range = db.prepare<[string, bigint, bigint], Row>(`SELECT ${COLUMNS} ${within}`).safeIntegers().raw();
    this.hashRange = db.prepare<[string, bigint, bigint], string>(`SELECT hash ${within}`).pluck();
    this.lastType = db.prepare<[string], string>(`SELECT type ${last}`).pluck();
    this.insertion = db
      .prepare('INSERT INTO events (stream, revision, id, type, version, hash, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .safeIntegers();
  }

  /** At the begin of a transaction. */
  begin(): void {
    this.heads.begin(this.newestPosition.get() ?? 0n);
    this.sealed = null;
  }

  /** After a transaction that failed: what was written in it never came to be. */
  forget(): void {
    this.heads.forget();
  }

  head(stream: string): StreamHead | null {
    return this.heads.get(stream) ?? this.headOf.get(stream) ?? null;
  }

  /** What the store links to next. */
  setHead(stream: string, head: StreamHead): void {
    this.heads.set(stream, head);
  }

  /** Whether the ledger has ended: then nothing is added any more. */
  isSealed(): boolean {
    this.sealed ??= this.lastType.get(ACCESS_STREAM) === LEDGER_SEALED;
    return this.sealed;
  }

  /** The stream that holds an event of this id. */
  holderOf(id: string): string | null {
    return this.byId.get(id) ?? null;
  }

  /** `count` events of a stream from a revision on, or as many as there are. */
  rows(stream: string, from: bigint, count: number): readonly Row[] {
    return this.range.all(stream, from, from + BigInt(count));
  }

  /** Their hashes. */
  hashes(stream: string, from: bigint, count: number): readonly string[] {
    return this.hashRange.all(stream, from, from + BigInt(count));
  }

  /** @returns the position that the event was given */
  insert(event: RestorableEvent): bigint {
    const { stream, revision, id, type, version, dataText, metadataText, hash } = event;
    // As bigint: a JavaScript number would be stored as a floating-point one.
    const exact = typeof version === 'number' ? BigInt(version) : version;
    const result = this.insertion.run(stream, revision, id, type, exact, hash, dataText, metadataText);
    if (stream === ACCESS_STREAM) this.sealed = type === LEDGER_SEALED;
    return BigInt(result.lastInsertRowid);
  }
}
