import type { EventStoreFactory, EventStoreTraits } from './harness.js';
import { eachTest, taggedIt } from './harness.js';
import { collect, textEvents, textOf } from './new-events.js';
import { take } from './subscribing.js';

const STREAM = 'session-default/sparse';

/** Few events of ours among many of others (case 57). */
export function foreignTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  describe('among records of other programs', () => {
    const store = eachTest(factory);

    /** Ours: two, two and one, with gaps between. */
    async function sparse(): Promise<bigint[]> {
      await store.foreign(40);
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('a', 2) });
      await store.foreign(700);
      await store.current().append({ stream: STREAM, expected: 1n, events: textEvents('b', 2) });
      await store.foreign(10);
      await store.current().append({ stream: 'other', expected: 'no_stream', events: textEvents('c', 1) });
      return (await collect(store.current().readStored(null))).map((event) => event.position);
    }
    const texts = ['a 0', 'a 1', 'b 0', 'b 1', 'c 0'];

    taggedIt(traits, 'foreign_records', 'an empty store is empty, and a subscription to it catches up', async () => {
      await store.foreign(100);
      expect(await store.current().head()).toBe(0n);
      expect(await collect(store.current().readAll(null))).toEqual([]);
      const abort = new AbortController();
      for await (const batch of store.current().subscribeAll({ after: null, signal: abort.signal })) {
        expect(batch).toEqual({ events: [], unreadable: [], position: 0n, caughtUp: true });
        abort.abort();
      }
    });

    taggedIt(traits, 'foreign_records', 'only ours are read, and the head is that of ours', async () => {
      const positions = await sparse();
      await store.foreign(600);
      expect(await store.current().head()).toBe(positions.at(-1));
      const batches = await collect(store.current().readAll(null, { batchSize: 2 }));
      expect(batches.flatMap((batch) => batch.events.map(textOf))).toEqual(texts);
      expect(batches.map((batch) => batch.position)).toEqual([positions[1], positions[3], positions[4]]);
      expect(batches.at(-1)?.caughtUp).toBe(true);
      const reopened = await store.reopen();
      expect(await reopened.head()).toBe(positions.at(-1));
    });

    taggedIt(traits, 'foreign_records', 'a subscription goes on after any of ours, and over the gaps', async () => {
      const positions = await sparse();
      for (const [n, after] of positions.slice(0, -1).entries()) {
        const rest = await take(store.current(), { after, batchSize: 2 }, (events) => events.length >= texts.length - n - 1);
        expect(rest.map(textOf)).toEqual(texts.slice(n + 1));
      }
      const taking = take(store.current(), { after: positions.at(-1) ?? null, batchSize: 2 }, (events) => events.length >= 1);
      await store.foreign(300);
      await store.current().append({ stream: STREAM, expected: 3n, events: textEvents('live', 1) });
      expect((await taking).map(textOf)).toEqual(['live 0']);
    });

    taggedIt(traits, 'foreign_records', 'a position between two events of ours is as good as theirs', async () => {
      const positions = await sparse();
      for (const [n, position] of positions.entries()) {
        for (const after of [position - 1n, position + 1n]) {
          const wanted = texts.slice(after < position ? n : n + 1);
          expect((await collect(store.current().readStored(after))).map(textOf)).toEqual(wanted);
          expect((await collect(store.current().readStored(after, { limit: 1 }))).map(textOf)).toEqual(wanted.slice(0, 1));
        }
      }
    });
  });
}
