import type { EventStore } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import {
  DELETING_SECONDS,
  eventually,
  expectReplayed,
  MemoryEventStore,
  mongoTestDatabase,
  overMongo,
  POISON_SECONDS,
  projectionFixture,
  runJob,
  start,
  TallyFeed,
  tallySet,
  type Job,
  type MongoTestDatabase,
  type ProjectionFixture,
  type Running,
} from '@counterfoil/testing';
import { compareSets, openReadModels, ProjectionEngine, rebuild, type EngineOptions } from './index.js';

const set = tallySet();
const LEASE_MS = 1000;

overMongo('the projections over MongoDB', ['A', 'given'], (server) => {
  let database: MongoTestDatabase;
  let docs: DocumentStore;
  let running: Running[] = [];

  beforeEach(async () => {
    database = mongoTestDatabase(server);
    // As the projector reads: only what can't be rolled back.
    docs = await database.open({ readConcern: 'majority' });
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((run) => run.stop().catch(() => undefined)));
    await database.dispose();
  });

  function started(events: EventStore, options: Partial<EngineOptions> = {}): ProjectionEngine {
    const engine = new ProjectionEngine({ events, docs, set, batchSize: 50, leaseMs: LEASE_MS, ...options });
    running.push(start(engine));
    return engine;
  }

  it('project what is there and what is appended later, and a client reads its own write', async () => {
    const events = new MemoryEventStore();
    const feed = new TallyFeed(events);
    await feed.fill(200, 5);
    const engine = started(events);
    await engine.waitFor(await events.head(), 20_000);
    const reader = openReadModels(await database.open(), set);
    for (const seconds of [7, DELETING_SECONDS, 9]) {
      const position = await feed.append('session-w1/s0', seconds);
      await reader.waitFor(position, 20_000);
      const streams = await reader.collection<{ position: string }>('streams');
      expect(BigInt((await streams.get('session-w1/s0'))?.doc?.position ?? 0)).toBeGreaterThanOrEqual(position);
    }
    await expectReplayed(docs, set, 1, events);
  });

  it('are rebuilt beside the live ones, under load, switch in one write, and equal them byte by byte', async () => {
    const events = new MemoryEventStore();
    const feed = new TallyFeed(events);
    const engine = started(events, { graceMs: 0 });
    await engine.waitFor(await feed.fill(300, 6), 20_000);
    const end = new AbortController();
    const writing = (async () => {
      for (let n = 0; !end.signal.aborted; n++) await engine.waitFor(await feed.append(`session-w1/s${n % 6}`, n % 60), 20_000);
    })();
    for (const generation of [2, 3]) {
      expect(await rebuild({ events, docs: await database.open(), set, batchSize: 40 })).toMatchObject({
        generation,
        replaced: generation - 1,
      });
    }
    end.abort();
    await writing;
    await eventually(async () => (await engine.status()).generation === 3 && (await engine.status()).lagPositions === 0n);
    await expectReplayed(docs, set, 3, events);
    // The old ones go once the grace is over, under the eyes of an engine that has moved on.
    await eventually(async () => (await docs.collections('tally_v1_g')).every((name) => name.startsWith('tally_v1_g3_')));
    // Stopped, since it would drop the one that is compared with.
    await running.shift()?.stop();
    const { replaced, generation } = await rebuild({ events, docs, set, graceMs: 600_000 });
    expect(await compareSets(docs, set, replaced, generation)).toMatchObject({ isEqual: true, newer: 0 });
  });

  it('park a poisoned stream, and go on with the others', async () => {
    const events = new MemoryEventStore();
    const feed = new TallyFeed(events);
    await feed.append('bad', 1);
    const poisonedAt = await feed.append('bad', POISON_SECONDS);
    await feed.append('bad', 2);
    const engine = started(events);
    await engine.waitFor(await feed.fill(60, 3), 20_000);
    expect((await engine.status()).parked).toMatchObject([{ stream: 'bad', position: poisonedAt }]);
    await expectReplayed(docs, set, 1, events, { bad: poisonedAt });
  });

  it('are shared by engines that stand in for each other, partition by partition', async () => {
    const events = new MemoryEventStore();
    const feed = new TallyFeed(events);
    const options = { partitions: 8, leaseMs: LEASE_MS };
    const engines = [started(events, options), started(events, { ...options, docs: await database.open() })];
    const head = await feed.fill(200, 20);
    for (const engine of engines) await engine.waitFor(head, 20_000);
    await running.shift()?.stop();
    const later = await feed.fill(100, 20);
    await engines[1]?.waitFor(later, 20_000);
    await expectReplayed(docs, set, 1, events);
  });

  describe('by processes that are killed', () => {
    let fixture: ProjectionFixture;
    let events: EventStore;
    let head: bigint;

    beforeEach(async () => {
      fixture = await projectionFixture();
      events = await fixture.events();
      head = await new TallyFeed(events).fill(1500, 60);
    });
    afterEach(() => fixture.dispose());

    const job = (kind: 'engine' | 'rebuild', percent: bigint): Job => ({
      kind,
      file: fixture.file,
      mongodb: { url: server.url, database: database.name },
      leaseMs: LEASE_MS,
      batchSize: 50,
      killAt: ((head * percent) / 100n).toString(),
    });

    it('a rebuild is gone on with each time', async () => {
      for (const percent of [20n, 70n]) expect(await runJob(job('rebuild', percent)).ended).toMatchObject({ signal: 'SIGKILL' });
      const result = await rebuild({ events, docs, set, leaseMs: LEASE_MS });
      expect(result).toMatchObject({ generation: 2, resumed: true, position: head });
      expect(result.events).toBeLessThanOrEqual((Number(head) * 4) / 10);
      await expectReplayed(docs, set, 2, events);
    });

    it('an engine is replaced by the one that stands by; nothing is missing or doubled', async () => {
      const killed = runJob(job('engine', 40n));
      await killed.printed('working');
      const engine = started(events);
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
      await engine.waitFor(await new TallyFeed(events, 1).append('later', 1, 2), 30_000);
      await expectReplayed(docs, set, 1, events);
    });
  });
});
