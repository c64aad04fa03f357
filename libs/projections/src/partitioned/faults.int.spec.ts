import type { EventStore, SubscribeOptions } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import {
  CheckpointLog,
  CrashingStore,
  DELETING_SECONDS,
  eventually,
  expectReplayed,
  MemoryEventStore,
  POISON_SECONDS,
  projectionFixture,
  start,
  TallyFeed,
  tallySet,
  type Incident,
  type ProjectionFixture,
  type Running,
} from '@counterfoil/testing';
import { openReadModels, ProjectionEngine, type EngineOptions } from '../index.js';

const PARTITIONS = 4;
const LEASE_MS = 120;
const WAIT_MS = 30_000;

describe('engines that share partitions, when something fails', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let log: CheckpointLog;
  let running: Running[];
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    log = new CheckpointLog();
    docs = log.watch(await fixture.docs());
    events = new MemoryEventStore();
    feed = new TallyFeed(events);
    running = [];
    version++;
  });
  afterEach(async () => {
    await Promise.all(running.map((run) => run.stop().catch(() => undefined)));
    await fixture.dispose();
  });

  const engineOf = (options: Partial<EngineOptions> = {}) =>
    new ProjectionEngine({
      events,
      docs,
      set: tallySet(version),
      partitions: PARTITIONS,
      batchSize: 20,
      leaseMs: LEASE_MS,
      retryMs: 1,
      ...options,
    });
  const run = (engine: ProjectionEngine): Running => {
    const started = start(engine);
    running.push(started);
    return started;
  };
  const replayed = (leftOut = {}) => expectReplayed(docs, tallySet(version), 1, events, leftOut);

  it('one that dies is replaced by the others when its lease has run out', async () => {
    await feed.fill(100, 8);
    run(engineOf({ docs: new CrashingStore(docs, { atCall: 40, kind: 'die_before' }) }));
    const others = [engineOf(), engineOf()];
    others.forEach(run);
    await others[0]!.waitFor(await feed.fill(100, 8), WAIT_MS);
    await replayed();
    log.expectForwardOnly();
  }, 60_000);

  it('one that slept through the takeover moves nothing when it wakes, at whichever call it slept', async () => {
    const told = new Set<string>();
    for (let atCall = 10; atCall < 60; atCall += 5) {
      version++;
      let wake: () => void = () => undefined;
      const asleep = new Promise<void>((resolve) => (wake = resolve));
      let isAsleep = false;
      const hook = () => {
        isAsleep = true;
        return asleep;
      };
      await feed.fill(60, 6);
      // Its own clock stands still: it does not know that its lease has run out, so that the fences alone must hold.
      const sleeper = engineOf({ docs: new CrashingStore(docs, { atCall, kind: 'freeze', hook }), clock: () => 0 });
      sleeper.watchOwnership(({ kind }) => told.add(kind));
      const sleeping = run(sleeper);
      await eventually(() => isAsleep);
      const next = engineOf();
      const working = run(next);
      await next.waitFor(await feed.fill(60, 6), WAIT_MS);
      wake();
      await next.waitFor(await feed.fill(20, 6), WAIT_MS);
      await replayed();
      // It comes back as one of two.
      await eventually(async () => new Set((await next.status()).partitions?.map(({ owner }) => owner?.name)).size === 2);
      await next.waitFor(await feed.fill(20, 6), WAIT_MS);
      await replayed();
      await Promise.all([sleeping.stop(), working.stop()]);
    }
    expect(told).toContain('lost');
    expect(log.count).toBeGreaterThan(100);
    log.expectForwardOnly();
  }, 120_000);

  it('writes that fail or whose answers are lost, again and again, cost neither events nor the partitions', async () => {
    const flaky = new FlakyStore(docs);
    const states: string[] = [];
    const faults: unknown[] = [];
    const engine = engineOf({
      docs: flaky.store,
      readModels: openReadModels(docs, tallySet(version), { partitions: PARTITIONS }),
      onFault: (fault) => faults.push(fault),
    });
    let taken = 0;
    engine.watchOwnership(({ kind }) => (taken += kind === 'taken' ? 1 : 0));
    run(engine);
    await engine.waitFor(await feed.fill(40, 6), WAIT_MS);
    flaky.everyNth = 13;
    while (flaky.failed < 12) {
      await engine.waitFor(await feed.fill(40, 6), WAIT_MS);
      states.push((await engineOf().status()).partitions?.[0]?.owner === null ? 'lost' : 'kept');
    }
    expect(faults.length).toBeGreaterThan(0);
    expect(new Set(states)).toEqual(new Set(['kept']));
    expect(taken).toBe(1);
    await replayed();
    log.expectForwardOnly();
  }, 60_000);

  it('one that can read no events gives way to another', async () => {
    const blind = Object.create(events, { subscribeAll: { value: failing } }) as MemoryEventStore;
    const faults: unknown[] = [];
    run(engineOf({ events: blind, retryMs: 20, onFault: (fault) => faults.push(fault) }));
    await eventually(() => faults.length > 3);
    const sound = engineOf();
    run(sound);
    await sound.waitFor(await feed.fill(60, 8), WAIT_MS);
    await replayed();
  }, 60_000);

  it('a subscription that breaks, ends or goes quiet is made anew', async () => {
    let subscriptions = 0;
    const odd: EventStore = Object.create(events, {
      subscribeAll: {
        value: async function* (options: SubscribeOptions) {
          const kind = ['breaks', 'ends', 'is quiet', 'is sound'][Math.min(subscriptions++, 3)];
          for await (const batch of events.subscribeAll({ ...options, batchSize: 5 })) {
            yield batch;
            if (kind === 'breaks') throw new Error('the connection of the test broke');
            if (kind === 'ends') return;
            if (kind === 'is quiet') {
              if (!options.signal.aborted) await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
              return;
            }
          }
        },
      },
    }) as EventStore;
    const engine = engineOf({ events: odd, stallMs: 50 });
    run(engine);
    await engine.waitFor(await feed.fill(60, 8), WAIT_MS);
    expect(subscriptions).toBe(4);
    await replayed();
  }, 60_000);

  it('a fault that is over is not told of any more, though nothing happens', async () => {
    const flaky = new FlakyStore(docs);
    const engine = engineOf({ docs: flaky.store });
    run(engine);
    await engine.waitFor(await feed.append('a', 1), WAIT_MS);
    flaky.everyNth = 1;
    await eventually(() => flaky.failed > 0);
    flaky.everyNth = 0;
    await eventually(async () => (await engine.status()).fault !== undefined || (await engine.status()).state === 'contending');
    await eventually(async () => (await engine.status()).fault === undefined && (await engine.status()).state === 'running');
  });

  it('one that is stopped leaves its partitions where it was, and no listener behind', async () => {
    const engine = engineOf();
    const stopped = run(engine);
    const position = await feed.fill(60, 8);
    await engine.waitFor(position, WAIT_MS);
    await stopped.stop();
    const { partitions } = await engine.status();
    expect(partitions?.map((one) => one.position)).toEqual(Array.from({ length: PARTITIONS }, () => position));
    expect(events.listenerCount).toBe(0);
    await expect(stopped.ended).resolves.toBeUndefined();
  });
});

