import type { DocumentStore } from '@counterfoil/read-models';
import {
  eventually,
  expectReplayed,
  MemoryEventStore,
  projectionFixture,
  start,
  TallyFeed,
  tallySet,
  type ProjectionFixture,
  type Running,
} from '@counterfoil/testing';
import {
  compareGenerations,
  compareSets,
  openReadModels,
  ProjectionEngine,
  rebuild,
  type EngineOptions,
  type RebuildProgress,
} from './index.js';

const set = tallySet();

describe('rebuild', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let running: Running[];
  let now: number;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = new MemoryEventStore();
    feed = new TallyFeed(events);
    running = [];
    now = 1_000_000;
  });
  afterEach(async () => {
    await Promise.all(running.map((run) => run.stop().catch(() => undefined)));
    await fixture.dispose();
  });

  function started(options: Partial<EngineOptions> = {}): ProjectionEngine {
    const engine = new ProjectionEngine({ events, docs, set, batchSize: 20, leaseMs: 400, retryMs: 1, now: () => now, ...options });
    running.push(start(engine));
    return engine;
  }
  const options = () => ({ events, docs, set, leaseMs: 400, batchSize: 20, now: () => now });
  const generations = async () =>
    [...new Set((await docs.collections('tally_v1_g')).map((name) => Number(name.split('_')[2]?.slice(1))))].sort();

  it('builds the next generation and switches to it, with progress on the way', async () => {
    const head = await feed.fill(200, 5);
    const progress: RebuildProgress[] = [];
    const result = await rebuild({ ...options(), onProgress: (step) => progress.push(step) });
    expect(result).toMatchObject({ generation: 2, replaced: 1, position: head, events: Number(head), resumed: false });
    expect(progress.at(-1)).toMatchObject({ generation: 2, position: head, head, events: Number(head), etaSeconds: 0 });
    expect(progress.every((step, n) => n === 0 || step.position > progress[n - 1]!.position)).toBe(true);
    await expectReplayed(docs, set, 2, events);
  });

  it('of an empty store switches, too', async () => {
    expect(await rebuild(options())).toMatchObject({ generation: 2, position: 0n, events: 0 });
  });

  it('three times in one process, with appends between and after (case 54)', async () => {
    const engine = started();
    for (const generation of [2, 3, 4]) {
      await engine.waitFor(await feed.fill(30, 3), 5000);
      expect(await engine.rebuild()).toMatchObject({ generation, replaced: generation - 1 });
      await engine.waitFor(await feed.append('session-w1/s1', generation), 5000);
      expect((await engine.status()).generation).toBe(generation);
      await expectReplayed(docs, set, generation, events);
    }
  });

  it('of two sets, then appends, then of both again (case 54)', async () => {
    const other = tallySet(2);
    const [engine, second] = [started(), started({ set: other })];
    await feed.fill(40, 2);
    await rebuild(options());
    await rebuild({ ...options(), set: other });
    await feed.fill(40, 2);
    await Promise.all([engine.rebuild(), second.rebuild()]);
    await feed.append('session-w1/s0', 1);
    for (const each of [engine, second]) await each.waitFor(await events.head(), 5000);
    await expectReplayed(docs, set, 3, events);
    expect(await compareGenerations(docs, { set, generation: 3 }, { set: other, generation: 3 })).toMatchObject({ isEqual: true });
  });

  it('misses nothing of what is appended while it runs and switches', async () => {
    const engine = started();
    await feed.fill(400, 4);
    const end = new AbortController();
    const writing = (async () => {
      for (let n = 0; !end.signal.aborted; n++) {
        const position = await feed.append(`session-w1/s${n % 4}`, n % 50);
        await engine.waitFor(position, 5000);
        const stream = `session-w1/s${n % 4}`;
        const found = await (await engine.readModels.collection<{ position: string }>('streams')).get(stream);
        // Read-your-writes holds through the switch.
        expect(BigInt(found?.doc?.position ?? 0)).toBeGreaterThanOrEqual(position);
      }
    })();
    for (let n = 0; n < 3; n++) await rebuild({ ...options(), batchSize: 11 });
    end.abort();
    await writing;
    await eventually(async () => (await engine.status()).lagPositions === 0n && (await engine.status()).generation === 4);
    await expectReplayed(docs, set, 4, events);
  }, 60_000);

  it('by another process is noticed within a second, by the engine and by who only reads', async () => {
    const engine = started();
    const reader = openReadModels(await fixture.docs(), set, { pointerMs: 50 });
    await engine.waitFor(await feed.fill(40, 2), 5000);
    expect(await reader.generation()).toBe(1);
    await rebuild({ ...options(), docs: await fixture.docs() });
    await eventually(async () => (await reader.generation()) === 2);
    await eventually(async () => (await engine.readModels.generation()) === 2);
    const position = await feed.append('session-w1/s0', 4);
    await reader.waitFor(position, 5000);
    await expectReplayed(docs, set, 2, events);
  });

  it('that was aborted is gone on with by the next, and the live generation stays', async () => {
    await feed.fill(300, 3);
    const end = new AbortController();
    const aborted = rebuild({
      ...options(),
      signal: end.signal,
      onProgress: ({ position }) => {
        if (position >= 100n) end.abort(new Error('enough'));
      },
    });
    await expect(aborted).rejects.toThrow('enough');
    const status = await new ProjectionEngine(options()).status();
    expect(status).toMatchObject({ generation: 1, state: 'stopped', rebuild: { generation: 2, position: 100n } });
    const result = await rebuild(options());
    expect(result).toMatchObject({ generation: 2, resumed: true, events: (await readCount()) - 100 });
    await expectReplayed(docs, set, 2, events);
  });
  const readCount = async () => Number(await events.head());

  it('left behind by another history is begun anew', async () => {
    await feed.fill(300, 3);
    const end = new AbortController();
    const aborted = rebuild({ ...options(), signal: end.signal, onProgress: () => end.abort() });
    await expect(aborted).rejects.toThrow();
    events = new MemoryEventStore({ epoch: 'other' });
    await new TallyFeed(events, 1).fill(50, 2);
    expect(await rebuild(options())).toMatchObject({ generation: 3, resumed: false });
    await expectReplayed(docs, set, 3, events);
    expect(await generations()).toEqual([3]);
  });

  it('is refused while another one runs', async () => {
    await feed.fill(300, 3);
    let second: Promise<unknown> = Promise.resolve();
    const first = rebuild({
      ...options(),
      leaseMs: 60,
      batchSize: 1,
      onProgress: ({ events: done }) => {
        if (done === 1) second = expect(rebuild({ ...options(), leaseMs: 60 })).rejects.toMatchObject({ code: 'rebuild_in_progress' });
      },
    });
    expect(await first).toMatchObject({ generation: 2 });
    await second;
    expect(await generations()).toEqual([2]);
  });

  it('keeps the old generation for the grace, then the live engine drops it', async () => {
    const engine = started({ graceMs: 1000 });
    await engine.waitFor(await feed.fill(40, 2), 5000);
    await engine.rebuild();
    await engine.waitFor(await feed.append('session-w1/s0', 1), 5000);
    await eventually(async () => (await engine.status()).generation === 2 && (await engine.status()).lagPositions === 0n);
    now += 999;
    await rebuildSweep(engine);
    expect(await generations()).toEqual([1, 2]);
    now += 1;
    await eventually(async () => (await generations()).join() === '2');
    await expectReplayed(docs, set, 2, events);
  }, 60_000);

  it('drops what earlier ones have left, but nothing that is young or in use', async () => {
    await feed.fill(40, 2);
    for (const generation of [2, 3, 4]) expect(await rebuild({ ...options(), graceMs: 1000 })).toMatchObject({ generation });
    expect(await generations()).toEqual([2, 3, 4]);
    now += 1000;
    await rebuild({ ...options(), graceMs: 1000 });
    expect(await generations()).toEqual([4, 5]);
  });

  /** Long enough for a sweep that should find nothing. */
  async function rebuildSweep(engine: ProjectionEngine): Promise<void> {
    for (let n = 0; n < 3; n++) await engine.waitFor(await feed.append('session-w1/s0', n), 5000);
  }
});

