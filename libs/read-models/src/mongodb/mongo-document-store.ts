import { InvalidWriteError } from '../errors.js';
import type { Collection, CollectionSpec, ControlDocument, DocumentStore } from '../port.js';
import { assertCollectionName, assertSpec } from '../spec-rules.js';
import { isDocumentId } from '../write-rules.js';
import { connect, type Connection, type MongoDocumentStoreOptions } from './connection.js';
import { ControlDocuments } from './control.js';
import { MongoCollection } from './mongo-collection.js';
import { Registry } from './registry.js';

/**
 * Opens the read models' store in a MongoDB database (6.0 to 8.x). Any number of processes may have it open. Of MongoDB only what is
 * common to those versions and the two test servers is used: no transaction, change stream, or update by a pipeline.
 * @throws DocumentStoreUnavailableError when no primary is found, or it refuses the credentials
 */
export async function openMongoDocumentStore(options: MongoDocumentStoreOptions): Promise<DocumentStore> {
  return new MongoDocumentStore(await connect(options));
}

export class MongoDocumentStore implements DocumentStore {
  private readonly registry: Registry;
  private readonly documents: ControlDocuments;

  constructor(private readonly connection: Connection) {
    this.registry = new Registry(connection);
    this.documents = new ControlDocuments(connection);
  }

  async collection<D>(spec: CollectionSpec): Promise<Collection<D>> {
    assertSpec(spec);
    await this.registry.open(spec);
    return new MongoCollection<D>(spec, this.connection, this.registry);
  }

  async drop(collectionName: string): Promise<void> {
    assertCollectionName(collectionName);
    await this.registry.drop(collectionName);
  }

  collections(prefix: string): Promise<readonly string[]> {
    return this.registry.names(prefix);
  }

  async control(key: string): Promise<ControlDocument | null> {
    return (await this.controls([key])).get(key) ?? null;
  }

  async controls(keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>> {
    keys.forEach(assertKey);
    return this.documents.get(keys);
  }

  async compareAndSet(key: string, expected: bigint | null, value: ControlDocument['value']): Promise<boolean> {
    assertKey(key);
    return this.documents.compareAndSet(key, expected, value);
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** @throws InvalidWriteError when the key isn't well-formed text of 1 to 2048 characters */
function assertKey(key: string): void {
  if (!isDocumentId(key)) throw new InvalidWriteError('the key of a control document must be well-formed text');
}
