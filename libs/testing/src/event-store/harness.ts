import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastingRegistry } from '@counterfoil/event-store';
import type { EventSchemas, EventStore } from '@counterfoil/event-store';

/** What an adapter is opened with. */
export interface EventStoreSetup {
  readonly registry: UpcastingRegistry;
  /** Null: those of the contracts. */
  readonly schemas: EventSchemas | null;
}

/** One empty store, for one test. */
export interface EventStoreHarness {
  readonly store: EventStore;
  /** Closes the store that is open and opens another one over the same events, as after a restart with other code. */
  reopen(setup?: EventStoreSetup): Promise<EventStore>;
  /** Closes what is open and removes the events. */
  close(): Promise<void>;
}

/** Makes an empty store. */
export type EventStoreFactory = (setup: EventStoreSetup) => Promise<EventStoreHarness>;

export interface EventStoreTraits {
  /** Whether each position from 1 on is given to one event. Elsewhere positions only grow. Default true. */
  readonly densePositions?: boolean;
  /** Length of the long stream; default 5000. */
  readonly longStream?: number;
}

/** Every type at its current version and no steps. */
export const PLAIN_SETUP: EventStoreSetup = {
  registry: new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS }),
  schemas: null,
};

/** The store of the running test; a group of tests calls this once. */
export interface TestStore {
  current(): EventStore;
  reopen(setup?: EventStoreSetup): Promise<EventStore>;
}

export function eachTest(factory: EventStoreFactory, setup: EventStoreSetup = PLAIN_SETUP): TestStore {
  let harness: EventStoreHarness | undefined;
  let store: EventStore | undefined;
  beforeEach(async () => {
    harness = await factory(setup);
    store = harness.store;
  });
  afterEach(async () => {
    await harness?.close();
    harness = undefined;
    store = undefined;
  });
  const current = (): EventStore => {
    if (store === undefined) throw new Error('a store is there within a test only');
    return store;
  };
  const reopen = async (next = setup): Promise<EventStore> => {
    if (harness === undefined) throw new Error('a store can be opened within a test only');
    store = await harness.reopen(next);
    return store;
  };
  return { current, reopen };
}
