import { APPEND_LIMIT_BYTES, EVENT_LIMIT_BYTES } from '@counterfoil/contracts';
import type { StoredEvent } from '@counterfoil/contracts';
import { EventTooLargeError, InvalidEventError, StreamIntegrityError } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, eventOfBytes, rejectionOf, textEvent, textEvents } from './new-events.js';
import { sealedIn } from './sealed-events.js';

const STREAM = 'session-default/refused';
const good = sealedIn(STREAM, textEvents('good', 3));

/** The second of three events, changed after it was sealed. */
function changed(change: Partial<Record<keyof StoredEvent, unknown>>): StoredEvent[] {
  // The kit plays a caller whose types were circumvented.
  return good.map((event, n) => (n === 1 ? ({ ...event, ...change } as StoredEvent) : event));
}

const metadataOf = (n: number): StoredEvent['metadata'] => good[n]?.metadata ?? missing();
const missing = (): never => {
  throw new Error('the events of this test are gone');
};
const named = { ...metadataOf(1), schemaVersion: 7 };
const links = { ...metadataOf(1), integrity: { ...metadataOf(1).integrity, more: 1 } };

const FALSE: [string, StoredEvent[]][] = [
  ['data that was edited', changed({ data: textEvent('FAKE-edited').data })],
  ['metadata that was edited', changed({ metadata: { ...metadataOf(1), recordedAt: '2028-01-01T08:00:00.000Z' } })],
  ['another version', changed({ version: 2 })],
  ['another type', changed({ type: 'SessionClosed' })],
  ['another hash', changed({ metadata: { ...metadataOf(1), integrity: { ...metadataOf(1).integrity, hash: 'f'.repeat(64) } } })],
  ['data with no canonical form', changed({ data: { detail: 'a \ud800 b' } })],
  ['a link to none in the middle', [...good.slice(0, 1), ...sealedIn(STREAM, textEvents('other', 1), { from: 1n, prev: null })]],
  [
    'a link to another in the middle',
    [...good.slice(0, 1), ...sealedIn(STREAM, textEvents('other', 1), { from: 1n, prev: 'a'.repeat(64) })],
  ],
  ['a first event that names one before it', sealedIn(STREAM, textEvents('other', 1), { prev: 'a'.repeat(64) })],
];

const ODD: [string, StoredEvent[]][] = [
  ['no events', []],
  ['an event of another stream', [...good.slice(0, 1), ...sealedIn('session-default/elsewhere', textEvents('other', 1), { from: 1n })]],
  ['a gap', [...good.slice(0, 1), ...good.slice(2)]],
  ['an event twice', [...good.slice(0, 1), ...good.slice(0, 1)]],
  ['an id that is not a UUID', changed({ id: 'event-1' })],
  ['a type that is none', changed({ type: '$metadata' })],
  ['a version that is none', changed({ version: 'two' })],
  ['a revision that is negative', changed({ revision: -1n })],
  ['metadata with a name that stores keep for themselves', changed({ metadata: named })],
  ['a link with more in it', changed({ metadata: links })],
];

/** What can't be restored: the whole call is refused, and nothing of it is there afterwards. */
export function restoreRefusalTests(factory: EventStoreFactory): void {
  falseTests(factory);
  standingTests(factory);
}

function falseTests(factory: EventStoreFactory): void {
  describe('events are not restored', () => {
    const store = eachTest(factory);

    it.each(FALSE)('with %s: nothing of the call is', async (_what, events) => {
      const refusal = await rejectionOf(store.current().restore(STREAM, events));
      expect(refusal).toBeInstanceOf(StreamIntegrityError);
      expect(String(refusal)).not.toContain('FAKE');
      expect(await store.current().head()).toBe(0n);
    });

    it.each(ODD)('as events at all with %s', async (_what, events) => {
      expect(await rejectionOf(store.current().restore(STREAM, events))).toBeInstanceOf(InvalidEventError);
      expect(await store.current().head()).toBe(0n);
    });

    it('into a stream with an odd name', async () => {
      expect(await rejectionOf(store.current().restore('a\u0000b', good))).toBeInstanceOf(InvalidEventError);
    });

    it('over the limits of size', async () => {
      const heavy = sealedIn(STREAM, [eventOfBytes(EVENT_LIMIT_BYTES + 1000)]);
      const many = sealedIn(
        STREAM,
        Array.from({ length: 4 }, () => eventOfBytes(Math.floor(APPEND_LIMIT_BYTES / 4) + 1000)),
      );
      for (const events of [heavy, many]) {
        expect(await rejectionOf(store.current().restore(STREAM, events))).toBeInstanceOf(EventTooLargeError);
      }
      expect(await store.current().head()).toBe(0n);
    });
  });
}

function standingTests(factory: EventStoreFactory): void {
  describe('events are not restored where others stand', () => {
    const store = eachTest(factory);
    const another = sealedIn(
      STREAM,
      good.map(({ id, type, metadata: { integrity: _, ...metadata } }, n) => {
        return { id, type, version: 1, data: textEvent(`other ${String(n)}`).data, metadata };
      }),
    );

    it.each([
      ['of other ids', sealedIn(STREAM, textEvents('other', 3))],
      ['of the same ids with other content', another],
      ['of the same ids with other content, and more of them', another.slice(0, 2)],
    ])('%s', async (_what, standing) => {
      await store.current().restore(STREAM, standing);
      for (const events of [good, good.slice(0, 1), good.slice(1)]) {
        expect(await rejectionOf(store.current().restore(STREAM, events))).toBeInstanceOf(StreamIntegrityError);
      }
      // As another process, which knows nothing of the stream yet.
      expect(await rejectionOf((await store.another()).restore(STREAM, good))).toBeInstanceOf(StreamIntegrityError);
      expect((await collect(store.current().readStored(null))).map(({ metadata }) => metadata.integrity.hash)).toEqual(
        standing.map(({ metadata }) => metadata.integrity.hash),
      );
    });

    it('that they do not follow from', async () => {
      await store.current().restore(STREAM, sealedIn(STREAM, textEvents('other', 1)));
      expect(await rejectionOf(store.current().restore(STREAM, good.slice(1)))).toBeInstanceOf(StreamIntegrityError);
      expect(await rejectionOf((await store.another()).restore(STREAM, good.slice(1)))).toBeInstanceOf(StreamIntegrityError);
      expect(await collect(store.current().readStored(null))).toHaveLength(1);
    });

    it('and those beside them in other streams are', async () => {
      await store.current().restore(STREAM, sealedIn(STREAM, textEvents('other', 1)));
      const beside = sealedIn('session-default/beside', textEvents('beside', 2));
      const results = await Promise.allSettled([
        store.current().restore('session-default/beside', beside),
        store.current().restore(STREAM, good),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(await collect(store.current().readStored(null, { stream: 'session-default/beside' }))).toHaveLength(2);
    });
  });
}
