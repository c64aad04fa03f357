import {
  MemoryEventStore,
  projectionFixture,
  start,
  TallyFeed,
  tallySet,
  type ProjectionFixture,
  type Running,
} from '@counterfoil/testing';
import type { DocumentStore } from '@counterfoil/read-models';
import { compareSets, ProjectionEngine, rebuild, type Applied, type EngineOptions } from './index.js';

const set = tallySet();

describe('projection engine', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let running: Running[] = [];

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = new MemoryEventStore();
    feed = new TallyFeed(events);
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((run) => run.stop().catch(() => undefined)));
    await fixture.dispose();
  });

  const engineOf = (options: Partial<EngineOptions> = {}) =>
    new ProjectionEngine({ events, docs, set, batchSize: 20, leaseMs: 400, ...options });

  function started(options: Partial<EngineOptions> = {}): ProjectionEngine {
    const engine = engineOf(options);
    running.push(start(engine));
    return engine;
  }

  it('projects what is there and what is appended later, and a client reads its own write', async () => {
    await feed.fill(100, 4);
    const engine = started();
    await engine.waitFor(await events.head(), 5000);
    const position = await feed.append('session-w1/s0', 5, 6);
    await engine.waitFor(position, 5000);
    const streams = await engine.readModels.collection<{ count: number }>('streams');
    expect((await streams.get('session-w1/s0'))?.doc).toMatchObject({ count: 28, position: position.toString() });
    expect(await engine.status()).toMatchObject({
      state: 'running',
      generation: 1,
      position,
      head: position,
      lagPositions: 0n,
      parked: [],
    });
  });

  it('equals a rebuild from zero, byte by byte', async () => {
    const engine = started();
    for (let round = 0; round < 5; round++) await engine.waitFor(await feed.fill(40, 3), 5000);
    const result = await rebuild({ events, docs, set, batchSize: 7 });
    const comparison = await compareSets(docs, set, result.replaced, result.generation);
    expect(comparison).toMatchObject({ isEqual: true, newer: 0 });
    expect(comparison.compared).toBeGreaterThan(15);
  });

  it('loses and doubles nothing at the boundary between what was there and what comes', async () => {
    let appending = Promise.resolve(0n);
    const engine = engineOf({ batchSize: 10 });
    await feed.fill(50, 2);
    engine.listen(({ position }) => {
      // Appended while the last batches of the past are under way.
      if (position >= 30n && position < 80n) appending = appending.then(() => feed.append('session-w1/s1', 3));
    });
    running.push(start(engine));
    await engine.waitFor(80n, 5000);
    await appending;
    await engine.waitFor(await events.head(), 5000);
    const { replaced, generation } = await rebuild({ events, docs, set });
    expect(await compareSets(docs, set, replaced, generation)).toMatchObject({ isEqual: true });
  });

  it('goes on from its checkpoint after a restart, and tells listeners only of what is new', async () => {
    const first = started();
    await first.waitFor(await feed.fill(60, 3), 5000);
    await running.pop()?.stop();
    const applied: Applied[] = [];
    const second = engineOf();
    second.listen((batch) => applied.push(batch));
    running.push(start(second));
    const position = await feed.append('session-w1/s2', 9);
    await second.waitFor(position, 5000);
    expect(applied.filter(({ touched }) => [...touched.values()].some((ids) => ids.size > 0))).toMatchObject([{ position, generation: 1 }]);
    expect([...(applied.at(-1)?.touched.get('streams') ?? [])]).toEqual(['session-w1/s2']);
    expect([...(applied.at(-1)?.touched.get('calls') ?? [])]).toHaveLength(1);
  });

  it('follows a store with nothing in it, and then its first event', async () => {
    const engine = started();
    await engine.waitFor(0n, 5000);
    expect(await engine.status()).toMatchObject({ position: 0n, head: 0n, lagPositions: 0n });
    await engine.waitFor(await feed.append('session-w1/s1', 1), 5000);
  });

  it('passes over gaps in positions and over events that touch nothing', async () => {
    events = new MemoryEventStore({ step: (last) => (last % 7n === 0n ? 1000n : 3n) });
    feed = new TallyFeed(events);
    const sparse = {
      ...set,
      projections: set.projections.map((projection) => ({ ...projection, idOf: sparsely((event) => projection.idOf(event)) })),
    };
    await feed.fill(400, 8);
    const engine = started({ set: sparse });
    await engine.waitFor(await events.head(), 5000);
    const streams = await engine.readModels.collection('streams');
    expect(await streams.count('by_count', {})).toBe(1);
  });

  it('keeps going when a listener throws, and says so', async () => {
    const faults: unknown[] = [];
    const engine = engineOf({ onFault: (error) => faults.push(error) });
    engine.listen(() => {
      throw new RangeError('a listener of the test');
    });
    running.push(start(engine));
    await engine.waitFor(await feed.append('session-w1/s1', 1), 5000);
    await engine.waitFor(await feed.append('session-w1/s1', 2), 5000);
    expect(faults.length).toBeGreaterThan(1);
    expect(faults.every((fault) => fault instanceof RangeError)).toBe(true);
    expect((await engine.status()).state).toBe('running');
  });

  it('refuses to run twice at once, and runs again after it was stopped', async () => {
    const engine = started();
    await engine.waitFor(await feed.append('session-w1/s1', 1), 5000);
    await expect(engine.run(new AbortController().signal)).rejects.toThrow('running already');
    await running.pop()?.stop();
    expect((await engine.status()).state).toBe('stopped');
    running.push(start(engine));
    await engine.waitFor(await feed.append('session-w1/s1', 2), 5000);
  });

  it('fails at once over a read model that was changed without a new version', async () => {
    await started().waitFor(await feed.append('session-w1/s1', 1), 5000);
    await running.pop()?.stop();
    const changed = { ...set, projections: set.projections.map((projection) => ({ ...projection, indexes: [] })) };
    const engine = engineOf({ set: changed });
    await expect(engine.run(new AbortController().signal)).rejects.toMatchObject({ code: 'collection_spec_mismatch' });
    expect(await engine.status()).toMatchObject({ state: 'failed', fault: { code: 'collection_spec_mismatch' } });
  });

  it('leaves no listener behind when it is stopped', async () => {
    const engine = started();
    await engine.waitFor(await feed.append('session-w1/s1', 1), 5000);
    await running.pop()?.stop();
    expect(events.listenerCount).toBe(0);
  });

  it('subscribes anew when the subscription has gone quiet', async () => {
    const quiet = quietAfterFirst(events);
    const engine = started({ events: quiet.store, stallMs: 50 });
    await engine.waitFor(await feed.append('session-w1/s1', 1), 5000);
    await engine.waitFor(await feed.append('session-w1/s1', 2), 5000);
    await engine.waitFor(await feed.append('session-w1/s1', 3), 5000);
    expect(quiet.subscriptions()).toBeGreaterThanOrEqual(3);
  });

  it('tries again when the subscription breaks, five times in a row', async () => {
    const faults: unknown[] = [];
    const broken = breaking(events, 5);
    const engine = started({ events: broken, retryMs: 1, onFault: (error) => faults.push(error) });
    await engine.waitFor(await feed.fill(60, 2), 5000);
    expect(faults).toHaveLength(5);
    const { replaced, generation } = await rebuild({ events, docs, set });
    expect(await compareSets(docs, set, replaced, generation)).toMatchObject({ isEqual: true });
  });
});

