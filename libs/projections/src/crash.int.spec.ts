import type { DocumentStore } from '@counterfoil/read-models';
import {
  CrashingStore,
  DELETING_SECONDS,
  expectReplayed,
  MemoryEventStore,
  POISON_SECONDS,
  projectionFixture,
  TallyFeed,
  tallySet,
  type Incident,
  type ProjectionFixture,
} from '@counterfoil/testing';
import { openReadModels, ProjectionEngine, rebuild, type ProjectionOptions } from './index.js';

/** Every point at which an engine or a rebuild waits for its store is one at which it can be stopped or killed (cases 54, 58). */
describe('an engine or a rebuild that ends at any point', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  const events = new MemoryEventStore();
  let poisonedAt = 0n;
  let version = 0;

  beforeAll(async () => {
    const feed = new TallyFeed(events);
    for (let n = 0; n < 6; n++) await feed.append(`s${n % 3}`, n, DELETING_SECONDS, n + 5, DELETING_SECONDS);
    await feed.append('bad', 1);
    poisonedAt = await feed.append('bad', POISON_SECONDS);
    await feed.append('bad', 2);
    await feed.append('s1', 9);
  });
  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
  });
  afterEach(() => fixture.dispose());

  const optionsOf = (store: DocumentStore): ProjectionOptions => ({
    events,
    docs: store,
    set: tallySet(version),
    batchSize: 9,
    leaseMs: 40,
  });

  /** Projects up to the head, or until something happens to it. */
  async function project(store: DocumentStore, controller = new AbortController()): Promise<void> {
    // Read through a store that nothing happens to.
    const readModels = openReadModels(docs, tallySet(version));
    const engine = new ProjectionEngine({ ...optionsOf(store), readModels, onFault: () => controller.abort() });
    const ended = engine.run(controller.signal);
    await readModels.waitFor(events.lastPosition, 10_000, controller.signal).catch(() => undefined);
    controller.abort();
    await ended;
  }

  /** Runs with the incident at each call in turn, each time over new documents; `work` ends when there are no more calls. */
  async function atEachCall(
    kind: Incident['kind'],
    work: (store: CrashingStore, controller: AbortController) => Promise<void>,
  ): Promise<number> {
    for (let atCall = 1; ; atCall++) {
      version++;
      const controller = new AbortController();
      const store = new CrashingStore(docs, { atCall, kind, hook: () => controller.abort() });
      await work(store, controller);
      if (store.calls < atCall) return atCall - 1;
    }
  }

  it.each(['die_before', 'die_after', 'hook'] as const)(
    'a live engine, by %s, is gone on with by the next',
    async (kind) => {
      const points = await atEachCall(kind, async (store, controller) => {
        await project(store, controller);
        await project(docs);
        await expectReplayed(docs, tallySet(version), 1, events, { bad: poisonedAt });
      });
      expect(points).toBeGreaterThan(25);
    },
    60_000,
  );

  it.each(['die_before', 'die_after', 'hook'] as const)(
    'a rebuild, by %s, is gone on with by the next',
    async (kind) => {
      const healthy = new MemoryEventStore();
      const feed = new TallyFeed(healthy);
      for (let n = 0; n < 6; n++) await feed.append(`s${n % 3}`, n, DELETING_SECONDS, n + 5, DELETING_SECONDS);
      const points = await atEachCall(kind, async (store, controller) => {
        const options = { ...optionsOf(store), events: healthy };
        const first = await rebuild({ ...options, signal: controller.signal }).catch(() => null);
        const { generation } = await rebuild({ ...options, docs });
        // One that did its last step before it died is followed by a new one.
        expect([2, 3]).toContain(generation);
        if (first !== null) expect(generation).toBe(3);
        await expectReplayed(docs, tallySet(version), generation, healthy);
      });
      expect(points).toBeGreaterThan(20);
    },
    60_000,
  );
});
