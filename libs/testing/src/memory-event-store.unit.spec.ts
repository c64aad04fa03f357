import { MemoryEventStore } from './memory-event-store.js';
import { TallyFeed } from './projections/tally-feed.js';

const metadata = {
  recordedAt: '2027-01-01T00:00:00.000Z',
  occurredAt: null,
  actor: { principal: 'agent:tester', keyId: 'key1' },
  correlationId: null,
  causationId: null,
  traceparent: null,
};
const event = (id: string) => ({ id, type: 'Tested', version: 1, data: {}, metadata });

describe('the event store in memory', () => {
  it('answers a repeated append as the first one, and adds nothing', async () => {
    const store = new MemoryEventStore();
    const request = { stream: 's', expected: 'no_stream', events: [event('a'), event('b')] } as const;
    const first = await store.append(request);
    await store.append({ stream: 's', expected: 1n, events: [event('c')] });
    expect(await store.append(request)).toEqual({ ...first, repeated: true });
    expect(await store.head()).toBe(3n);
  });

  it('refuses an append at another revision, or with other ids at the same one', async () => {
    const store = new MemoryEventStore();
    await store.append({ stream: 's', expected: 'no_stream', events: [event('a')] });
    for (const expected of ['no_stream', 1n] as const) {
      await expect(store.append({ stream: 's', expected, events: [event('x')] })).rejects.toMatchObject({
        code: 'wrong_expected_revision',
        actual: 0n,
      });
    }
    await expect(store.append({ stream: 'new', expected: 0n, events: [event('x')] })).rejects.toMatchObject({ actual: null });
  });

  it('delivers every event once over batches, gaps and waits, and ends with the signal', async () => {
    const store = new MemoryEventStore({ step: (last) => (last % 2n) + 2n });
    const feed = new TallyFeed(store);
    await feed.fill(25, 2);
    const end = new AbortController();
    const seen: bigint[] = [];
    const reading = (async () => {
      for await (const batch of store.subscribeAll({ after: null, batchSize: 4, signal: end.signal })) {
        seen.push(...batch.events.map(({ position }) => position));
        if (batch.caughtUp && seen.length > 40) end.abort();
      }
    })();
    await feed.fill(20, 2);
    await reading;
    const stored: bigint[] = [];
    for await (const { position } of store.readStored(null)) stored.push(position);
    expect(seen).toEqual(stored);
    expect(store.listenerCount).toBe(0);
  });
});
