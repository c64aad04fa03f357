import type { EventStore } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, textEvent } from './new-events.js';
import { take, takeBatchByBatch } from './subscribing.js';

const STREAMS = 4;
const EACH = 30;
const ALL = STREAMS * EACH;

async function write(store: EventStore, stream: string, seen: bigint[]): Promise<void> {
  for (let n = 0; n < EACH; n++) {
    const expected = n === 0 ? ('no_stream' as const) : BigInt(n - 1);
    seen.push((await store.append({ stream, expected, events: [textEvent(`${stream} ${n}`)] })).position);
  }
}

const writing = (store: EventStore, seen: bigint[]): Promise<unknown> =>
  Promise.all(Array.from({ length: STREAMS }, (_, n) => write(store, `handover-${n}`, seen)));

const placesOf = (events: readonly { readonly position: bigint }[]): bigint[] => events.map(({ position }) => position);

/** The seam between what is there and what comes, wherever it lies (cases 49 and 56). */
export function handoverTests(factory: EventStoreFactory): void {
  describe('the seam between past and present', () => {
    const store = eachTest(factory);

    it('loses and doubles nothing, whenever and wherever a subscription begins', async () => {
      const seen: bigint[] = [];
      const done = writing(store.current(), seen);
      const takings: Promise<{ readonly after: bigint | null; readonly got: bigint[] }>[] = [];
      for (const batchSize of [1, 7, 256, 3, 64, 2]) {
        const after = seen.at(-Math.ceil(batchSize / 2)) ?? null;
        const taking = take(store.current(), { after, batchSize }, (events) => events.some(({ stream }) => stream === 'the-end'));
        takings.push(taking.then((events) => ({ after, got: placesOf(events) })));
        await store.current().head();
      }
      await done;
      await store.current().append({ stream: 'the-end', expected: 'no_stream', events: [textEvent('the end')] });
      const stored = placesOf(await collect(store.current().readStored(null)));
      expect(stored).toHaveLength(ALL + 1);
      for (const { after, got } of await Promise.all(takings)) {
        expect(got).toEqual(stored.filter((position) => after === null || position > after));
      }
    });

    it('may lie after every batch: each event comes once', async () => {
      const taking = takeBatchByBatch(store.current(), 5, ALL);
      await writing(store.current(), []);
      expect(placesOf(await taking)).toEqual(placesOf(await collect(store.current().readStored(null))));
    });

    it('may be a restart', async () => {
      await writing(store.current(), []);
      const stored = placesOf(await collect(store.current().readStored(null)));
      const first = await take(store.current(), { after: null, batchSize: 50 }, (events) => events.length >= 50);
      const reopened = await store.reopen();
      const after = first.at(-1)?.position ?? null;
      const rest = await take(reopened, { after, batchSize: 50 }, (events) => events.length + first.length >= ALL);
      expect([...placesOf(first), ...placesOf(rest)]).toEqual(stored);
    });
  });
}
