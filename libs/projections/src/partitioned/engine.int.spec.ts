import type { EventStore } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import {
  eventually,
  expectReplayed,
  MemoryEventStore,
  POISON_SECONDS,
  projectionFixture,
  start,
  TallyFeed,
  tallySet,
  type ProjectionFixture,
  type Running,
} from '@counterfoil/testing';
import {
  compareSets,
  openReadModels,
  partitionOf,
  ProjectionEngine,
  rebuild,
  type EngineOptions,
  type OwnershipChange,
  type PartitionStatus,
} from '../index.js';

const PARTITIONS = 16;
const LEASE_MS = 400;
const WAIT_MS = 30_000;

describe('engines that share the partitions of a set', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: EventStore;
  let feed: TallyFeed;
  let running: Running[];
  const set = tallySet();

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = await fixture.events();
    feed = new TallyFeed(events);
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((run) => run.stop().catch(() => undefined)));
    await fixture.dispose();
  });

  const engineOf = (options: Partial<EngineOptions> = {}) =>
    new ProjectionEngine({ events, docs, set, partitions: PARTITIONS, batchSize: 20, leaseMs: LEASE_MS, retryMs: 1, ...options });
  const run = (engine: ProjectionEngine): Running => {
    const started = start(engine);
    running.push(started);
    return started;
  };
  /** Partitions by the name of their owner; those without one count under ''. */
  const spread = async (engine: ProjectionEngine): Promise<readonly number[]> => {
    const counts = new Map<string, number>();
    for (const { owner } of (await engine.status()).partitions ?? []) {
      counts.set(owner?.name ?? '', (counts.get(owner?.name ?? '') ?? 0) + 1);
    }
    return [...counts].filter(([name]) => name !== '' || counts.size === 0).map(([, count]) => count);
  };
  const isSpread = async (engine: ProjectionEngine, ...sizes: readonly number[]): Promise<boolean> =>
    [...(await spread(engine))].sort((a, b) => b - a).join() === sizes.join();

  it('spread them over one, two and three, and all of them together project everything', async () => {
    const engines = [
      engineOf(),
      engineOf({ docs: await fixture.docs() }),
      engineOf({ docs: await fixture.docs(), events: await fixture.events() }),
    ];
    const runs: Running[] = [];
    for (const [n, sizes] of [[16], [8, 8], [6, 6, 4]].entries()) {
      runs.push(run(engines[n]!));
      await eventually(() => isSpread(engines[0]!, ...sizes));
      const position = await feed.fill(120, 12);
      await Promise.all(engines.map((engine) => engine.waitFor(position, WAIT_MS)));
      await expectReplayed(docs, set, 1, events);
    }
    // Given back, nothing needs to run out.
    for (const sizes of [[8, 8], [16]]) {
      await runs.shift()?.stop();
      await eventually(() => isSpread(engines[2]!, ...sizes));
      await engines[2]!.waitFor(await feed.fill(60, 12), WAIT_MS);
    }
    await expectReplayed(docs, set, 1, events);
  }, 120_000);

  it('tell who has which partition, how far each is, and the least of it all', async () => {
    const engine = engineOf();
    expect((await engine.status()).partitions).toEqual(
      Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, owner: null, position: 0n, lagPositions: 0n })),
    );
    const changes: OwnershipChange[] = [];
    const end = engine.watchOwnership((change) => changes.push(change));
    run(engine);
    const position = await feed.fill(40, 8);
    await engine.waitFor(position, WAIT_MS);
    await eventually(async () => (await engine.status()).position === position);
    const status = await engine.status();
    expect(status).toMatchObject({ state: 'running', generation: 1, position, head: position, lagPositions: 0n, parked: [] });
    const [first] = status.partitions ?? [];
    expect(status.partitions?.every(({ owner }) => owner?.slot === 0 && owner.name === first?.owner?.name)).toBe(true);
    expect(changes).toEqual([{ kind: 'taken', partitions: Array.from({ length: 16 }, (_, n) => n), owned: 16, previous: [] }]);
    await running.pop()?.stop();
    expect(changes.slice(1)).toMatchObject([{ kind: 'given_back', owned: 0 }]);
    end();
    await feed.append('later', 1);
    const late = await engineOf().status();
    expect(late).toMatchObject({ state: 'stopped', position, lagPositions: 2n });
    expect(late.partitions?.map(({ owner }) => owner)).toEqual(Array.from({ length: 16 }, (): PartitionStatus['owner'] => null));
  });

  it('let a client read its own write by the partition of its stream, and everything by all of them', async () => {
    const engine = engineOf();
    const reader = openReadModels(await fixture.docs(), set, { partitions: PARTITIONS, pollMs: 5 });
    run(engine);
    for (let n = 0; n < 10; n++) {
      const stream = `session-w1/own-${n}`;
      const position = await feed.append(stream, n + 1);
      await reader.waitFor(position, WAIT_MS, undefined, [stream]);
      expect((await (await reader.collection('streams')).get(stream))?.doc).toMatchObject({ count: 2, position: position.toString() });
      expect(await reader.position([stream])).toBeGreaterThanOrEqual(position);
    }
    const position = await feed.fill(40, 16);
    await reader.waitFor(position, WAIT_MS);
    expect(await reader.position()).toBeGreaterThanOrEqual(position);
    await expectReplayed(docs, set, 1, events);
  });

  it('wait for the partitions of the streams that are named, and for no other', async () => {
    const reader = openReadModels(docs, set, { partitions: PARTITIONS, pollMs: 5 });
    const { stream, other } = inTwoPartitions();
    const engine = engineOf();
    run(engine);
    await engine.waitFor(await feed.append(stream, 1), WAIT_MS);
    await running.pop()?.stop();
    // An engine of which only the partition of one stream gets on.
    const position = await feed.append(stream, 2);
    await reachBy(docs, partitionOf(stream, PARTITIONS), position);
    await reader.waitFor(position, 0, undefined, [stream]);
    await expect(reader.waitFor(position, 0, undefined, [other])).rejects.toMatchObject({ code: 'projection_lagging', wanted: position });
    await expect(reader.waitFor(position, 0, undefined, [stream, other])).rejects.toMatchObject({ code: 'projection_lagging' });
    await expect(reader.waitFor(position, 0)).rejects.toMatchObject({ code: 'projection_lagging' });
    expect(await reader.position([stream])).toBe(position);
    expect(await reader.position()).toBeLessThan(position);
  });

  it('let nobody wait for a stream that is parked, and say which ones are', async () => {
    const engine = engineOf();
    run(engine);
    await feed.append('bad', 1);
    const poisonedAt = await feed.append('bad', POISON_SECONDS);
    const after = await feed.append('bad', 2, 3);
    await expect(engine.waitFor(after, WAIT_MS, undefined, ['bad'])).rejects.toMatchObject({ code: 'stream_parked', position: poisonedAt });
    await engine.waitFor(after, WAIT_MS);
    const { parked, parkedCount } = await engine.status();
    expect(parked).toEqual([{ stream: 'bad', position: poisonedAt, type: 'LeaseExtended', reason: 'poisoned' }]);
    expect(parkedCount).toBe(1);
    await expectReplayed(docs, set, 1, events, { bad: poisonedAt });
  });

  it('of two versions of a set work beside each other, each for all partitions', async () => {
    const next = tallySet(2);
    const engines = [engineOf(), engineOf(), engineOf({ set: next }), engineOf({ set: next })];
    engines.forEach(run);
    await eventually(() => isSpread(engines[0]!, 8, 8));
    await eventually(() => isSpread(engines[2]!, 8, 8));
    const position = await feed.fill(120, 12);
    await Promise.all(engines.map((engine) => engine.waitFor(position, WAIT_MS)));
    await expectReplayed(docs, set, 1, events);
    await expectReplayed(docs, next, 1, events);
    // The old version goes; the new one doesn't notice.
    await Promise.all(running.splice(0, 2).map((run) => run.stop()));
    await engines[3]!.waitFor(await feed.fill(60, 12), WAIT_MS);
    await expectReplayed(docs, next, 1, events);
  }, 120_000);

  it('go on through a rebuild and a switch, and nobody misses what he wrote meanwhile', async () => {
    const engines = [engineOf(), engineOf({ docs: await fixture.docs() })];
    engines.forEach(run);
    await engines[0]!.waitFor(await feed.fill(200, 10), WAIT_MS);
    const reader = openReadModels(await fixture.docs(), set, { partitions: PARTITIONS, pointerMs: 20, pollMs: 5 });
    const end = new AbortController();
    const writing = (async () => {
      for (let n = 0; !end.signal.aborted; n++) {
        const stream = `session-w1/s${n % 10}`;
        const position = await feed.append(stream, 1 + (n % 50));
        await reader.waitFor(position, WAIT_MS, undefined, [stream]);
        const found = await (await reader.collection<{ position: string }>('streams')).get(stream);
        expect(BigInt(found?.doc?.position ?? 0)).toBeGreaterThanOrEqual(position);
      }
    })();
    for (let n = 0; n < 2; n++) await rebuild({ events, docs, set, partitions: PARTITIONS, batchSize: 50, leaseMs: LEASE_MS });
    end.abort();
    await writing;
    const head = await events.head();
    await eventually(async () => (await engines[0]!.status()).lagPositions === 0n && (await engines[0]!.status()).generation === 3);
    await engines[1]!.waitFor(head, WAIT_MS);
    await expectReplayed(docs, set, 3, events);
    expect(await compareSets(docs, set, 2, 3, PARTITIONS)).toMatchObject({ isEqual: true });
  }, 120_000);

  it('equal one engine that projects everything, byte by byte', async () => {
    const engines = [engineOf(), engineOf({ docs: await fixture.docs() }), engineOf({ docs: await fixture.docs() })];
    engines.forEach(run);
    for (let round = 0; round < 3; round++) await engines[round]!.waitFor(await feed.fill(100, 10), WAIT_MS);
    const { replaced, generation } = await rebuild({ events, docs, set });
    expect(await compareSets(docs, set, replaced, generation, PARTITIONS)).toMatchObject({ isEqual: true, newer: 0 });
  }, 120_000);

  it('follow a store with nothing in it, and then its first event', async () => {
    const engine = engineOf();
    run(engine);
    await engine.waitFor(0n, WAIT_MS);
    await eventually(() => isSpread(engine, 16));
    await engine.waitFor(await feed.append('session-w1/s1', 1), WAIT_MS);
  });

  it('fail over another number of partitions, and say so', async () => {
    const engine = engineOf();
    run(engine);
    await engine.waitFor(await feed.append('a', 1), WAIT_MS);
    await running.pop()?.stop();
    const other = engineOf({ partitions: 8 });
    await expect(other.run(new AbortController().signal)).rejects.toMatchObject({ code: 'partition_count_mismatch' });
    expect(() => engineOf({ partitions: 0 })).toThrow(RangeError);
    expect(() => engineOf({ partitions: 257 })).toThrow(RangeError);
    // A rebuild cuts them anew.
    await rebuild({ events, docs, set });
    run(other);
    await other.waitFor(await feed.append('a', 2), WAIT_MS);
    await expectReplayed(docs, set, 2, events);
  });

  it('fail over another history, change nothing, and go on after a rebuild', async () => {
    const engine = engineOf();
    run(engine);
    const last = await feed.fill(30, 3);
    await engine.waitFor(last, WAIT_MS);
    await running.pop()?.stop();
    const store = new MemoryEventStore({ epoch: 'another' });
    const restored = engineOf({ events: store });
    await expect(restored.run(new AbortController().signal)).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
    expect(await restored.status()).toMatchObject({ state: 'failed', position: last, fault: { code: 'checkpoint_ahead_of_store' } });
    const healed = new TallyFeed(store);
    await healed.append('healed', 1, 2);
    await rebuild({ events: store, docs, set });
    run(restored);
    await restored.waitFor(await healed.append('healed', 3), WAIT_MS);
    await expectReplayed(docs, set, 2, store);
  });

  /** Two streams that are not in one partition. */
  function inTwoPartitions(): { readonly stream: string; readonly other: string } {
    const stream = 'session-w1/a';
    for (let n = 0; ; n++) {
      const other = `session-w1/b${n}`;
      if (partitionOf(other, PARTITIONS) !== partitionOf(stream, PARTITIONS)) return { stream, other };
    }
  }

  /** Moves the checkpoint of one partition, as its owner would. */
  async function reachBy(store: DocumentStore, partition: number, position: bigint): Promise<void> {
    const key = `checkpoint/tally/v1/g1/p${partition}`;
    const found = await store.control(key);
    await store.compareAndSet(key, found?.revision ?? null, { ...found?.value, position: position.toString(), eventId: null });
  }
});
