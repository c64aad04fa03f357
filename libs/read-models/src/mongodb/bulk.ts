import type { AnyBulkWriteOperation, Collection as Stored } from 'mongodb';
import type { PreparedWrite, Rejected } from '../bulk-writes.js';
import type { CollectionSpec } from '../port.js';
import { indexFields } from '../spec-rules.js';
import type { Connection } from './connection.js';
import { bulkFailure } from './errors.js';
import { BY_ID, rowsOf, SENTINEL, type Row } from './layout.js';

/** What a server stores as one document, less some room for the names of fields and what it adds. */
const MOST_BYTES = 16 * 1024 * 1024 - 64 * 1024;
const MOST_BYTES_OF_A_CHARACTER = 3;

/** What became of the writes of a chunk that were not done. */
export interface Lost {
  readonly conflicts: readonly string[];
  readonly rejected: readonly Rejected[];
}

export function isTooLarge(spec: CollectionSpec, { write, doc }: PreparedWrite): boolean {
  if (doc === null) return false;
  // A document has each index value once more, and its id may stand in each of them.
  const texts = [doc, write.id, ...indexFields(spec).map((field) => String(write.fields[field] ?? ''))];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters * MOST_BYTES_OF_A_CHARACTER <= MOST_BYTES) return false;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > MOST_BYTES;
}

/** Guarded writes into one collection. */
export class BulkWriter {
  private readonly row: ReturnType<typeof rowsOf>;
  private readonly hasUnique: boolean;

  constructor(
    spec: CollectionSpec,
    private readonly rows: Stored<Row>,
    private readonly connection: Connection,
  ) {
    this.row = rowsOf(spec);
    this.hasUnique = spec.indexes.some((index) => index.unique === true);
  }

  /**
   * Writes each document that still has its guard. The change of one is an upsert with the guard in its filter: when that doesn't stand,
   * it tries to insert and meets the id that is there. So the server tells of every single write whether it was done, where a plain update
   * would only be missing from a sum.
   * @param token of the call; a chunk may be written again under it
   * @returns null when the collection is gone
   */
  write(chunk: readonly PreparedWrite[], token: string): Promise<Lost | null> {
    return this.connection.run(() => this.attempt(chunk, token));
  }

  private async attempt(chunk: readonly PreparedWrite[], token: string): Promise<Lost | null> {
    const { unsettled, isComplete } = await this.send(chunk, token);
    // A server that ends a bulk at its first error doesn't say of each write what became of it: asked one by one, it does.
    if (!isComplete && chunk.length > 1) return this.oneByOne(chunk, token);
    const hasInserts = chunk.some(({ write }) => write.expected === null);
    if (unsettled.length === 0 && !hasInserts) return { conflicts: [], rejected: [] };
    return this.settle(unsettled, token);
  }

  private async oneByOne(chunk: readonly PreparedWrite[], token: string): Promise<Lost | null> {
    const conflicts: string[] = [];
    const rejected: Rejected[] = [];
    for (const prepared of chunk) {
      const lost = await this.attempt([prepared], token);
      if (lost === null) return null;
      conflicts.push(...lost.conflicts);
      rejected.push(...lost.rejected);
    }
    return { conflicts, rejected };
  }

  private async send(chunk: readonly PreparedWrite[], token: string): Promise<Sent> {
    const changed = chunk.filter(({ write }) => write.expected !== null);
    const madeBy = (ids: readonly string[]): readonly PreparedWrite[] => changed.filter(({ write }) => ids.includes(write.id));
    try {
      const operations = chunk.map((prepared) => this.operation(prepared, token));
      const { upsertedIds } = await this.rows.bulkWrite(operations, { ordered: false });
      return { unsettled: madeBy(Object.values(upsertedIds).map(String)), isComplete: true };
    } catch (error) {
      const failure = bulkFailure(error);
      if (failure === null) throw error;
      const failed = failure.failed.map((at) => chunk[at]).filter((prepared) => prepared !== undefined);
      // Of inserts that failed every server tells; how many succeeded, not every one.
      const failedChanges = failed.filter(({ write }) => write.expected !== null).length;
      const isComplete = failedChanges + failure.matched + failure.made.length === changed.length;
      return { unsettled: [...failed, ...madeBy(failure.made)], isComplete };
    }
  }

  private operation(prepared: PreparedWrite, token: string): AnyBulkWriteOperation<Row> {
    const { id, expected } = prepared.write;
    const row = this.row(prepared, token);
    if (expected === null) return { insertOne: { document: { _id: id, ...row } } };
    return { updateOne: { filter: { _id: id, guard: expected }, update: { $set: row, $setOnInsert: { made: token } }, upsert: true } };
  }

  /** What became of writes that met a duplicate key, or made what they were to change, told by what stands there now. */
  private async settle(unsettled: readonly PreparedWrite[], token: string): Promise<Lost | null> {
    const ids = unsettled.map(({ write }) => write.id);
    const found = await this.rows
      .find<SettledRow>({ _id: { $in: [SENTINEL, ...ids] } }, { ...this.connection.settling, hint: BY_ID, projection: SETTLED })
      .toArray();
    const byId = new Map(found.map((row) => [row._id, row]));
    if (!byId.has(SENTINEL)) return null;
    const conflicts: string[] = [];
    const rejected: Rejected[] = [];
    for (const { write } of unsettled) {
      const fate = this.fateOf(write, byId.get(write.id), token);
      if (fate === 'unique_violation') rejected.push({ id: write.id, reason: fate });
      else if (fate !== 'written') conflicts.push(write.id);
      if (fate === 'made') await this.rows.deleteOne({ _id: write.id, made: token, write: token });
    }
    return { conflicts, rejected };
  }

  /** Guards only grow, so that what they say of a past write stays true. */
  private fateOf(write: PreparedWrite['write'], row: SettledRow | undefined, token: string): Fate {
    // Loaded, but absent now: what was never there, or is gone, isn't made by a change.
    if (row?.made === token) return 'made';
    // Written by an earlier attempt, whose answer was lost. (One that others have changed since counts as lost: it is loaded anew.)
    if (row?.write === token) return 'written';
    const isAsExpected = row === undefined ? write.expected === null : BigInt(row.guard) === write.expected;
    return isAsExpected && this.hasUnique ? 'unique_violation' : 'conflict';
  }
}

type Fate = 'written' | 'made' | 'conflict' | 'unique_violation';

/** What is read of a row to see who wrote it. */
interface SettledRow {
  readonly _id: string;
  readonly guard: bigint | number;
  readonly write: string;
  readonly made?: string;
}
const SETTLED = { guard: 1, write: 1, made: 1 };

interface Sent {
  /** Those that met a duplicate key, or made their document instead of changing it. */
  readonly unsettled: readonly PreparedWrite[];
  /** Whether the server told of every write what became of it. */
  readonly isComplete: boolean;
}
