import { join } from 'node:path';
import { inFile, openEventStore, openProjections, type EventsLocation, type ReadModelsLocation } from '@counterfoil/ledger';
import { freshPrefix, mongoTestDatabase, serverUnderTest, type MongoTestServer } from '@counterfoil/testing';

/** Where the ledger of a test is. */
export interface TestStores {
  readonly events: EventsLocation;
  readonly readModels: ReadModelsLocation;
  /** Ends what was started for it, and removes what it left elsewhere than in its directory. */
  dispose(): Promise<void>;
}

/** Set to `distributed`, the same end-to-end specs run over EventStoreDB's and MongoDB's wire: `npm run test:distributed`. */
const MODE = 'COUNTERFOIL_TEST_LEDGER';

export const isDistributed = (): boolean => process.env[MODE] === 'distributed';

/** The stores that specs run over: one file, as in embedded mode, unless they are told otherwise. */
export async function testStores(directory: string): Promise<TestStores> {
  if (isDistributed()) return distributedStores();
  return { ...inFile(join(directory, 'counterfoil.db')), dispose: () => Promise.resolve() };
}

/** The wire server on which read models are kept; undefined where none runs (npm run test:mongo starts it). */
export function wireServer(): MongoTestServer | undefined {
  const given = process.env.COUNTERFOIL_TEST_MONGODB_URL ?? '';
  const started = process.env.COUNTERFOIL_TEST_MONGODB_A ?? '';
  if (given !== '') return { kind: 'given', url: given };
  return started === '' ? undefined : { kind: 'A', url: started };
}

/** Streams and a database of its own, and a projector, which projects all of it. On real servers where the suites are pointed at some. */
export async function distributedStores(): Promise<TestStores> {
  const server = wireServer();
  if (server === undefined) throw new Error('no MongoDB-wire server runs: npm run test:mongo installs and starts one');
  const eventStore = await serverUnderTest();
  const database = mongoTestDatabase(server);
  const locations = {
    events: { kind: 'eventstoredb', connectionString: eventStore.connectionString, streamPrefix: freshPrefix() },
    readModels: { kind: 'mongodb', url: withDatabase(server.url, database.name) },
  } as const;
  // A projector makes no ledger.
  await (await openEventStore(locations.events)).close();
  const projections = await openProjections(locations);
  const stopping = new AbortController();
  const running = projections.engine.run(stopping.signal);
  return {
    ...locations,
    dispose: async () => {
      stopping.abort();
      await running;
      await projections.close();
      await eventStore.stop();
      await database.dispose();
    },
  };
}

/** A connection string that names this database. */
export function withDatabase(url: string, name: string): string {
  const [, front = url, query = ''] = /^([a-z+]+:\/\/[^/?]+)\/?[^?]*(\?.*)?$/.exec(url) ?? [];
  return `${front}/${name}${query}`;
}
