import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch } from '@counterfoil/event-store';
import type { Collection, DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, POISON_SECONDS, projectionFixture, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import fc from 'fast-check';
import { Applier, type ApplierTerms } from './applier.js';
import { openGeneration } from './generations.js';
import { ParkedStreams } from './parked.js';

describe('applying batches', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
  });
  afterEach(() => fixture.dispose());

  /** An applier over new or shared documents, with parked streams of its own memory. */
  async function applierOf(of: number, options: Partial<ApplierTerms> = {}): Promise<Applier> {
    const set = tallySet(of);
    const parked = await ParkedStreams.load(docs, set, 1, 100);
    return new Applier({
      set,
      collections: await openGeneration(docs, set, 1),
      ensureHeld: () => Promise.resolve(),
      isParked: (stream, position) => parked.isParked(stream, position),
      onPoison: (poison) => parked.park(poison),
      ...options,
    });
  }

  /** Documents with their guards, tombstones too. */
  async function contents(of: number): Promise<Record<string, string>> {
    const all: Record<string, string> = {};
    for (const collection of await openGeneration(docs, tallySet(of), 1)) {
      const name = collection.spec.name.split('_').at(-1);
      for await (const { id, doc, guard } of collection.scan()) all[`${name}:${id}`] = `${guard}:${JSON.stringify(doc)}`;
    }
    return all;
  }

  const batchesOf = async (events: MemoryEventStore, sizes: () => number): Promise<EventBatch[]> => {
    const batches: EventBatch[] = [];
    for (let after = 0n; ;) {
      const [batch] = await first(events.readAll(after, { batchSize: sizes() }));
      if (batch === undefined) return batches;
      batches.push(batch);
      after = batch.position;
    }
  };

  it('gives the same documents and guards however events are cut, repeated, and raced by one who lags', async () => {
    const streams = fc.constantFrom('a', 'b', 'c');
    const seconds = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 1, arbitrary: fc.constant(POISON_SECONDS) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(streams, fc.array(seconds, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 1 }),
        async (appends, sizes, laggards) => {
          const events = new MemoryEventStore({
            // Every third event of a stream is read as two parts.
            upcast: ({ type, data, revision }) => Array.from({ length: revision % 3n === 2n ? 2 : 1 }, () => ({ type, version: 1, data })),
          });
          const feed = new TallyFeed(events);
          for (const [stream, leases] of appends) await feed.append(stream, ...leases);
          const [plain, wild] = [++version, ++version];
          const one = await applierOf(plain);
          for (const batch of await batchesOf(events, () => 1)) await one.apply(batch);

          let cut = 0;
          const batches = await batchesOf(events, () => sizes[cut++ % sizes.length] ?? 1);
          const applyAll = async (pauses: readonly number[]): Promise<void> => {
            let applier = await applierOf(wild);
            for (const [n, batch] of batches.entries()) {
              await applier.apply(batch);
              const pause = pauses[n % pauses.length] ?? 0;
              if (pause === 0) continue;
              // A restart before the checkpoint was moved: the batch comes again.
              applier = await applierOf(wild);
              for (let turn = 0; turn < pause; turn++) await nextTurn();
              await applier.apply(batch);
            }
          };
          await Promise.all([applyAll([0]), applyAll(laggards)]);
          expect(await contents(wild)).toEqual(await contents(plain));
        },
      ),
      { numRuns: 80 },
    );
  }, 60_000);

  it('folds again what others wrote meanwhile, and gives up when that never ends', async () => {
    const events = new MemoryEventStore();
    await new TallyFeed(events).append('a', 1, 2);
    const set = tallySet(++version);
    const [streams, ...others] = await openGeneration(docs, set, 1);
    let left = 3;
    const contested: Collection<unknown> = Object.create(streams!, {
      bulkWrite: {
        value: async (writes: Parameters<Collection<unknown>['bulkWrite']>[0]) =>
          left-- > 0 ? { conflicts: writes.map(({ id }) => id) } : streams!.bulkWrite(writes),
      },
    }) as Collection<unknown>;
    const [batch] = await batchesOf(events, () => 100);
    await (await applierOf(version, { collections: [contested, ...others] })).apply(batch!);
    expect((await streams!.get('a'))?.doc).toMatchObject({ count: 3 });
    left = Number.POSITIVE_INFINITY;
    const again = await applierOf(++version, { collections: [contested, ...others] });
    await new TallyFeed(events).append('a', 3);
    const [, next] = await batchesOf(events, () => 3);
    await expect(again.apply(next!)).rejects.toMatchObject({ code: 'projection_conflicts' });
  });

  it('writes nothing once the lease is lost', async () => {
    const events = new MemoryEventStore();
    await new TallyFeed(events).append('a', 1);
    const applier = await applierOf(++version, { ensureHeld: () => Promise.reject(new Error('lost')) });
    const [batch] = await batchesOf(events, () => 100);
    await expect(applier.apply(batch!)).rejects.toThrow('lost');
    expect(await contents(version)).toEqual({});
  });
});

async function first<T>(items: AsyncIterable<T>): Promise<T[]> {
  for await (const item of items) return [item];
  return [];
}
