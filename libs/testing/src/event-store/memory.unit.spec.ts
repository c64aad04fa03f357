import { MemoryEventStore } from '../memory-event-store.js';
import { eventStoreConformance } from './conformance.js';
import type { EventStoreSetup } from './harness.js';

const NOBODY_ELSE = { skip: { foreign_records: 'nobody else writes into the memory of a test' } };

eventStoreConformance(
  'memory',
  async (setup) => {
    const rulesOf = ({ registry, schemas }: EventStoreSetup) => (schemas === null ? { registry } : { registry, schemas });
    const store = new MemoryEventStore({ rules: rulesOf(setup) });
    let current = store;
    return {
      store,
      reopen: async (next = setup) => {
        await current.close();
        current = new MemoryEventStore({ rules: rulesOf(next), log: store.log });
        return current;
      },
      another: async () => new MemoryEventStore({ rules: rulesOf(setup), log: store.log }),
      close: () => current.close(),
    };
  },
  NOBODY_ELSE,
);
