import type { RecordedEvent } from '@counterfoil/contracts';
import type { ReadStreamOptions } from '@counterfoil/event-store';
import type { EventStoreFactory, EventStoreTraits, TestStore } from './harness.js';
import { eachTest } from './harness.js';
import { collect, textEvents, textOf } from './new-events.js';

const STREAM = 'session-default/read';

/** Reads of one stream and of everything, from any place in both directions. */
export function readTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  emptyTests(factory);
  streamTests(factory);
  orderTests(factory);
  longTests(factory, traits);
}

/** Quicker to compare by the thousand than the events, and as exact. */
const hashesOf = (events: readonly RecordedEvent[]): string[] => events.map((event) => event.metadata.integrity.hash);

function emptyTests(factory: EventStoreFactory): void {
  describe('an empty store', () => {
    const store = eachTest(factory);

    it('has no head, no streams and nothing to read', async () => {
      expect(await store.current().head()).toBe(0n);
      expect(await store.current().streamHead(STREAM)).toBeNull();
      expect(await collect(store.current().readStream(STREAM))).toEqual([]);
      expect(await collect(store.current().readStream(STREAM, { direction: 'backwards' }))).toEqual([]);
      expect(await collect(store.current().readAll(null))).toEqual([]);
      expect(await collect(store.current().readStored(null))).toEqual([]);
    });

    it('has an epoch that a restart keeps', async () => {
      const { epoch } = store.current();
      expect(epoch).toMatch(/^[a-z0-9]{1,32}$/);
      expect((await store.reopen()).epoch).toBe(epoch);
    });
  });
}

/** Two streams, the first of which goes on after the second. */
function filled(factory: EventStoreFactory): TestStore {
  const store = eachTest(factory);
  beforeEach(async () => {
    await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 4) });
    await store.current().append({ stream: 'session-default/read2', expected: 'no_stream', events: textEvents('other', 2) });
    await store.current().append({ stream: STREAM, expected: 3n, events: textEvents('f', 1) });
  });
  return store;
}

function streamTests(factory: EventStoreFactory): void {
  describe('reading a stream', () => {
    const store = filled(factory);

    it.each<[string, ReadStreamOptions, string[]]>([
      ['whole', {}, ['e 0', 'e 1', 'e 2', 'e 3', 'f 0']],
      ['from a revision', { from: 3n }, ['e 3', 'f 0']],
      ['from a revision, so many', { from: 1n, limit: 2 }, ['e 1', 'e 2']],
      ['from beyond the end', { from: 5n }, []],
      ['from far beyond the end', { from: 2n ** 64n }, []],
      ['none', { limit: 0 }, []],
      ['backwards', { direction: 'backwards' }, ['f 0', 'e 3', 'e 2', 'e 1', 'e 0']],
      ['backwards, so many', { direction: 'backwards', limit: 2 }, ['f 0', 'e 3']],
      ['backwards from a revision', { direction: 'backwards', from: 1n }, ['e 1', 'e 0']],
      ['backwards from beyond the end', { direction: 'backwards', from: 2n ** 64n, limit: 1 }, ['f 0']],
    ])('%s', async (_what, options, texts) => {
      expect((await collect(store.current().readStream(STREAM, options))).map(textOf)).toEqual(texts);
    });

    it('gives head, revisions, positions and ids as bigints and texts', async () => {
      const events = await collect(store.current().readStream(STREAM));
      expect(events.map((event) => event.revision)).toEqual([0n, 1n, 2n, 3n, 4n]);
      expect(events.every((event) => typeof event.position === 'bigint' && event.part === 0 && event.parts === 1)).toBe(true);
      const last = events.at(-1);
      expect(await store.current().streamHead(STREAM)).toEqual({
        revision: 4n,
        position: last?.position,
        hash: last?.metadata.integrity.hash,
      });
    });

    it('can be left in the middle', async () => {
      for await (const event of store.current().readStream(STREAM)) {
        if (event.revision === 1n) break;
      }
      const result = await store.current().append({ stream: STREAM, expected: 4n, events: textEvents('g', 1) });
      expect(result.revision).toBe(5n);
    });
  });
}

function orderTests(factory: EventStoreFactory): void {
  describe('reading everything', () => {
    const store = filled(factory);

    it('as stored: all, after a position, so many, of one stream', async () => {
      const all = await collect(store.current().readStored(null));
      expect(all.map(textOf)).toEqual(['e 0', 'e 1', 'e 2', 'e 3', 'other 0', 'other 1', 'f 0']);
      const after = all[2]?.position ?? null;
      expect((await collect(store.current().readStored(after))).map(textOf)).toEqual(['e 3', 'other 0', 'other 1', 'f 0']);
      expect((await collect(store.current().readStored(after, { limit: 2 }))).map(textOf)).toEqual(['e 3', 'other 0']);
      expect((await collect(store.current().readStored(after, { stream: STREAM }))).map(textOf)).toEqual(['e 3', 'f 0']);
      expect((await collect(store.current().readStored(null, { stream: STREAM, limit: 1 }))).map(textOf)).toEqual(['e 0']);
      expect(await collect(store.current().readStored(2n ** 64n))).toEqual([]);
    });

    it('in batches: each event once, in order of position, the last batch at the head', async () => {
      const batches = await collect(store.current().readAll(null, { batchSize: 3 }));
      expect(batches.flatMap((batch) => batch.events.map(textOf))).toEqual(['e 0', 'e 1', 'e 2', 'e 3', 'other 0', 'other 1', 'f 0']);
      expect(batches.every((batch) => batch.events.length <= 3 && batch.unreadable.length === 0)).toBe(true);
      expect(batches.map((batch) => batch.position)).toEqual(batches.map((batch) => batch.events.at(-1)?.position));
      expect(batches.at(-1)?.caughtUp).toBe(true);
      expect(batches.at(-1)?.position).toBe(await store.current().head());
      expect(await collect(store.current().readAll(await store.current().head()))).toEqual([]);
    });
  });
}

function longTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  describe('a long stream', () => {
    const store = eachTest(factory);
    const length = traits.longStream ?? 5000;

    it('is read whole, in order, in both directions, and its positions grow', async () => {
      const step = 250;
      for (let from = 0; from < length; from += step) {
        const expected = from === 0 ? 'no_stream' : BigInt(from - 1);
        await store.current().append({ stream: STREAM, expected, events: textEvents(`at ${from} +`, step) });
      }
      const forwards = await collect(store.current().readStream(STREAM));
      expect(forwards.map((event) => event.revision)).toEqual(Array.from({ length }, (_, index) => BigInt(index)));
      expect(textOf(forwards.at(-1) ?? { data: null })).toBe(`at ${length - step} + ${step - 1}`);
      const backwards = await collect(store.current().readStream(STREAM, { direction: 'backwards' }));
      expect(hashesOf(backwards.toReversed())).toEqual(hashesOf(forwards));
      const positions = forwards.map((event) => event.position);
      expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? position))).toBe(true);
      if (traits.densePositions !== false) expect(positions).toEqual(Array.from({ length }, (_, index) => BigInt(index + 1)));
      const all = await collect(store.current().readAll(null));
      expect(hashesOf(all.flatMap((batch) => batch.events))).toEqual(hashesOf(forwards));
    });
  });
}
