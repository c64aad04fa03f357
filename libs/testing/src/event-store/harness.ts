import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastingRegistry } from '@counterfoil/event-store';
import type { EventSchemas, EventStore, RestorableStore } from '@counterfoil/event-store';

/** What an adapter is: the port, and the half of it by which a ledger moves. */
export type KitStore = EventStore & RestorableStore;

/** What an adapter is opened with. */
export interface EventStoreSetup {
  readonly registry: UpcastingRegistry;
  /** Null: those of the contracts. */
  readonly schemas: EventSchemas | null;
}

/** One empty store, for one test. */
export interface EventStoreHarness {
  readonly store: KitStore;
  /** Closes the store that is open and opens another one over the same events, as after a restart with other code. */
  reopen(setup?: EventStoreSetup): Promise<KitStore>;
  /** Opens one more store over the same events, as another process has it. */
  another(): Promise<KitStore>;
  /** Lets another program write so many records of its own. Missing where nobody else writes. */
  readonly foreign?: (count: number) => Promise<void>;
  /** Closes what is open and removes the events. */
  close(): Promise<void>;
}

/** What a test needs beside the port: without it the test is skipped, and says so. */
export type TestTag =
  /** Records of other programs among ours. */
  | 'foreign_records'
  /** A server that holds nothing else. */
  | 'empty_server'
  /** Switches that make it fail. */
  | 'faults';

/** Makes an empty store. */
export type EventStoreFactory = (setup: EventStoreSetup) => Promise<EventStoreHarness>;

export interface EventStoreTraits {
  /** Whether each position from 1 on is given to one event. Elsewhere positions only grow. Default true. */
  readonly densePositions?: boolean;
  /** Whether it tells each of two who restore the same at once which of it was the other's. Default true. */
  readonly tellsWhoRestored?: boolean;
  /** Length of the long stream; default 5000. */
  readonly longStream?: number;
  /** Why the tests with a tag are skipped. */
  readonly skip?: Readonly<Partial<Record<TestTag, string>>>;
}

/** A test that runs unless its tag is skipped; then its name says why. */
export function taggedIt(traits: EventStoreTraits, tag: TestTag, name: string, test: () => Promise<void>): void {
  const reason = traits.skip?.[tag];
  if (reason === undefined) it(name, test);
  else it.skip(`${name} (skipped: ${reason})`, test);
}

/** Every type at its current version and no steps. */
export const PLAIN_SETUP: EventStoreSetup = {
  registry: new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS }),
  schemas: null,
};

/** The store of the running test; a group of tests calls this once. */
export interface TestStore {
  current(): KitStore;
  reopen(setup?: EventStoreSetup): Promise<KitStore>;
  /** One more store over the same events; closed after the test. */
  another(): Promise<KitStore>;
  foreign(count: number): Promise<void>;
}

export function eachTest(factory: EventStoreFactory, setup: EventStoreSetup = PLAIN_SETUP): TestStore {
  let harness: EventStoreHarness | undefined;
  let store: KitStore | undefined;
  let others: KitStore[] = [];
  beforeEach(async () => {
    harness = await factory(setup);
    store = harness.store;
  });
  afterEach(async () => {
    for (const other of others) await other.close();
    others = [];
    await harness?.close();
    harness = undefined;
    store = undefined;
  });
  const opened = (): EventStoreHarness => {
    if (harness === undefined) throw new Error('a store is there within a test only');
    return harness;
  };
  return {
    current: () => {
      if (store === undefined) throw new Error('a store is there within a test only');
      return store;
    },
    reopen: async (next = setup) => {
      store = await opened().reopen(next);
      return store;
    },
    another: async () => {
      const other = await opened().another();
      others.push(other);
      return other;
    },
    foreign: async (count) => {
      const { foreign } = opened();
      if (foreign === undefined) throw new Error('nobody else writes into this store: the test needs the tag foreign_records');
      await foreign(count);
    },
  };
}
