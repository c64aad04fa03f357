import { WrongExpectedRevisionError } from '@counterfoil/event-store';
import { APPEND_LIMIT_BYTES } from '@counterfoil/contracts';
import type { StoredEvent } from '@counterfoil/contracts';
import type { EventStoreFactory, EventStoreTraits, KitStore } from './harness.js';
import { eachTest } from './harness.js';
import { collect, eventOfBytes, newEvent, rejectionOf, storedBytes, textEvent, textEvents, textOf } from './new-events.js';
import { historical } from './odd-text-tests.js';
import { placeless, sealedIn } from './sealed-events.js';

const STREAM = 'session-default/moved';

async function storedIn(store: KitStore, stream = STREAM): Promise<Omit<StoredEvent, 'position'>[]> {
  return (await collect(store.readStored(null, { stream }))).map(placeless);
}

/** Sealed events put into a store as they stand: how a ledger moves. */
export function restoreTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  placeTests(factory);
  contentTests(factory);
  raceTests(factory, traits);
}

function placeTests(factory: EventStoreFactory): void {
  describe('restored events', () => {
    const store = eachTest(factory);

    it('come back as they stood, with ids, times, links and hashes, at positions of this store', async () => {
      const events = sealedIn(STREAM, textEvents('moved', 5));
      expect(await store.current().restore(STREAM, events.slice(0, 2))).toEqual({ added: 2 });
      expect(await store.current().restore(STREAM, events.slice(2))).toEqual({ added: 3 });
      expect(await storedIn(store.current())).toEqual(events.map(placeless));
      expect(await storedIn(await store.reopen())).toEqual(events.map(placeless));
      const head = await store.current().streamHead(STREAM);
      expect(head).toEqual({ revision: 4n, hash: events[4]?.metadata.integrity.hash, position: await store.current().head() });
    });

    it('are read as others are, and an append follows them in the chain', async () => {
      const events = sealedIn(STREAM, textEvents('moved', 2));
      await store.current().restore(STREAM, events);
      await store.current().append({ stream: STREAM, expected: 1n, events: [textEvent('next')] });
      expect((await collect(store.current().readStream(STREAM))).map(textOf)).toEqual(['moved 0', 'moved 1', 'next']);
      const last = (await storedIn(store.current())).at(-1);
      expect(last?.metadata.integrity.prev).toBe(events[1]?.metadata.integrity.hash);
    });

    it('follow events that were appended here', async () => {
      const { revision } = await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('own', 2) });
      const own = await storedIn(store.current());
      const prev = own.at(-1)?.metadata.integrity.hash ?? null;
      const events = sealedIn(STREAM, textEvents('moved', 2), { from: revision + 1n, prev });
      expect(await store.current().restore(STREAM, events)).toEqual({ added: 2 });
      expect(await storedIn(await store.reopen())).toEqual([...own, ...events.map(placeless)]);
    });

    it('are added once, however often and in whatever pieces they are sent', async () => {
      const events = sealedIn(STREAM, textEvents('moved', 6));
      await store.current().restore(STREAM, events.slice(0, 3));
      for (const piece of [events.slice(0, 3), events.slice(1, 2), events.slice(2, 3)]) {
        expect(await store.current().restore(STREAM, piece)).toEqual({ added: 0 });
      }
      expect(await store.current().restore(STREAM, events.slice(1, 5))).toEqual({ added: 2 });
      const reopened = await store.reopen();
      expect(await reopened.restore(STREAM, events)).toEqual({ added: 1 });
      expect(await reopened.restore(STREAM, events)).toEqual({ added: 0 });
      expect(await storedIn(reopened)).toEqual(events.map(placeless));
    });

    it('are refused where events before them are missing', async () => {
      const events = sealedIn(STREAM, textEvents('moved', 4));
      const early = await rejectionOf(store.current().restore(STREAM, events.slice(1)));
      expect(early).toBeInstanceOf(WrongExpectedRevisionError);
      expect(early).toMatchObject({ actual: null });
      await store.current().restore(STREAM, events.slice(0, 2));
      expect(await rejectionOf(store.current().restore(STREAM, events.slice(3)))).toMatchObject({ actual: 1n });
      expect(await storedIn(store.current())).toEqual(events.slice(0, 2).map(placeless));
    });

    it('wake subscriptions and listeners as appends do', async () => {
      const heard = new Promise<bigint>((resolve) => store.current().onAppended(resolve));
      await store.current().restore(STREAM, sealedIn(STREAM, textEvents('moved', 2)));
      expect(await heard).toBe(await store.current().head());
    });
  });
}

