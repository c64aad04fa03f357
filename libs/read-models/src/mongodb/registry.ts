import type { Collection as Stored } from 'mongodb';
import { CollectionSpecMismatchError } from '../errors.js';
import type { CollectionSpec } from '../port.js';
import { prefixEnd } from '../query-rules.js';
import { specText } from '../spec-rules.js';
import type { Connection } from './connection.js';
import { isDuplicateKey } from './errors.js';
import { BY_ID, indexModels, physicalName, REGISTRY, sentinelRow, type RegisteredCollection, type Row } from './layout.js';

/** Which collections there are, with the indexes that they were made with. */
export class Registry {
  private readonly entries: Stored<RegisteredCollection>;

  constructor(private readonly connection: Connection) {
    this.entries = connection.db.collection<RegisteredCollection>(REGISTRY);
  }

  /**
   * Makes what is missing of a collection. It is listed before it is there, so that one that was left half made is found and finished by
   * whoever opens it, and dropped with the others.
   * @throws CollectionSpecMismatchError when it was made with other indexes
   */
  async open(spec: CollectionSpec): Promise<void> {
    const wanted = specText(spec);
    // Looked up each time, since another process may have dropped it.
    const found = (await this.entry(spec.name)) ?? (await this.list(spec.name, wanted));
    if (found.spec !== wanted) throw new CollectionSpecMismatchError(spec.name);
    if (!found.ready) await this.make(spec, wanted);
  }

  async names(prefix: string): Promise<readonly string[]> {
    // A collection's name is ASCII: the end of a prefix is never missing.
    const filter = { _id: { $gte: prefix, $lt: prefixEnd(prefix) ?? '\u{10ffff}' } };
    const rows = await this.connection.run(() =>
      this.entries.find(filter, { ...this.connection.reading, hint: BY_ID, sort: { _id: 1 }, projection: { _id: 1 } }).toArray(),
    );
    return rows.map(({ _id }) => _id);
  }

  /** Stays listed until its documents are gone: a drop that was cut short is found again. */
  async drop(name: string): Promise<void> {
    await this.dropDocuments(name);
    await this.connection.run(() => this.entries.deleteOne({ _id: name }));
  }

  /** Removes what a writer that came too late has made of a collection that is no longer listed. */
  async clear(name: string): Promise<void> {
    if ((await this.entry(name)) === null) await this.dropDocuments(name);
  }

  private entry(name: string): Promise<RegisteredCollection | null> {
    return this.connection.run(() => this.entries.findOne({ _id: name }, { ...this.connection.reading, hint: BY_ID }));
  }

  private async list(name: string, spec: string): Promise<RegisteredCollection> {
    await this.connection.run(() =>
      ignoringDuplicate(this.entries.updateOne({ _id: name }, { $setOnInsert: { spec, ready: false } }, { upsert: true })),
    );
    // Another one may have listed it first, with other indexes.
    return (await this.entry(name)) ?? { _id: name, spec, ready: false };
  }

  /** Does no harm to a collection that another process makes, has made, or already uses. */
  private async make(spec: CollectionSpec, text: string): Promise<void> {
    const rows = this.connection.db.collection<Row>(physicalName(spec.name));
    const models = indexModels(spec);
    const { _id, ...sentinel } = sentinelRow(spec);
    await this.connection.run(async () => {
      if (models.length > 0) await rows.createIndexes(models);
      await ignoringDuplicate(rows.updateOne({ _id }, { $setOnInsert: sentinel }, { upsert: true }));
      await this.entries.updateOne({ _id: spec.name, spec: text }, { $set: { ready: true } });
    });
  }

  private async dropDocuments(name: string): Promise<void> {
    await this.connection.run(async () => {
      try {
        await this.connection.db.dropCollection(physicalName(name));
      } catch (error) {
        // Some servers say so of what is gone already, others say nothing.
        if (!String(error).includes('ns not found')) throw error;
      }
    });
  }
}

/** An upsert that lost the race to another one has what it wanted. */
async function ignoringDuplicate(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
