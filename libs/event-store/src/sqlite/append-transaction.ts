import type Database from 'better-sqlite3';
import type { RecordedEvent } from '@counterfoil/contracts';
import { InvalidEventError, UpcastError, WrongExpectedRevisionError } from '../errors.js';
import type { AppendResult, StreamHead } from '../port.js';
import { sealAppend } from '../sealing.js';
import type { PreparedAppend, SealedEvent } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import { recordParts } from '../upcasting/registry.js';
import { asCommitFailure, asStoreFailure, isBusy, sqliteCode } from './failures.js';
import { COLUMNS, storedOf } from './rows.js';
import type { Row } from './rows.js';
import { StreamHeads } from './stream-heads.js';

/** UpcastError: the append is a retry of one that is stored, and what is stored can't be read today. */
export type AppendOutcome = AppendResult | WrongExpectedRevisionError | InvalidEventError | UpcastError;

interface IdRow {
  readonly stream: string;
}

/** Writes prepared appends: many in one transaction, each checked for itself. */
export class AppendTransaction {
  private readonly begin: Database.Statement;
  private readonly commit: Database.Statement;
  private readonly rollback: Database.Statement;
  private readonly headOf: Database.Statement<[string], StreamHead>;
  private readonly newestPosition: Database.Statement<[], bigint | null>;
  private readonly byId: Database.Statement<[string], IdRow>;
  private readonly range: Database.Statement<[string, bigint, bigint], Row>;
  private readonly insert: Database.Statement;
  private readonly heads = new StreamHeads();

  constructor(
    private readonly db: Database.Database,
    private readonly registry: UpcastingRegistry,
  ) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    this.headOf = db
      .prepare<[string], StreamHead>('SELECT revision, position, hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
      .safeIntegers();
    this.newestPosition = db.prepare<[], bigint | null>('SELECT max(position) FROM events').safeIntegers().pluck();
    this.byId = db.prepare<[string], IdRow>('SELECT stream FROM events WHERE id = ?');
    this.range = db
      .prepare<[string, bigint, bigint], Row>(
        `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? AND revision < ? ORDER BY revision`,
      )
      .safeIntegers()
      .raw();
    this.insert = db
      .prepare('INSERT INTO events (stream, revision, id, type, version, hash, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .safeIntegers();
  }

  /**
   * One transaction, one sync. Checks come before inserts, so an append that is refused leaves nothing behind and none needs a savepoint.
   *
   * @returns the outcome of each append, in order
   * @throws a busy SqliteError before anything was done; StoreUnavailableError when nothing was stored; OutcomeUnknownError
   */
  run(appends: readonly PreparedAppend[]): readonly AppendOutcome[] {
    this.start();
    const outcomes = this.inTransaction(() => {
      this.heads.begin(this.newestPosition.get() ?? 0n);
      return appends.map((append) => this.applyOne(append));
    });
    try {
      this.commit.run();
    } catch (error) {
      this.undoQuietly();
      throw asCommitFailure(error);
    }
    return outcomes;
  }

  private start(): void {
    try {
      this.undo();
      this.begin.run();
    } catch (error) {
      throw isBusy(error) ? error : asStoreFailure(error);
    }
  }

  private inTransaction<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.undoQuietly();
      throw asStoreFailure(error);
    }
  }

  /** Some failures (a full disk, for one) have ended the transaction already. */
  private undo(): void {
    if (this.db.inTransaction) this.rollback.run();
  }

  /** While one failure is reported, a second one must not hide it; what it left open is undone before the next begin. */
  private undoQuietly(): void {
    this.heads.forget();
    try {
      this.undo();
    } catch (error) {
      if (sqliteCode(error) === null) throw error;
    }
  }

  private applyOne(append: PreparedAppend): AppendOutcome {
    const head = this.heads.get(append.stream) ?? this.headOf.get(append.stream) ?? null;
    const expected = append.expected === 'no_stream' ? -1n : append.expected;
    const actual = head === null ? -1n : head.revision;
    if (actual !== expected)
      return this.repeated(append, expected) ?? new WrongExpectedRevisionError(append.stream, head?.revision ?? null);
    return this.takenId(append, head) ?? this.store(append, head);
  }

  /** As EventStoreDB does: the same ids at the same place are a retry, whatever the rest says; a part of them is a conflict. */
  private repeated(append: PreparedAppend, expected: bigint): AppendResult | UpcastError | null {
    const from = expected + 1n;
    const rows = this.range.all(append.stream, from, from + BigInt(append.events.length));
    const same = rows.length === append.events.length && rows.every((row, index) => row[3] === append.events[index]?.id);
    const last = rows.at(-1);
    if (!same || last === undefined) return null;
    try {
      const events = rows.flatMap((row) => this.registry.read(storedOf(row)));
      return { revision: last[2], position: last[0], repeated: true, events };
    } catch (error) {
      if (error instanceof UpcastError) return error;
      throw error;
    }
  }

  private takenId(append: PreparedAppend, head: StreamHead | null): AppendOutcome | null {
    for (const event of append.events) {
      const holder = this.byId.get(event.id);
      if (holder === undefined) continue;
      if (holder.stream === append.stream) return new WrongExpectedRevisionError(append.stream, head?.revision ?? null);
      return new InvalidEventError(event.type, 'an event of another stream has its id');
    }
    return null;
  }

  private store(append: PreparedAppend, head: StreamHead | null): AppendResult {
    let last: StreamHead = head ?? { revision: -1n, position: 0n, hash: '' };
    const events: RecordedEvent[] = [];
    for (const { sealed, parts } of sealAppend(append, head?.hash ?? null)) {
      last = { revision: sealed.revision, position: this.insertOne(sealed), hash: sealed.hash };
      events.push(...recordParts({ ...sealed, position: last.position }, parts));
    }
    this.heads.set(append.stream, last);
    return { revision: last.revision, position: last.position, repeated: false, events };
  }

  private insertOne(event: SealedEvent): bigint {
    const { stream, revision, id, type, version, dataText, metadataText, hash } = event;
    // As bigint: a JavaScript number would be stored as a floating-point one.
    const result = this.insert.run(stream, revision, id, type, BigInt(version), hash, dataText, metadataText);
    return BigInt(result.lastInsertRowid);
  }
}