function contentTests(factory: EventStoreFactory): void {
  describe('restored content', () => {
    const store = eachTest(factory);

    it.each([null, '', '0', 0, '1'])('keeps the version that an old store wrote: %j', async (version) => {
      const events = sealedIn(STREAM, textEvents('old', 2), { version });
      await store.current().restore(STREAM, events);
      const reopened = await store.reopen();
      expect(await storedIn(reopened)).toEqual(events.map(placeless));
      expect((await collect(reopened.readStream(STREAM))).map(textOf)).toEqual(['old 0', 'old 1']);
    });

    it('keeps what the schema of today would refuse, and a type that is unknown today', async () => {
      const former = { ...textEvent('former'), data: { former: 'shape', detail: 7 } };
      const unknown = { ...textEvent('unknown'), type: 'FormerlyKnown', version: 3 };
      const events = sealedIn(STREAM, [former, unknown]);
      await store.current().restore(STREAM, events);
      expect(await storedIn(await store.reopen())).toEqual(events.map(placeless));
    });

    it('keeps odd text and odd keys', async () => {
      const keys = JSON.parse('{"2":"b","10":"a","__proto__":"x","constructor":null,"":"empty"}') as Record<string, string | null>;
      const events = sealedIn(STREAM, [newEvent(historical(keys)), textEvent('\u0000 \u2028 🧾 "quotes" \\u0000')]);
      await store.current().restore(STREAM, events);
      const found = await storedIn(await store.reopen());
      expect(found.map((event) => event.metadata.integrity.hash)).toEqual(events.map((event) => event.metadata.integrity.hash));
      expect(Object.entries((found[0]?.data as { coordinates: object }).coordinates).sort()).toEqual(Object.entries(keys).sort());
      expect(found[1]?.data).toEqual(events[1]?.data);
      expect(await store.current().restore(STREAM, events)).toEqual({ added: 0 });
    });

    it('may be as much as an append holds', async () => {
      const third = Math.floor(APPEND_LIMIT_BYTES / 3);
      const big = Array.from({ length: 3 }, () => eventOfBytes(third));
      await store.current().restore(STREAM, sealedIn(STREAM, big));
      const one = storedBytes(textEvent('small'));
      const small = Array.from({ length: Math.floor(APPEND_LIMIT_BYTES / one) - 1 }, () => textEvent('small'));
      await store.current().restore('many', sealedIn('many', small));
      expect(await storedIn(store.current())).toHaveLength(3);
      expect(await storedIn(store.current(), 'many')).toHaveLength(small.length);
    });

    it('is what it was when it was handed over', async () => {
      const events = sealedIn(STREAM, textEvents('as given', 1));
      const restoring = store.current().restore(STREAM, events);
      const [event] = events;
      (event?.data as { detail: string }).detail = 'changed';
      (event?.metadata as { correlationId: string | null }).correlationId = 'changed';
      await restoring;
      expect((await storedIn(store.current())).map(textOf)).toEqual(['as given 0']);
      expect((await storedIn(store.current()))[0]?.metadata.correlationId).toBe('request-1');
    });
  });
}

function raceTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  describe('events that are restored twice at once', () => {
    const store = eachTest(factory);

    it('by two stores, in other pieces: each event once', async () => {
      const other = await store.another();
      const events = sealedIn(STREAM, textEvents('moved', 12));
      const inPieces = async (to: KitStore, size: number): Promise<number> => {
        let added = 0;
        for (let at = 0; at < events.length; at += size) added += (await to.restore(STREAM, events.slice(at, at + size))).added;
        return added;
      };
      const added = await Promise.all([inPieces(store.current(), 2), inPieces(other, 3)]);
      const sum = added[0] + added[1];
      if (traits.tellsWhoRestored === false) expect(sum).toBeGreaterThanOrEqual(events.length);
      else expect(sum).toBe(events.length);
      expect(await storedIn(store.current())).toEqual(events.map(placeless));
    });

    it('in many streams at once, each in its order', async () => {
      const streams = Array.from({ length: 20 }, (_, n) => `session-default/s${String(n)}`);
      const events = new Map(streams.map((stream) => [stream, sealedIn(stream, textEvents(stream, 6))]));
      const restored = streams.flatMap((stream) => {
        const all = events.get(stream) ?? [];
        return [store.current().restore(stream, all.slice(0, 2)), store.current().restore(stream, all.slice(2))];
      });
      await Promise.all(restored);
      for (const stream of streams) expect(await storedIn(store.current(), stream)).toEqual(events.get(stream)?.map(placeless));
    });
  });
}
