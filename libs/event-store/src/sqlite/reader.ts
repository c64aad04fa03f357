import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import type { EventBatch, ReadStreamOptions, StreamHead } from '../port.js';
import { readOrTell } from '../upcasting/read-or-tell.js';
import type { ReadEvents } from '../upcasting/read-or-tell.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import type { ChainLink, RawEvent } from '../verify/raw-event.js';
import { COLUMNS, placeOf, rawOf, storedOf, weightOf } from './rows.js';
import type { Row } from './rows.js';

/** A page ends at so many rows, or when it gets heavier than this: an event may have 256 KiB. */
const PAGE_ROWS = 256;
const PAGE_WEIGHT = 1024 * 1024;
/** Revisions and positions are 64 bits wide in SQLite. */
const LAST = 2n ** 63n - 1n;

type PageStatement = Database.Statement<[bigint, bigint], Row>;
type StreamStatement = Database.Statement<[string, bigint, bigint], Row>;

/** Runs short synchronous work on the database, waiting out other processes' locks. */
export type Runner = <T>(work: () => T) => Promise<T>;

/**
 * Reads pages. A statement is never open across an await: between two pages this process writes, and an open one would keep the
 * write-ahead log from being folded back. After each page the event loop gets its turn.
 */
export class Reader {
  private readonly page: PageStatement;
  private readonly forwards: StreamStatement;
  private readonly backwards: StreamStatement;
  private readonly newestPosition: Database.Statement<[], bigint | null>;
  private readonly extentOf: Database.Statement<[], [bigint | null, bigint | null]>;
  private readonly headOf: Database.Statement<[string], StreamHead>;
  private readonly linkBefore: Database.Statement<[string, bigint], ChainLink>;
  private readonly firstAfter: Database.Statement<[string, bigint], bigint | null>;

