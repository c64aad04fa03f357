import { openEventStoreDb } from '@counterfoil/event-store';
import type { EventStoreDbOptions, EventStoreDbStore, EventStoreDbTiming } from '@counterfoil/event-store';
import { PLAIN_SETUP } from '../event-store/index.js';
import type { TestEventStoreDb, TestServerOptions } from './server.js';

/** Short enough for tests that must wait for one of them, long enough for a busy machine. */
export const QUICK: EventStoreDbTiming = {
  appendMs: 1000,
  settleMs: 6000,
  readMs: 1000,
  readRetryMs: 4000,
  watchdogMs: 200,
  lingerMs: 300,
  firstPauseMs: 5,
  longestPauseMs: 50,
  sealCheckMs: 100,
};

export interface EachServer {
  readonly server: () => TestEventStoreDb;
  /** A server more; stopped after the test. */
  readonly start: (options?: TestServerOptions) => Promise<TestEventStoreDb>;
  /** A store on the server of the test; closed after it. */
  readonly open: (options?: Partial<EventStoreDbOptions>) => Promise<EventStoreDbStore>;
}

/** A test server for each test of a group, which calls this once. */
export function eachServer(options: TestServerOptions = {}): EachServer {
  let servers: TestEventStoreDb[] = [];
  let stores: EventStoreDbStore[] = [];
  const start = async (more: TestServerOptions = {}): Promise<TestEventStoreDb> => {
    const { TestEventStoreDb: Server } = await import('./server.js');
    const started = await Server.start({ writeTimeoutMs: 200, ...options, ...more });
    servers.push(started);
    return started;
  };
  const server = (): TestEventStoreDb => {
    const [first] = servers;
    if (first === undefined) throw new Error('a server is there within a test only');
    return first;
  };
  beforeEach(async () => {
    await start();
  });
  afterEach(async () => {
    for (const one of servers) one.faults.reset();
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(servers.map((one) => one.stop()));
    servers = [];
    stores = [];
  });
  return {
    server,
    start,
    open: async (over = {}) => {
      const { connectionString } = server();
      const store = await openEventStoreDb({ connectionString, registry: PLAIN_SETUP.registry, timing: QUICK, ...over });
      stores.push(store);
      return store;
    },
  };
}
