import type { NewEvent } from '@counterfoil/contracts';
import { WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { AppendResult, EventStore } from '@counterfoil/event-store';
import type { EventStoreFactory, EventStoreTraits } from './harness.js';
import { eachTest } from './harness.js';
import { collect, textEvent, textOf } from './new-events.js';

/** Appends at whatever the stream's revision is by then, as a command handler does. */
async function appendAnyhow(store: EventStore, stream: string, event: NewEvent): Promise<AppendResult> {
  for (;;) {
    const head = await store.streamHead(stream);
    try {
      return await store.append({ stream, expected: head?.revision ?? 'no_stream', events: [event] });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

async function writer(store: EventStore, stream: string, name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await appendAnyhow(store, stream, textEvent(`${name} ${index}`));
}

const numbered = (names: readonly string[], count: number): string[] =>
  names.flatMap((name) => Array.from({ length: count }, (_, index) => `${name} ${index}`)).sort();

/** Many writers at once. */
export function concurrencyTests(factory: EventStoreFactory, traits: EventStoreTraits): void {
  describe('writers at once', () => {
    const store = eachTest(factory);

    it('on one stream: every event once, each writer in its order, no revision left out', async () => {
      const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
      await Promise.all(names.map((name) => writer(store.current(), 'session-default/one', name, 8)));
      const events = await collect(store.current().readStream('session-default/one'));
      expect(events.map((event) => event.revision)).toEqual(events.map((_, index) => BigInt(index)));
      expect(events.map(textOf).sort()).toEqual(numbered(names, 8));
      for (const name of names) {
        const own = events.map(textOf).filter((text) => text.startsWith(`${name} `));
        expect(own).toEqual(numbered([name], 8));
      }
    });

    it('on one revision: exactly one gets it', async () => {
      const appends = Array.from({ length: 16 }, (_, index) =>
        store.current().append({ stream: 'session-default/race', expected: 'no_stream', events: [textEvent(`${index}`)] }),
      );
      const results = await Promise.allSettled(appends);
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect(await collect(store.current().readStream('session-default/race'))).toHaveLength(1);
    });

    it('on many streams: none disturbs another, and positions follow the commits', async () => {
      const streams = Array.from({ length: 32 }, (_, index) => `session-default/many-${index}`);
      await Promise.all(streams.map((stream) => writer(store.current(), stream, 'e', 6)));
      for (const stream of streams) {
        expect((await collect(store.current().readStream(stream))).map(textOf)).toEqual(numbered(['e'], 6));
      }
      const positions = (await collect(store.current().readStored(null))).map((event) => event.position);
      expect(new Set(positions).size).toBe(32 * 6);
      if (traits.densePositions !== false) expect(positions).toEqual(positions.map((_, index) => BigInt(index + 1)));
    });
  });
}
