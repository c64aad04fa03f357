import { randomUUID } from 'node:crypto';
import type { Collection as Stored, FindOptions } from 'mongodb';
import { DocumentStoreUnavailableError } from '../errors.js';
import type { ControlDocument } from '../port.js';
import type { Connection } from './connection.js';
import { isDuplicateKey } from './errors.js';
import { ABSENT, BY_ID, CONTROL, type ControlRow } from './layout.js';

const READ_CHUNK = 500;

/** Control documents: one row each, changed only at the revision that was read. */
export class ControlDocuments {
  private readonly rows: Stored<ControlRow>;

  constructor(private readonly connection: Connection) {
    this.rows = connection.db.collection<ControlRow>(CONTROL);
  }

  async get(keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>> {
    const found = new Map<string, ControlDocument>();
    for (let from = 0; from < keys.length; from += READ_CHUNK) {
      for (const { _id, revision, value } of await this.find(keys.slice(from, from + READ_CHUNK), this.connection.reading)) {
        found.set(_id, { key: _id, revision: BigInt(revision), value: JSON.parse(value) as ControlDocument['value'] });
      }
    }
    return found;
  }

  /**
   * Writes at the expected revision, or as absent. An attempt whose answer was lost is recognised by what it wrote.
   * @throws DocumentStoreUnavailableError also when an answer was lost and others have written since, so that nothing can be told
   */
  compareAndSet(key: string, expected: bigint | null, value: ControlDocument['value']): Promise<boolean> {
    const row = { revision: (expected ?? 0n) + 1n, value: JSON.stringify(value), write: randomUUID() };
    return this.connection.run(async (isRepeated) => {
      if (await this.write(key, expected, row)) return true;
      if (!isRepeated) return false;
      const [found] = await this.find([key], this.connection.settling);
      if (found?.write === row.write) return true;
      if (found === undefined || BigInt(found.revision) <= row.revision) return false;
      throw new DocumentStoreUnavailableError('the answer to a compare-and-set was lost, and others have written since');
    });
  }

  private async write(key: string, expected: bigint | null, row: Omit<ControlRow, '_id'>): Promise<boolean> {
    if (expected !== null) {
      const { matchedCount } = await this.rows.updateOne({ _id: key, revision: expected }, { $set: row });
      return matchedCount === 1;
    }
    try {
      const { upsertedCount } = await this.rows.updateOne({ _id: key, revision: ABSENT }, { $set: row }, { upsert: true });
      return upsertedCount === 1;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  private find(keys: readonly string[], options: FindOptions): Promise<ControlRow[]> {
    return this.connection.run(() => this.rows.find({ _id: { $in: [...keys] } }, { ...options, hint: BY_ID }).toArray());
  }
}
