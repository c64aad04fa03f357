import { WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, rejectionOf, textEvent, textEvents, textOf } from './new-events.js';

const STREAM = 'session-default/conflict';

/** Appends at the right and at the wrong revision. */
export function conflictTests(factory: EventStoreFactory): void {
  describe('append', () => {
    const store = eachTest(factory);

    it('answers with the place and the events as they can be read', async () => {
      const events = textEvents('first', 3);
      const result = await store.current().append({ stream: STREAM, expected: 'no_stream', events });
      expect(result.revision).toBe(2n);
      expect(result.repeated).toBe(false);
      expect(result.position).toBe(await store.current().head());
      expect(result.events).toEqual(await collect(store.current().readStream(STREAM)));
      expect(result.events.map((event) => event.id)).toEqual(events.map((event) => event.id));
      expect(result.events.map((event) => event.revision)).toEqual([0n, 1n, 2n]);
    });

    it('goes on from the revision that it names', async () => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('first', 2) });
      const result = await store.current().append({ stream: STREAM, expected: 1n, events: textEvents('second', 2) });
      expect(result.revision).toBe(3n);
      expect((await collect(store.current().readStream(STREAM))).map(textOf)).toEqual(['first 0', 'first 1', 'second 0', 'second 1']);
    });

    it.each([
      ['no stream, and there is one', 'no_stream' as const],
      ['an earlier revision', 0n],
      ['a later revision', 5n],
    ])('is refused as a whole when it expects %s', async (_what, expected) => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('first', 2) });
      const head = await store.current().head();
      const refusal = await rejectionOf(store.current().append({ stream: STREAM, expected, events: textEvents('other', 2) }));
      expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refusal).toMatchObject({ code: 'wrong_expected_revision', stream: STREAM, actual: 1n });
      expect(await store.current().head()).toBe(head);
      expect((await collect(store.current().readStream(STREAM))).map(textOf)).toEqual(['first 0', 'first 1']);
    });

    it('is refused when it expects a revision of a stream that does not exist', async () => {
      const refusal = await rejectionOf(store.current().append({ stream: STREAM, expected: 0n, events: [textEvent('a')] }));
      expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refusal).toMatchObject({ actual: null });
      expect(await store.current().streamHead(STREAM)).toBeNull();
    });

    it('does not disturb other appends of the same moment', async () => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: [textEvent('first')] });
      const results = await Promise.allSettled([
        store.current().append({ stream: 'session-default/a', expected: 'no_stream', events: [textEvent('a')] }),
        store.current().append({ stream: STREAM, expected: 'no_stream', events: [textEvent('refused')] }),
        store.current().append({ stream: 'session-default/b', expected: 'no_stream', events: [textEvent('b')] }),
      ]);
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await collect(store.current().readStream('session-default/b'))).map(textOf)).toEqual(['b']);
    });
  });
}
