import { eventStoreConformance, freshPrefix, serverUnderTest } from '@counterfoil/testing';
import type { EventStoreSetup, ServerUnderTest } from '@counterfoil/testing';
import { openEventStoreDb } from './open.js';
import { otherProgram } from './testing/other-program.js';
import type { EventStoreDbStore } from './store.js';

let server: ServerUnderTest;
beforeAll(async () => {
  server = await serverUnderTest();
});
afterAll(async () => {
  await server.stop();
});

eventStoreConformance(
  'EventStoreDB',
  async (setup) => {
    const streamPrefix = freshPrefix();
    const { connectionString } = server;
    const open = ({ registry, schemas }: EventStoreSetup): Promise<EventStoreDbStore> =>
      openEventStoreDb({ connectionString, streamPrefix, registry, ...(schemas === null ? {} : { schemas }) });
    let current = await open(setup);
    const others = otherProgram(connectionString);
    return {
      store: current,
      reopen: async (next = setup) => {
        await current.close();
        current = await open(next);
        return current;
      },
      another: () => open(setup),
      foreign: (count) => others.write(count),
      close: async () => {
        await others.end();
        await current.close();
      },
    };
  },
  // A repeated append is known by its ids alone, and isn't told from the first: both count it.
  { densePositions: false, tellsWhoRestored: false, longStream: 1500 },
);
