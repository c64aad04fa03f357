import { UpcastError } from '@counterfoil/event-store';
import type { DocumentStore, ProjectionSet } from '@counterfoil/read-models';
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
import { ProjectionEngine, rebuild, type EngineOptions } from './index.js';

const set = tallySet();

describe('poison events', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let running: Running[];

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

  function started(options: Partial<EngineOptions> = {}): ProjectionEngine {
    const engine = new ProjectionEngine({ events, docs, set, leaseMs: 400, retryMs: 1, ...options });
    running.push(start(engine));
    return engine;
  }

  /** Three streams in turn; the second has a poison event in its middle. Answers its position. */
  async function threeStreams(): Promise<bigint> {
    for (const stream of ['a', 'b', 'c']) await feed.append(stream, 1, 2);
    const before = await events.head();
    await feed.append('b', 3, POISON_SECONDS, 4);
    for (const stream of ['c', 'b', 'a']) await feed.append(stream, 5, 6);
    return before + 2n;
  }

  it.each([1, 2, 3, 5, 100])('parks the stream and applies its neighbours exactly once, in batches of %d', async (batchSize) => {
    const position = await threeStreams();
    const engine = started({ batchSize });
    await engine.waitFor(await events.head(), 5000);
    await expectReplayed(docs, set, 1, events, { b: position });
    const { parked, parkedCount } = await engine.status();
    expect(parked).toEqual([{ stream: 'b', position, type: 'LeaseExtended', reason: 'poisoned' }]);
    expect(parkedCount).toBe(1);
  });

  it('says nothing of what stands in the event', async () => {
    await threeStreams();
    const faults: unknown[] = [];
    const engine = started({ onFault: (error) => faults.push(error) });
    await engine.waitFor(await events.head(), 5000);
    const status = JSON.stringify(await engine.status(), (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
    expect(status).toContain('poisoned');
    expect(status).not.toContain('FAKE');
    expect(faults).toEqual([]);
  });

  it('keeps the stream parked after a restart and in another engine', async () => {
    const position = await threeStreams();
    const first = started({ batchSize: 4 });
    await first.waitFor(await events.head(), 5000);
    await running.pop()?.stop();
    await feed.append('b', 7);
    await feed.append('a', 7);
    const second = started();
    await second.waitFor(await events.head(), 5000);
    await expectReplayed(docs, set, 1, events, { b: position });
  });

  it('parks the stream of an event that cannot be read, and reads on', async () => {
    let isBroken = false;
    events = new MemoryEventStore({
      upcast: (stored) => {
        if (isBroken && stored.stream === 'b' && stored.revision === 3n) throw new UpcastError('of the test');
        return [{ type: stored.type, version: 1, data: stored.data }];
      },
    });
    feed = new TallyFeed(events);
    for (const stream of ['a', 'b', 'a', 'b', 'a', 'b', 'c']) await feed.append(stream, 1, 2);
    isBroken = true;
    const engine = started({ batchSize: 6 });
    await engine.waitFor(await events.head(), 5000);
    const { parked } = await engine.status();
    expect(parked).toMatchObject([{ stream: 'b', type: 'LeaseExtended', reason: 'unreadable' }]);
    await expectReplayed(docs, set, 1, events, { b: parked[0]?.position ?? 0n });
  });

  it('parks many streams, and fails when there are too many', async () => {
    for (let n = 0; n < 12; n++) await feed.append(`s${n}`, 1, POISON_SECONDS);
    const engine = started({ batchSize: 5 });
    await engine.waitFor(await events.head(), 5000);
    expect((await engine.status()).parked.map(({ stream }) => stream)).toEqual(Array.from({ length: 12 }, (_, n) => `s${n}`));
    await running.pop()?.stop();
    const strict = new ProjectionEngine({ events, docs, set: tallySet(2), leaseMs: 400, mostParked: 3 });
    await expect(strict.run(new AbortController().signal)).rejects.toMatchObject({ code: 'too_many_parked_streams' });
    expect(await strict.status()).toMatchObject({ state: 'failed', fault: { code: 'too_many_parked_streams' } });
  });

  it('stops a rebuild at once, names the event, and leaves the live generation alone', async () => {
    const position = await threeStreams();
    const engine = started();
    await engine.waitFor(await events.head(), 5000);
    const failure = rebuild({ events, docs, set, batchSize: 3 });
    await expect(failure).rejects.toMatchObject({
      code: 'rebuild_failed',
      poison: { stream: 'b', position, type: 'LeaseExtended', reason: 'poisoned', projection: 'calls' },
    });
    await expect(failure).rejects.not.toThrow('FAKE');
    expect(await docs.collections('tally_v1_g')).toEqual(['calls', 'remainders', 'streams', 'types'].map((name) => `tally_v1_g1_${name}`));
    expect(await engine.status()).toMatchObject({ state: 'running', generation: 1, parkedCount: 1 });
    expect((await engine.status()).rebuild).toBeUndefined();
  });

  it('a rebuild with the fault mended brings the stream back', async () => {
    await threeStreams();
    const engine = started();
    await engine.waitFor(await events.head(), 5000);
    await expect(rebuild({ events, docs, set })).rejects.toMatchObject({ code: 'rebuild_failed' });
    const mended = forgiving(set);
    const { generation } = await rebuild({ events, docs, set: mended });
    await expectReplayed(docs, mended, generation, events);
    await feed.append('b', 8);
    await eventually(async () => (await engine.status()).lagPositions === 0n);
    expect(await engine.status()).toMatchObject({ generation, parked: [] });
    await expectReplayed(docs, mended, generation, events);
  });

  it.each([1, 4, 100])(
    'parks the stream of a document that the store refuses, at the event that does it, in batches of %d',
    async (size) => {
      const strict = clashing(set);
      await feed.append('a', 1, 2, 3);
      await feed.append('b', 1, 2);
      const before = await events.head();
      await feed.append('c', 1);
      await feed.append('b', 3, 4);
      await feed.append('a', 4);
      const engine = started({ set: strict, batchSize: size });
      await engine.waitFor(await events.head(), 5000);
      // The fourth event of b would have the place that a took with its own.
      expect((await engine.status()).parked).toMatchObject([{ stream: 'b', position: before + 3n, reason: 'unique_violation' }]);
      const streams = await engine.readModels.collection<{ count: number }>('streams');
      expect((await streams.get('a'))?.doc).toMatchObject({ count: 5 });
    },
  );

  it.each([1, 100])(
    'parks the stream whose projection gives an impossible id, or fails over the fields, in batches of %d',
    async (size) => {
      const first = set.projections[0]!;
      const others = set.projections.slice(1);
      const odd = {
        ...first,
        idOf: (event: Parameters<typeof first.idOf>[0]) => (event.stream === 'b' && event.revision === 2n ? '\ud800' : event.stream),
      };
      const failing = {
        ...others[0]!,
        fields: (doc: unknown) => {
          const { seconds, receiptId } = doc as { seconds: number; receiptId: string };
          if (seconds === 77) throw new TypeError('FAKE-fields');
          return { seconds, receiptId };
        },
      };
      const faulty: ProjectionSet = { ...set, projections: [odd, failing, ...others.slice(1)] };
      await feed.append('a', 1, 1, 1);
      await feed.append('b', 1, 1, 1);
      await feed.append('c', 3, 77, 5);
      const engine = started({ set: faulty, batchSize: size });
      await engine.waitFor(await events.head(), 5000);
      expect((await engine.status()).parked).toMatchObject([
        { stream: 'b', position: 7n, reason: 'invalid_id' },
        { stream: 'c', position: 11n, reason: 'TypeError' },
      ]);
    },
  );
});

/** Takes the poison for an ordinary event. */
function forgiving(poisoned: ProjectionSet): ProjectionSet {
  const projections = poisoned.projections.map((projection) => ({
    ...projection,
    evolve: (...[doc, event, id]: Parameters<typeof projection.evolve>) =>
      event.type === 'LeaseExtended' && event.data.leaseSeconds === POISON_SECONDS ? doc : projection.evolve(doc, event, id),
  }));
  return { ...poisoned, projections };
}

/** Two streams can't have four or more events each. */
function clashing(set: ProjectionSet): ProjectionSet {
  const [first, ...others] = set.projections;
  const indexes = [{ name: 'by_count', fields: ['count'], unique: true }];
  const fields = (doc: unknown) => {
    const { count, stream } = doc as { count: number; stream: string };
    return { count: count >= 4 ? 'many' : `${stream}/${count}` };
  };
  return { ...set, projections: [{ ...first!, indexes, fields }, ...others] };
}
