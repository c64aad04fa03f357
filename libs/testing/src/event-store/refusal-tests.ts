import { APPEND_LIMIT_BYTES, EVENT_LIMIT_BYTES } from '@counterfoil/contracts';
import type { NewEvent } from '@counterfoil/contracts';
import { EventTooLargeError, InvalidEventError } from '@counterfoil/event-store';
import { toolCallRejected } from '../given/index.js';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, eventOfBytes, METADATA, newEvent, rejectionOf, storedBytes, textEvent, textOf } from './new-events.js';

const STREAM = 'session-default/refusals';
const good = textEvent('good');

function faulty(change: Partial<Record<keyof NewEvent, unknown>>): NewEvent {
  // The kit plays a caller whose types were circumvented.
  return { ...textEvent('faulty'), ...change } as NewEvent;
}

const FAULTS: [string, NewEvent][] = [
  ['an unknown type', faulty({ type: 'SomethingElse' })],
  ['a type that only upcasting gives', faulty({ type: 'ToolCallObserved' })],
  ['a type named as a member of every object', faulty({ type: 'constructor' })],
  ['another than the current version', faulty({ version: 2 })],
  ['data that its schema refuses', faulty({ data: { ...toolCallRejected().data, code: 7 } })],
  ['data with a field that its schema does not know', faulty({ data: { ...toolCallRejected().data, surplus: 1 } })],
  ['data with a field named __proto__', faulty({ data: { ...toolCallRejected().data, ['__proto__']: 'x' } })],
  ['data with a lone surrogate', textEvent('a \ud800 b')],
  ['data that is not there', faulty({ data: undefined })],
  ['metadata that its schema refuses', textEvent('a', { recordedAt: 'yesterday' })],
  ['metadata with a field that its schema does not know', faulty({ metadata: { ...METADATA, surplus: 1 } })],
  ['metadata with a lone surrogate', textEvent('a', { actor: { principal: '\udc00', keyId: 'k' } })],
  ['an id that is not a UUID', faulty({ id: 'event-1' })],
  ['the id of another event of the append', faulty({ id: good.id })],
];

/** Events that are a fault of ours, and the limits of size: the whole append is refused. */
export function refusalTests(factory: EventStoreFactory): void {
  faultTests(factory);
  limitTests(factory);
  snapshotTests(factory);
}

function faultTests(factory: EventStoreFactory): void {
  describe('an append is refused as a whole', () => {
    const store = eachTest(factory);

    it.each(FAULTS)('for %s', async (_what, event) => {
      const append = store.current().append({ stream: STREAM, expected: 'no_stream', events: [good, event] });
      expect(await rejectionOf(append)).toBeInstanceOf(InvalidEventError);
      expect(await store.current().head()).toBe(0n);
    });

    it('for no events, an odd stream name or a negative revision', async () => {
      const requests = [
        { stream: STREAM, expected: 'no_stream' as const, events: [] },
        { stream: '', expected: 'no_stream' as const, events: [good] },
        { stream: 'a\u0000b', expected: 'no_stream' as const, events: [good] },
        { stream: STREAM, expected: -1n, events: [good] },
      ];
      for (const request of requests) expect(await rejectionOf(store.current().append(request))).toBeInstanceOf(InvalidEventError);
      expect(await store.current().head()).toBe(0n);
    });

    it('without quoting the data in the error', async () => {
      const append = store
        .current()
        .append({ stream: STREAM, expected: 'no_stream', events: [faulty({ data: { code: 'FAKE-secret-1' } })] });
      expect(String(await rejectionOf(append))).not.toContain('FAKE');
    });
  });
}

function limitTests(factory: EventStoreFactory): void {
  describe('limits of size', () => {
    const store = eachTest(factory);

    it('takes an event of exactly the limit, and gives it back whole', async () => {
      const event = eventOfBytes(EVENT_LIMIT_BYTES);
      expect(storedBytes(event)).toBe(EVENT_LIMIT_BYTES);
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: [event] });
      const read = await collect(store.current().readStream(STREAM));
      expect(read.map(textOf)).toEqual([textOf(event)]);
    });

    it('counts bytes of UTF-8, and of escapes', async () => {
      const room = EVENT_LIMIT_BYTES - storedBytes(textEvent(''));
      const emoji = textEvent('🧾'.repeat(Math.floor(room / 4)));
      const escapes = textEvent('\u0000'.repeat(Math.floor(room / 6)));
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: [emoji, escapes] });
      expect((await collect(store.current().readStream(STREAM))).map(textOf)).toEqual([textOf(emoji), textOf(escapes)]);
      const over = textEvent(`${textOf(emoji)}🧾`);
      expect(await rejectionOf(store.current().append({ stream: STREAM, expected: 1n, events: [over] }))).toBeInstanceOf(
        EventTooLargeError,
      );
    });

    it('refuses an event of one byte more', async () => {
      const events = [good, eventOfBytes(EVENT_LIMIT_BYTES + 1)];
      const refusal = await rejectionOf(store.current().append({ stream: STREAM, expected: 'no_stream', events }));
      expect(refusal).toBeInstanceOf(EventTooLargeError);
      expect(await store.current().head()).toBe(0n);
    });

    it('takes an append of exactly the limit and refuses one more event', async () => {
      const three = (): NewEvent[] => Array.from({ length: 3 }, () => eventOfBytes(APPEND_LIMIT_BYTES / 3));
      const over = await rejectionOf(store.current().append({ stream: STREAM, expected: 'no_stream', events: [...three(), good] }));
      expect(over).toBeInstanceOf(EventTooLargeError);
      const result = await store.current().append({ stream: STREAM, expected: 'no_stream', events: three() });
      expect(result.revision).toBe(2n);
    });
  });
}

function snapshotTests(factory: EventStoreFactory): void {
  describe('what a caller holds', () => {
    const store = eachTest(factory);

    it('changes nothing any more once append was called', async () => {
      const event = newEvent(toolCallRejected({ detail: 'as called' }));
      const events = [event];
      const appending = store.current().append({ stream: STREAM, expected: 'no_stream', events });
      Object.assign(event.data as object, { detail: 'changed' });
      Object.assign(event.metadata.actor, { principal: 'agent:changed' });
      events.push(textEvent('added'));
      const result = await appending;
      Object.assign(result.events[0]?.data as object, { detail: 'changed in the answer' });
      const read = await collect(store.current().readStream(STREAM));
      expect(read.map(textOf)).toEqual(['as called']);
      expect(read[0]?.metadata.actor.principal).toBe('agent:tester');
    });
  });
}