  constructor(
    db: Database.Database,
    private readonly registry: UpcastingRegistry,
    private readonly run: Runner,
  ) {
    const rows = (tail: string): string => `SELECT ${COLUMNS} FROM events WHERE ${tail} LIMIT ?`;
    this.page = db.prepare<[bigint, bigint], Row>(rows('position > ? ORDER BY position')).safeIntegers().raw();
    this.forwards = db.prepare<[string, bigint, bigint], Row>(rows('stream = ? AND revision >= ? ORDER BY revision')).safeIntegers().raw();
    this.backwards = db
      .prepare<[string, bigint, bigint], Row>(rows('stream = ? AND revision <= ? ORDER BY revision DESC'))
      .safeIntegers()
      .raw();
    this.newestPosition = db.prepare<[], bigint | null>('SELECT max(position) FROM events').safeIntegers().pluck();
    this.extentOf = db
      .prepare<[], [bigint | null, bigint | null]>(
        `SELECT (SELECT max(position) FROM events), (SELECT max(seq) FROM sqlite_sequence WHERE name = 'events')`,
      )
      .safeIntegers()
      .raw();
    this.headOf = db
      .prepare<[string], StreamHead>('SELECT revision, position, hash FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
      .safeIntegers();
    this.linkBefore = db
      .prepare<[string, bigint], ChainLink>(
        'SELECT revision, hash FROM events WHERE stream = ? AND position <= ? ORDER BY revision DESC LIMIT 1',
      )
      .safeIntegers();
    this.firstAfter = db
      .prepare<[string, bigint], bigint | null>('SELECT min(revision) FROM events WHERE stream = ? AND position > ?')
      .safeIntegers()
      .pluck();
  }

  /** Without waiting for locks: for who asks again soon. */
  headNow(): bigint {
    return this.newestPosition.get() ?? 0n;
  }

  head(): Promise<bigint> {
    return this.run(() => this.headNow());
  }

  streamHead(stream: string): Promise<StreamHead | null> {
    return this.run(() => this.headOf.get(stream) ?? null);
  }

  linkAt(stream: string, position: bigint): Promise<ChainLink | null> {
    return this.run(() => this.linkBefore.get(stream, inRange(position)) ?? null);
  }

  extent(): Promise<{ readonly newest: bigint; readonly issued: bigint }> {
    return this.run(() => {
      const [newest, issued] = this.extentOf.get() ?? [null, null];
      return { newest: newest ?? 0n, issued: issued ?? 0n };
    });
  }

  /** Everything after a position up to `limit` events, and whether that was all there is. */
  async batch(after: bigint, limit: number): Promise<EventBatch> {
    const { rows, head } = await this.run(() => ({ rows: pageOf(this.page.iterate(inRange(after), BigInt(limit))), head: this.headNow() }));
    const batch: ReadEvents = { events: [], unreadable: [] };
    for (const row of rows) readOrTell(batch, this.registry, placeOf(row), () => storedOf(row));
    const position = rows.at(-1)?.[0] ?? after;
    return { ...batch, position, caughtUp: head <= position };
  }

  async *stream(stream: string, options: ReadStreamOptions): AsyncGenerator<RecordedEvent, void, undefined> {
    for await (const rows of this.streamPages(stream, options)) {
      for (const row of rows) yield* this.registry.read(storedOf(row));
    }
  }

  async *stored(after: bigint, limit: number): AsyncGenerator<StoredEvent, void, undefined> {
    for await (const rows of this.allPages(after, limit)) yield* rows.map(storedOf);
  }

  async *storedOfStream(stream: string, after: bigint, limit: number): AsyncGenerator<StoredEvent, void, undefined> {
    const from = after <= 0n ? 0n : await this.run(() => this.firstAfter.get(stream, inRange(after)) ?? null);
    if (from === null) return;
    for await (const rows of this.streamPages(stream, { from, limit })) yield* rows.map(storedOf);
  }

  async *raw(after: bigint): AsyncGenerator<readonly RawEvent[], void, undefined> {
    for await (const rows of this.allPages(after, Infinity)) yield rows.map(rawOf);
  }

  private async *allPages(after: bigint, limit: number): AsyncGenerator<readonly Row[], void, undefined> {
    const next = (last: Row | null, count: bigint): IterableIterator<Row> => this.page.iterate(last?.[0] ?? inRange(after), count);
    yield* this.pages(next, limit);
  }

  private async *streamPages(stream: string, options: ReadStreamOptions): AsyncGenerator<readonly Row[], void, undefined> {
    const { direction = 'forwards', limit = Infinity } = options;
    const next =
      direction === 'forwards'
        ? (last: Row | null, count: bigint) =>
            this.forwards.iterate(stream, last === null ? inRange(options.from ?? 0n) : last[2] + 1n, count)
        : (last: Row | null, count: bigint) =>
            this.backwards.iterate(stream, last === null ? inRange(options.from ?? LAST) : last[2] - 1n, count);
    yield* this.pages(next, limit);
  }

  /** Pages until one is empty or the limit is reached. */
  private async *pages(
    next: (last: Row | null, count: bigint) => IterableIterator<Row>,
    limit: number,
  ): AsyncGenerator<readonly Row[], void, undefined> {
    let left = limit;
    let last: Row | null = null;
    while (left > 0) {
      if (last !== null) await nextTurn();
      const from: Row | null = last;
      const rows: readonly Row[] = await this.run(() => pageOf(next(from, BigInt(Math.min(left, PAGE_ROWS)))));
      last = rows.at(-1) ?? null;
      if (last === null) return;
      left -= rows.length;
      yield rows;
    }
  }
}

/** A client's number may be wider than SQLite's; nothing lies beyond the last one. */
function inRange(value: bigint): bigint {
  return value > LAST ? LAST : value;
}

/** Leaving the loop early closes the statement. */
function pageOf(rows: IterableIterator<Row>): readonly Row[] {
  const page: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    page.push(row);
    weight += weightOf(row);
    if (weight >= PAGE_WEIGHT) break;
  }
  return page;
}
