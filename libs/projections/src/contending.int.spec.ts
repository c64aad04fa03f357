import type { DocumentStore } from '@counterfoil/read-models';
import {
  CrashingStore,
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
import { ProjectionEngine, readReached, type EngineOptions } from './index.js';

const LEASE_MS = 120;

describe('several engines', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let running: Running[];
  const set = tallySet();

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
    new ProjectionEngine({ events, docs, set, batchSize: 20, leaseMs: LEASE_MS, retryMs: 1, ...options });
  const run = (engine: ProjectionEngine): Running => {
    const started = start(engine);
    running.push(started);
    return started;
  };
  const stateOf = async (engine: ProjectionEngine) => (await engine.status()).state;

  it('one works, the others stand by and take over when it stops, with no pause', async () => {
    const engines = [engineOf({ leaseMs: 60_000 }), engineOf({ leaseMs: 60_000, docs: await fixture.docs() })];
    const runs = engines.map(run);
    await engines[0]?.waitFor(await feed.fill(50, 2), 20_000);
    const states = await Promise.all(engines.map(stateOf));
    expect([...states].sort()).toEqual(['contending', 'running']);
    const worker = states.indexOf('running');
    await runs[worker]?.stop();
    // Given back, the lease of a minute needs not run out.
    await engines[1 - worker]?.waitFor(await feed.fill(50, 2), 20_000);
    expect(await stateOf(engines[1 - worker]!)).toBe('running');
    await expectReplayed(docs, set, 1, events);
  });

  it('a standing-by engine serves reads by what the other has projected', async () => {
    const [worker, other] = [engineOf(), engineOf({ docs: await fixture.docs() })];
    run(worker);
    await worker.waitFor(await feed.append('a', 1), 20_000);
    run(other);
    await other.waitFor(await feed.append('a', 2), 20_000);
    expect(await stateOf(other)).toBe('contending');
    expect((await (await other.readModels.collection<{ count: number }>('streams')).get('a'))?.doc).toMatchObject({ count: 3 });
  });

  it('the owner dies and is replaced when its lease has run out', async () => {
    await feed.fill(100, 4);
    const dead = engineOf({ docs: new CrashingStore(docs, { atCall: 22, kind: 'die_before' }) });
    run(dead);
    const next = engineOf();
    run(next);
    await next.waitFor(await feed.fill(60, 4), 20_000);
    expect(await stateOf(next)).toBe('running');
    await expectReplayed(docs, set, 1, events);
  }, 60_000);

  it('an owner that slept through the takeover moves nothing when it wakes, at whichever call it slept', async () => {
    for (let atCall = 6; atCall < 30; atCall += 2) {
      const own = tallySet(100 + atCall);
      let wake: () => void = () => undefined;
      const asleep = new Promise<void>((resolve) => (wake = resolve));
      let isAsleep = false;
      const hook = () => {
        isAsleep = true;
        return asleep;
      };
      const store = new CrashingStore(docs, { atCall, kind: 'freeze', hook });
      await feed.fill(60, 3);
      // Its own clock stands still: it does not know that its lease has run out, so that the fences alone must hold.
      const sleeper = engineOf({ docs: store, set: own, clock: () => 0 });
      const sleeping = run(sleeper);
      await eventually(() => isAsleep);
      const next = engineOf({ set: own });
      const working = run(next);
      await next.waitFor(await feed.fill(60, 3), 20_000);
      const before = await readReached(docs, own, 1);
      wake();
      await eventually(async () => (await stateOf(sleeper)) === 'contending');
      expect(await readReached(docs, own, 1)).toEqual(before);
      await next.waitFor(await feed.fill(20, 2), 20_000);
      expect(await stateOf(next)).toBe('running');
      await expectReplayed(docs, own, 1, events);
      await Promise.all([sleeping.stop(), working.stop()]);
    }
  }, 60_000);

  it('many engines over one set apply every event once', async () => {
    const stores = await Promise.all([0, 1, 2, 3].map(() => fixture.docs()));
    const engines = stores.map((store) => engineOf({ docs: store, batchSize: 7 }));
    const runs = engines.map(run);
    for (let round = 0; round < 4; round++) {
      const position = await feed.fill(60, 3);
      await Promise.all(engines.map((engine) => engine.waitFor(position, 20_000)));
      const states = await Promise.all(engines.map(stateOf));
      expect(states.filter((state) => state === 'running')).toHaveLength(1);
      await runs[states.indexOf('running')]?.stop();
      runs[states.indexOf('running')] = run(engines[states.indexOf('running')]!);
    }
    await expectReplayed(docs, set, 1, events);
  }, 60_000);
});
