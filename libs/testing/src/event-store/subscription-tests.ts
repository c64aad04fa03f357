import { StoreUnavailableError } from '@counterfoil/event-store';
import type { EventBatch, EventStore } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, rejectionOf, textEvent, textEvents, textOf } from './new-events.js';

/** Takes batches until so many events came, or a test of the batch says so, then aborts. */
async function take(store: EventStore, after: bigint | null, until: (all: readonly EventBatch[]) => boolean): Promise<EventBatch[]> {
  const abort = new AbortController();
  const batches: EventBatch[] = [];
  for await (const batch of store.subscribeAll({ after, batchSize: 16, signal: abort.signal })) {
    batches.push(batch);
    if (until(batches)) abort.abort();
  }
  return batches;
}

const textsOf = (batches: readonly EventBatch[]): string[] => batches.flatMap((batch) => batch.events.map(textOf));
const atLeast = (count: number) => (batches: readonly EventBatch[]) => textsOf(batches).length >= count;
const caughtUp = (batches: readonly EventBatch[]): boolean => batches.at(-1)?.caughtUp === true;

async function write(store: EventStore, stream: string, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, index) => `${stream} ${index}`);
  for (const [index, text] of texts.entries()) {
    await store.append({ stream, expected: index === 0 ? 'no_stream' : BigInt(index - 1), events: [textEvent(text)] });
  }
  return texts;
}

/** What a projection engine lives from: no event lost, none twice, from the beginning over the present into the future. */
export function subscriptionTests(factory: EventStoreFactory): void {
  deliveryTests(factory);
  endTests(factory);
  listenerTests(factory);
  closeTests(factory);
}

function deliveryTests(factory: EventStoreFactory): void {
  describe('a subscription', () => {
    const store = eachTest(factory);

    it('says that it has caught up on an empty store', async () => {
      const batches = await take(store.current(), null, caughtUp);
      expect(batches).toEqual([{ events: [], unreadable: [], position: 0n, caughtUp: true }]);
    });

    it('says so once, and then waits', async () => {
      const taking = take(store.current(), null, atLeast(1));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      await store.current().append({ stream: 's', expected: 'no_stream', events: textEvents('e', 1) });
      expect((await taking).map((batch) => batch.events.length)).toEqual([0, 1]);
    });

    it('says that it has caught up when it begins at the head', async () => {
      const { position } = await store.current().append({ stream: 's', expected: 'no_stream', events: textEvents('e', 3) });
      expect(await take(store.current(), position, caughtUp)).toEqual([{ events: [], unreadable: [], position, caughtUp: true }]);
    });

    it('hands over from past to present: none lost, none twice, in order, while writers run', async () => {
      const past = await write(store.current(), 'past', 40);
      const taking = take(store.current(), null, atLeast(40 + 6 * 20));
      const present = await Promise.all(Array.from({ length: 6 }, (_, index) => write(store.current(), `present-${index}`, 20)));
      const batches = await taking;
      expect(textsOf(batches).sort()).toEqual([...past, ...present.flat()].sort());
      const positions = batches.flatMap((batch) => batch.events.map((event) => event.position));
      expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? position))).toBe(true);
      const stored = await collect(store.current().readStored(null));
      expect(textsOf(batches)).toEqual(stored.map(textOf));
    });

    it('goes on after the position of any of its batches', async () => {
      await write(store.current(), 'resumed', 50);
      const batches = await take(store.current(), null, atLeast(50));
      expect(batches.length).toBeGreaterThan(3);
      for (const [index, batch] of batches.slice(0, -1).entries()) {
        const rest = await take(store.current(), batch.position, atLeast(textsOf(batches.slice(index + 1)).length));
        expect(textsOf(rest)).toEqual(textsOf(batches.slice(index + 1)));
      }
    });

    it('several at once each get everything', async () => {
      const taking = [null, null, null].map((after) => take(store.current(), after, atLeast(10)));
      const texts = await write(store.current(), 'shared', 10);
      for (const batches of await Promise.all(taking)) expect(textsOf(batches)).toEqual(texts);
    });
  });
}

function endTests(factory: EventStoreFactory): void {
  describe('the end of a subscription', () => {
    const store = eachTest(factory);

    it('comes when its signal aborts: at once if it had before, while it waits, and before the next batch', async () => {
      expect(await collect(store.current().subscribeAll({ after: null, signal: AbortSignal.abort() }))).toEqual([]);
      const idle = new AbortController();
      const batches = collect(store.current().subscribeAll({ after: null, signal: idle.signal }));
      setImmediate(() => idle.abort());
      expect(textsOf(await batches)).toEqual([]);
      await write(store.current(), 'aborted', 20);
      expect(textsOf(await take(store.current(), null, () => true))).toHaveLength(16);
    });

    it('is an error when the store is closed, never in silence', async () => {
      const waiting = rejectionOf(collect(store.current().subscribeAll({ after: null, signal: new AbortController().signal })));
      await store.current().head();
      await store.current().close();
      expect(await waiting).toBeInstanceOf(StoreUnavailableError);
    });
  });
}

function listenerTests(factory: EventStoreFactory): void {
  describe('a listener', () => {
    const store = eachTest(factory);

    it('hears of commits until it unsubscribes, and one that throws disturbs nobody', async () => {
      const heard: bigint[] = [];
      const quiet = store.current().onAppended(() => {
        throw new Error('a listener that throws');
      });
      const unsubscribe = store.current().onAppended((position) => heard.push(position));
      const first = await store.current().append({ stream: 's', expected: 'no_stream', events: textEvents('e', 2) });
      expect(heard.at(-1)).toBe(first.position);
      unsubscribe();
      quiet();
      await store.current().append({ stream: 's', expected: 1n, events: textEvents('f', 1) });
      expect(heard.at(-1)).toBe(first.position);
    });
  });
}

function closeTests(factory: EventStoreFactory): void {
  describe('a closed store', () => {
    const store = eachTest(factory);

    it('has stored what was appended before, and takes nothing after', async () => {
      const current = (): EventStore => store.current();
      const before = Array.from({ length: 20 }, (_, index) =>
        current().append({ stream: `closed-${index}`, expected: 'no_stream', events: [textEvent(`${index}`)] }),
      );
      const closing = current().close();
      const after = current().append({ stream: 'late', expected: 'no_stream', events: [textEvent('late')] });
      expect(await rejectionOf(after)).toBeInstanceOf(StoreUnavailableError);
      await closing;
      await current().close();
      expect(await Promise.all(before)).toHaveLength(20);
      expect(await rejectionOf(current().head())).toBeInstanceOf(StoreUnavailableError);
      const reopened = await store.reopen();
      expect(await collect(reopened.readStored(null))).toHaveLength(20);
    });
  });
}
