import { eventHash, uuidV5 } from '@counterfoil/canonical';
import type { StoredEvent } from '@counterfoil/contracts';
import { WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { EventStore } from '@counterfoil/event-store';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, rejectionOf, textEvent, textEvents, textOf } from './new-events.js';
import { take } from './subscribing.js';

const STREAM = 'session-default/two';

/** Appends so many events, at whatever revision the stream has by then. */
async function append(store: EventStore, name: string, count: number): Promise<void> {
  for (let n = 0; n < count;) {
    const head = await store.streamHead(STREAM);
    try {
      await store.append({ stream: STREAM, expected: head?.revision ?? 'no_stream', events: [textEvent(`${name} ${n}`)] });
      n++;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

async function isWhole(store: EventStore): Promise<boolean> {
  let prev: string | null = null;
  for (const event of await collect(store.readStored(null, { stream: STREAM }))) {
    if (event.metadata.integrity.prev !== prev || event.metadata.integrity.hash !== recomputed(event)) return false;
    prev = event.metadata.integrity.hash;
  }
  return true;
}

function recomputed({ stream, revision, id, type, version, data, metadata }: StoredEvent): string {
  return eventHash({ stream, revision: String(revision), id, type, version: Number(version), data, metadata });
}

/** Two stores over the same events, as two processes have them: what one knows may be old. */
export function twoStoreTests(factory: EventStoreFactory): void {
  describe('two stores over the same events', () => {
    const store = eachTest(factory);
    let other: EventStore;
    beforeEach(async () => {
      other = await store.another();
    });

    it('are one ledger', () => {
      expect(other.epoch).toBe(store.current().epoch);
    });

    it('may race on one stream: each event once, and the chain is whole', async () => {
      await Promise.all([append(store.current(), 'a', 15), append(other, 'b', 15), append(store.current(), 'c', 5)]);
      const texts = (await collect(other.readStream(STREAM))).map(textOf);
      expect(texts).toHaveLength(35);
      expect(new Set(texts).size).toBe(35);
      expect(await isWhole(store.current())).toBe(true);
    });

    it('refuse what was decided on an old state, and link to what stands', async () => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('a', 2) });
      await other.append({ stream: STREAM, expected: 1n, events: textEvents('b', 2) });
      const refusal = await rejectionOf(store.current().append({ stream: STREAM, expected: 1n, events: textEvents('c', 1) }));
      expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refusal).toMatchObject({ actual: 3n });
      await store.current().append({ stream: STREAM, expected: 3n, events: textEvents('c', 1) });
      expect(await isWhole(other)).toBe(true);
    });

    it.each([1, 3])('know an append of %d events that the other made, though the bytes are not the same', async (count) => {
      // Only ids that are derived from something can be drawn by two processes: those of imports.
      const events = textEvents('first', count).map((event) => ({ ...event, id: uuidV5(event.id, 'derived') }));
      const answer = await other.append({ stream: STREAM, expected: 'no_stream', events });
      const changed = events.map((event) => ({ ...event, data: textEvent('changed').data }));
      expect(await store.current().append({ stream: STREAM, expected: 'no_stream', events: changed })).toMatchObject({
        revision: answer.revision,
        position: answer.position,
        events: answer.events,
      });
      // What is linked to is what stands, not what was sent.
      await store.current().append({ stream: STREAM, expected: answer.revision, events: textEvents('next', 1) });
      expect(await isWhole(store.current())).toBe(true);
      expect((await collect(other.readStream(STREAM))).map(textOf)).toEqual([...events.map(textOf), 'next 0']);
    });

    it('hear of each other', async () => {
      const taking = take(other, { after: null, batchSize: 16 }, (events) => events.length >= 10);
      await append(store.current(), 'heard', 10);
      expect((await taking).map(textOf)).toEqual(Array.from({ length: 10 }, (_, n) => `heard ${n}`));
      expect(await other.head()).toBe(await store.current().head());
    });
  });
}
