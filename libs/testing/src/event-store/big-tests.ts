import type { NewEvent, RecordedEvent } from '@counterfoil/contracts';
import { APPEND_LIMIT_BYTES } from '@counterfoil/contracts';
import type { EventStoreFactory, TestStore } from './harness.js';
import { eachTest } from './harness.js';
import { collect, eventOfBytes, storedBytes, textEvent } from './new-events.js';
import { take } from './subscribing.js';

const STREAM = 'session-default/big';
const EVENT_BYTES = 240 * 1024;
const PER_APPEND = 3;
const APPENDS = 8;
const COUNT = PER_APPEND * APPENDS;

const hashOf = (event: RecordedEvent): string => event.metadata.integrity.hash;

/** More than fits into one page, one message or one buffer: of events that are big, and of events that are many. */
export function bigTests(factory: EventStoreFactory): void {
  describe('big events', () => {
    const store = eachTest(factory);
    const written = filled(store);

    it('are read whole, in both directions, from the middle and so many', async () => {
      const hashes = written();
      const read = (await collect(store.current().readStream(STREAM))).map(hashOf);
      expect(read).toEqual(hashes);
      expect((await collect(store.current().readStream(STREAM, { direction: 'backwards' }))).map(hashOf)).toEqual(hashes.toReversed());
      expect((await collect(store.current().readStream(STREAM, { from: 5n, limit: 9 }))).map(hashOf)).toEqual(hashes.slice(5, 14));
      const back = await collect(store.current().readStream(STREAM, { from: 13n, direction: 'backwards', limit: 9 }));
      expect(back.map(hashOf)).toEqual(hashes.slice(5, 14).toReversed());
    });

    it('come by every way to read everything, and a subscription goes on in the middle of them', async () => {
      const hashes = written();
      const batches = await collect(store.current().readAll(null, { batchSize: 10 }));
      expect(batches.flatMap((batch) => batch.events.map(hashOf))).toEqual(hashes);
      const stored = await collect(store.current().readStored(null));
      expect(stored.map((event) => event.metadata.integrity.hash)).toEqual(hashes);
      const middle = stored[9]?.position ?? 0n;
      const rest = await take(store.current(), { after: middle, batchSize: 256 }, (events) => events.length >= COUNT - 10);
      expect(rest.map(hashOf)).toEqual(hashes.slice(10));
    });
  });

  describe('an append of many events', () => {
    const store = eachTest(factory);

    it('is stored as a whole, in order', async () => {
      const one = storedBytes(textEvent('some text'));
      const count = Math.floor(APPEND_LIMIT_BYTES / one) - 1;
      const events = Array.from({ length: count }, () => textEvent('some text'));
      const result = await store.current().append({ stream: STREAM, expected: 'no_stream', events });
      expect(result.revision).toBe(BigInt(count - 1));
      const ids = events.map((event) => event.id);
      expect(result.events.map((event) => event.id)).toEqual(ids);
      const read = await collect(store.current().readStream(STREAM));
      expect(read.map((event) => event.id)).toEqual(ids);
      expect(read.map((event) => event.position)).toEqual(result.events.map((event) => event.position));
    });
  });
}

function filled(store: TestStore): () => readonly string[] {
  let hashes: readonly string[] = [];
  beforeEach(async () => {
    const events: RecordedEvent[] = [];
    for (let n = 0; n < APPENDS; n++) {
      const expected = n === 0 ? ('no_stream' as const) : BigInt(n * PER_APPEND - 1);
      const three: NewEvent[] = Array.from({ length: PER_APPEND }, () => eventOfBytes(EVENT_BYTES));
      events.push(...(await store.current().append({ stream: STREAM, expected, events: three })).events);
    }
    hashes = events.map(hashOf);
  });
  return () => hashes;
}
