import { WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { AppendRequest } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, rejectionOf, textEvent, textEvents, textOf } from './new-events.js';

const STREAM = 'session-default/retry';

/** The same append sent again: recognised by its event ids at its place, as EventStoreDB does. */
export function retryTests(factory: EventStoreFactory): void {
  describe('a repeated append', () => {
    const store = eachTest(factory);
    const first: AppendRequest = { stream: STREAM, expected: 'no_stream', events: textEvents('first', 2) };
    const second: AppendRequest = { stream: STREAM, expected: 1n, events: textEvents('second', 2) };

    it.each([
      ['at no stream', first, 1n],
      ['at a revision', second, 3n],
    ])('%s answers as the first did and adds nothing', async (_what, request, revision) => {
      const answers = [await store.current().append(first), await store.current().append(second)];
      await store.current().append({ stream: STREAM, expected: 3n, events: [textEvent('third')] });
      const head = await store.current().head();
      const again = await store.current().append(request);
      expect(again).toEqual({ ...answers.find((answer) => answer.revision === revision), repeated: true });
      expect(await store.current().head()).toBe(head);
      expect(await collect(store.current().readStream(STREAM))).toHaveLength(5);
    });

    it('is recognised after a restart', async () => {
      const answer = await store.current().append(first);
      const reopened = await store.reopen();
      expect(await reopened.append(first)).toEqual({ ...answer, repeated: true });
    });

    it('is recognised when both come at once', async () => {
      const answers = await Promise.all([store.current().append(first), store.current().append(first)]);
      expect(answers.map((answer) => answer.repeated)).toEqual([false, true]);
      expect(answers[1]).toEqual({ ...answers[0], repeated: true });
      expect(await collect(store.current().readStream(STREAM))).toHaveLength(2);
    });

    it('is recognised by its ids alone: what is stored stands', async () => {
      await store.current().append(first);
      const changed = first.events.map((event) => ({ ...event, data: textEvent('changed').data }));
      const again = await store.current().append({ ...first, events: changed });
      expect(again.repeated).toBe(true);
      expect(again.events.map(textOf)).toEqual(['first 0', 'first 1']);
    });

    it.each<[string, AppendRequest]>([
      ['more events than were stored', { ...second, events: [...second.events, ...textEvents('more', 1)] }],
      ['one event exchanged', { ...second, events: [...second.events.slice(0, 1), ...textEvents('other', 1)] }],
      ['the events in another order', { ...second, events: second.events.toReversed() }],
      ['another expected revision', { ...second, expected: 0n }],
      ['a later expected revision', { ...second, expected: 9n }],
      ['no stream expected', { ...second, expected: 'no_stream' }],
    ])('with %s is a conflict', async (_what, request) => {
      await store.current().append(first);
      await store.current().append(second);
      const head = await store.current().head();
      const refusal = await rejectionOf(store.current().append(request));
      expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refusal).toMatchObject({ actual: 3n });
      expect(await store.current().head()).toBe(head);
    });
  });
}