/** Every point at which an engine waits for its store is one at which it can be stopped or killed (cases 54, 58). */
describe('an engine with partitions that ends at any point', () => {
  const events = new MemoryEventStore();
  let poisonedAt = 0n;

  beforeAll(async () => {
    const feed = new TallyFeed(events);
    for (let n = 0; n < 6; n++) await feed.append(`s${n % 3}`, n, DELETING_SECONDS, n + 5, DELETING_SECONDS);
    await feed.append('bad', 1);
    poisonedAt = await feed.append('bad', POISON_SECONDS);
    await feed.append('bad', 2);
  });

  it.each(['die_before', 'die_after', 'hook'] as const)(
    'by %s, is gone on with by the next',
    async (kind: Incident['kind']) => {
      const fixture = await projectionFixture();
      const log = new CheckpointLog();
      const docs = log.watch(await fixture.docs());
      let points = 0;
      for (let atCall = 1; ; atCall++) {
        const set = tallySet(atCall);
        const readModels = openReadModels(docs, set, { partitions: 3, pollMs: 5 });
        const project = async (store: DocumentStore, controller: AbortController): Promise<void> => {
          const options = { events, docs: store, set, partitions: 3, batchSize: 9, leaseMs: 40, retryMs: 1 };
          const engine = new ProjectionEngine({ ...options, readModels, onFault: (error) => crashed(error) && controller.abort() });
          const ended = engine.run(controller.signal);
          await readModels.waitFor(events.lastPosition, 10_000, controller.signal).catch(() => undefined);
          controller.abort();
          await ended;
        };
        const controller = new AbortController();
        const store = new CrashingStore(docs, { atCall, kind, hook: () => controller.abort() });
        await project(store, controller);
        await project(docs, new AbortController());
        await expectReplayed(docs, set, 1, events, { bad: poisonedAt });
        if (store.calls < atCall) break;
        points++;
      }
      expect(points).toBeGreaterThan(30);
      log.expectForwardOnly();
      await fixture.dispose();
    },
    120_000,
  );
});

const crashed = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'crashed';

const failing = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no events for the test')) }),
});

/** A store of which every so-manieth call that writes fails, in turn before and after it took effect. */
class FlakyStore {
  everyNth = 0;
  failed = 0;
  readonly store: DocumentStore;
  private calls = 0;

  constructor(docs: DocumentStore) {
    this.store = Object.create(docs, {
      compareAndSet: { value: (...call: Parameters<DocumentStore['compareAndSet']>) => this.during(() => docs.compareAndSet(...call)) },
      controls: { value: (keys: readonly string[]) => this.during(() => docs.controls(keys)) },
    }) as DocumentStore;
  }

  private async during<T>(call: () => Promise<T>): Promise<T> {
    const fails = this.everyNth > 0 && ++this.calls % this.everyNth === 0;
    if (!fails) return call();
    if (++this.failed % 2 === 0) await call();
    throw new Error('the connection of the test broke');
  }
}