type IdOf = (typeof set.projections)[number]['idOf'];

function sparsely(idOf: IdOf): IdOf {
  return (event) => (event.stream === 'session-w1/s3' && event.revision === 5n ? idOf(event) : null);
}

/** A store whose subscriptions deliver one batch with events and then nothing more, without an error. */
function quietAfterFirst(inner: MemoryEventStore) {
  let subscriptions = 0;
  const store: MemoryEventStore = Object.create(inner, {
    subscribeAll: {
      value: async function* (options: Parameters<MemoryEventStore['subscribeAll']>[0]) {
        subscriptions++;
        for await (const batch of inner.subscribeAll(options)) {
          yield batch;
          if (!options.signal.aborted) await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          return;
        }
      },
    },
  }) as MemoryEventStore;
  return { store, subscriptions: () => subscriptions };
}

/** A store whose first subscriptions break after a batch. */
function breaking(inner: MemoryEventStore, times: number): MemoryEventStore {
  let left = times;
  return Object.create(inner, {
    subscribeAll: {
      value: async function* (options: Parameters<MemoryEventStore['subscribeAll']>[0]) {
        for await (const batch of inner.subscribeAll({ ...options, batchSize: 5 })) {
          yield batch;
          if (left-- > 0) throw new Error('the connection of the test broke');
        }
      },
    },
  }) as MemoryEventStore;
}