describe('compareSets', () => {
  it('names what differs, and counts what one side alone has brought further', async () => {
    const fixture = await projectionFixture();
    const docs = await fixture.docs();
    const events = new MemoryEventStore();
    const feed = new TallyFeed(events);
    await feed.fill(30, 3);
    await feed.append('later', 1, 2, 3);
    await rebuild({ events, docs, set });
    const more = await feed.append('session-w1/s0', 1);
    await rebuild({ events, docs, set });
    expect(await compareSets(docs, set, 2, 3)).toMatchObject({ isEqual: true, newer: 4, differenceCount: 0 });
    const streams = await docs.collection<object>({ name: 'tally_v1_g3_streams', indexes: set.projections[0]?.indexes ?? [] });
    const found = await streams.getMany(['session-w1/s1', 'session-w1/s2']);
    const guards = [...found.values()].map(({ guard }) => guard);
    const fields = { count: 0 };
    await streams.bulkWrite([
      { id: 'session-w1/s1', expected: guards[0] ?? null, guard: guards[0]! + 1n, doc: { edited: true }, fields },
      { id: 'session-w1/s2', expected: guards[1] ?? null, guard: guards[1]! + 1n, doc: null, fields },
      { id: 'extra', expected: null, guard: 1n, doc: { invented: true }, fields },
      { id: 'gone', expected: null, guard: 1n, doc: null, fields },
    ]);
    const comparison = await compareSets(docs, set, 2, 3);
    expect(comparison.differences.map(({ projection, id, kind }) => `${projection} ${id} ${kind}`).sort()).toEqual([
      'streams extra only_in_b',
      'streams session-w1/s1 different',
      'streams session-w1/s2 only_in_a',
    ]);
    expect(comparison).toMatchObject({ isEqual: false, differenceCount: 3, newer: 4 });
    expect(more).toBeGreaterThan(0n);
    await expect(compareSets(docs, set, 2, 9)).rejects.toMatchObject({ code: 'collection_dropped' });
    await fixture.dispose();
  });
});
