import { randomBytes } from 'node:crypto';
import { openMongoDocumentStore, type DocumentStore, type MongoDocumentStoreOptions } from '@counterfoil/read-models';
import type { DocumentStoreTraits } from '../document-store/index.js';

/** The test servers of test/mongo, and a MongoDB that COUNTERFOIL_TEST_MONGODB_URL names: it stands in for both. */
export type MongoKind = 'A' | 'B' | 'given';

export interface MongoTestServer {
  readonly kind: MongoKind;
  readonly url: string;
}

const VARIABLES: Readonly<Record<MongoKind, string>> = {
  given: 'COUNTERFOIL_TEST_MONGODB_URL',
  A: 'COUNTERFOIL_TEST_MONGODB_A',
  B: 'COUNTERFOIL_TEST_MONGODB_B',
};

const LABELS: Readonly<Record<MongoKind, string>> = {
  given: 'the MongoDB of COUNTERFOIL_TEST_MONGODB_URL',
  A: 'server A',
  B: 'server B',
};

/** What the kit leaves out, and why. A real MongoDB lacks nothing. */
export const MONGO_TRAITS: Readonly<Record<MongoKind, DocumentStoreTraits>> = {
  given: {},
  A: { leftOut: { code_points: 'server A sorts texts by their UTF-16 units' } },
  B: {
    leftOut: {
      races: 'updates of one document are not atomic on server B',
      broken_by_change: 'server B answers with an internal error',
      bulky: 'server B reads the whole collection for each query',
    },
  },
};

function urlOf(kind: MongoKind): string | undefined {
  const url = process.env[VARIABLES[kind]];
  return url === '' ? undefined : url;
}

/**
 * Declares the tests once for each server of these kinds that there is. For one that isn't there, a skipped test says why.
 * @param kinds over which the tests make sense; without `given` they need what only a test server bears
 */
export function overMongo(title: string, kinds: readonly MongoKind[], tests: (server: MongoTestServer) => void): void {
  const isGiven = urlOf('given') !== undefined;
  const wanted = isGiven ? kinds.filter((kind) => kind === 'given') : kinds.filter((kind) => kind !== 'given');
  if (wanted.length === 0) it.skip(`${title} (left out: not for ${LABELS[isGiven ? 'given' : 'A']})`, () => undefined);
  for (const kind of wanted) {
    const url = urlOf(kind);
    if (url === undefined) it.skip(`${title}: ${LABELS[kind]} (left out: it isn't running; npm run test:mongo starts it)`, () => undefined);
    else describe(`${title}: ${LABELS[kind]}`, () => tests({ kind, url }));
  }
}

/** A database of its own, for one test. */
export interface MongoTestDatabase {
  readonly name: string;
  /** Opens one more connection, as another process would; through another URL, if one is given. */
  open(options?: Partial<MongoDocumentStoreOptions>): Promise<DocumentStore>;
  /** Closes every connection and drops the database. */
  dispose(): Promise<void>;
}

let made = 0;

export function mongoTestDatabase(server: MongoTestServer): MongoTestDatabase {
  const name = `counterfoil_test_${process.pid}_${randomBytes(5).toString('hex')}_${++made}`;
  const opened: DocumentStore[] = [];
  return {
    name,
    open: async (options) => {
      const store = await openMongoDocumentStore({ url: server.url, database: name, ...options });
      opened.push(store);
      return store;
    },
    dispose: async () => {
      for (const store of opened) await store.close();
      // Loaded here, since every spec that uses a helper of this lib would load it otherwise.
      const { MongoClient } = await import('mongodb');
      const client = new MongoClient(server.url);
      try {
        await client.db(name).dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}
