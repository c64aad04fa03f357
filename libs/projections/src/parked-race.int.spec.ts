import type { DocumentStore } from '@counterfoil/read-models';
import { projectionFixture, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import fc from 'fast-check';
import { ParkedStreams } from './parked.js';

/** With partitions several processes park streams of one generation, and one that is late may park what its successor parks, too. */
describe('streams that are parked by several at once', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
  });
  afterEach(() => fixture.dispose());

  const load = (store: DocumentStore) => ParkedStreams.load(store, tallySet(version), 1, 1000);
  const poisonOf = (stream: string) => ({
    stream,
    position: 5n,
    type: 'LeaseExtended',
    reason: 'poisoned',
    projection: 'calls',
    detail: null,
  });

  it('are all in the list, whatever the order of their reads and writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        version++;
        const slow = Object.create(docs, {
          control: { value: scheduler.scheduleFunction((key: string) => docs.control(key)) },
          compareAndSet: {
            value: scheduler.scheduleFunction((...call: Parameters<DocumentStore['compareAndSet']>) => docs.compareAndSet(...call)),
          },
        }) as DocumentStore;
        const parking = Promise.all(['a', 'a', 'b', 'c'].map(async (stream) => (await load(slow)).park(poisonOf(stream))));
        await scheduler.waitFor(parking);
        expect(
          (await load(docs))
            .list(10)
            .map(({ stream }) => stream)
            .sort(),
        ).toEqual(['a', 'b', 'c']);
      }),
      { numRuns: 300 },
    );
  }, 120_000);
});
