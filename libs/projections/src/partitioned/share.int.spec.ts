import { UpcastError, type EventBatch } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import {
  CheckpointLog,
  expectReplayed,
  MemoryEventStore,
  POISON_SECONDS,
  projectionFixture,
  TallyFeed,
  tallySet,
  type ProjectionFixture,
} from '@counterfoil/testing';
import fc from 'fast-check';
import { Checkpoint } from '../checkpoint.js';
import { LeaseLostError } from '../errors.js';
import { openGeneration } from '../generations.js';
import { partitionOf } from '../names.js';
import { readPositions } from '../positions.js';
import { settingsOf, type Settings } from '../settings.js';
import { GenerationShare } from './share.js';

const PARTITIONS = 5;

describe('a share of a generation', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;
  let now: number;
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = new MemoryEventStore();
    feed = new TallyFeed(events);
    now = 0;
    version++;
  });
  afterEach(() => fixture.dispose());

  const settings = (store: DocumentStore = docs, partitions = PARTITIONS): Settings =>
    settingsOf({ events, docs: store, set: tallySet(version), partitions, clock: () => now });
  const open = (store: DocumentStore = docs, partitions = PARTITIONS) =>
    GenerationShare.open(settings(store, partitions), 1, () => Promise.resolve());
  const all = (epoch: number) => new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, epoch]));
  const positions = async () => (await readPositions(docs, tallySet(version), 1, PARTITIONS))?.positions;

  /** The next batch for a share. */
  async function nextBatch(share: GenerationShare, batchSize = 500): Promise<EventBatch | null> {
    for await (const batch of events.readAll(share.position, { batchSize })) return batch;
    return null;
  }

  /** Applies everything that there is. */
  async function catchUp(share: GenerationShare): Promise<void> {
    for (;;) {
      const batch = await nextBatch(share);
      if (batch === null) return;
      await share.apply(batch);
    }
  }

  /** A stream of each partition. */
  const streamOf = (partition: number): string => {
    for (let n = 0; ; n++) if (partitionOf(`session-w1/s${n}`, PARTITIONS) === partition) return `session-w1/s${n}`;
  };

  it('applies what is of its partitions, and nothing else', async () => {
    for (let partition = 0; partition < PARTITIONS; partition++) await feed.append(streamOf(partition), 1, 2);
    const share = await open();
    await share.take(
      new Map([
        [1, 1],
        [3, 1],
      ]),
    );
    const batch = await nextBatch(share);
    const { touched } = await share.apply(batch!);
    expect([...(touched.get('streams') ?? [])].sort()).toEqual([streamOf(1), streamOf(3)].sort());
    const [streams] = await openGeneration(docs, tallySet(version), 1);
    const found: string[] = [];
    for await (const { id } of streams!.scan()) found.push(id);
    expect(found.sort()).toEqual([streamOf(1), streamOf(3)].sort());
  });

  it('begins at the smallest of its checkpoints, and applies to each what is after its own', async () => {
    for (let round = 0; round < 3; round++)
      for (let partition = 0; partition < PARTITIONS; partition++) await feed.append(streamOf(partition), 1);
    const first = await open();
    await first.take(new Map([[0, 1]]));
    await catchUp(first);
    const second = await open();
    await second.take(
      new Map([
        [0, 2],
        [1, 1],
      ]),
    );
    expect(second.position).toBe(0n);
    const { touched } = await second.apply((await nextBatch(second, 6))!);
    expect([...(touched.get('streams') ?? [])]).toEqual([streamOf(1)]);
    expect(second.position).toBe(6n);
    await second.letGo([1]);
    expect(second.position).toBe(await events.head());
  });

  it('moves the checkpoints of the partitions that had something at once, those of the others every 250 ms, and all when it lets go', async () => {
    const share = await open();
    await share.take(all(1));
    await feed.append(streamOf(2), 1);
    await share.apply((await nextBatch(share))!);
    expect(await positions()).toEqual([0n, 0n, 2n, 0n, 0n]);
    expect(share.isBehind).toBe(true);
    now = 249;
    await feed.append(streamOf(3), 1);
    await share.apply((await nextBatch(share))!);
    expect(await positions()).toEqual([0n, 0n, 2n, 4n, 0n]);
    now = 250;
    await feed.append(streamOf(3), 1);
    await share.apply((await nextBatch(share))!);
    expect(await positions()).toEqual([5n, 5n, 5n, 5n, 5n]);
    expect(share.isBehind).toBe(false);
    await feed.append(streamOf(3), 1);
    await share.apply((await nextBatch(share))!);
    await share.letGo([0, 1]);
    expect(await positions()).toEqual([6n, 6n, 5n, 6n, 5n]);
    await share.flush();
    expect(await positions()).toEqual([6n, 6n, 6n, 6n, 6n]);
  });

  it('begins where a rebuild has brought its generation, and then has checkpoints of its own', async () => {
    await feed.append('a', 1, 2, 3);
    const rebuilt = await Checkpoint.take(docs, events, tallySet(version), 1, { by: 'rebuild', epoch: 9 });
    await rebuilt.advance(3n, null);
    expect(await positions()).toEqual([3n, 3n, 3n, 3n, 3n]);
    const share = await open();
    await share.take(all(1));
    expect(share.position).toBe(3n);
    await catchUp(share);
    expect(await positions()).toContain(4n);
  });

  it('knows what the owner before has parked before it applies what comes after', async () => {
    await feed.append('bad', 1);
    const poisonedAt = await feed.append('bad', POISON_SECONDS);
    const [first, second] = [await open(), await open()];
    const partition = partitionOf('bad', PARTITIONS);
    await first.take(new Map([[partition, 1]]));
    await catchUp(first);
    await feed.append('bad', 2, 3);
    await second.take(new Map([[partition, 2]]));
    await catchUp(second);
    await expectReplayed(docs, tallySet(version), 1, events, { bad: poisonedAt });
  });

  it('is refused over another number of partitions, and over another history', async () => {
    await feed.append('a', 1);
    const share = await open();
    await share.take(all(1));
    await catchUp(share);
    const other = await open(docs, PARTITIONS + 1);
    await expect(other.take(new Map([[0, 2]]))).rejects.toMatchObject({ code: 'partition_count_mismatch', found: 5, given: 6 });
    await expect(readPositions(docs, tallySet(version), 1, 4)).rejects.toMatchObject({ code: 'partition_count_mismatch' });
    events = new MemoryEventStore({ epoch: 'another' });
    await expect((await open()).take(all(2))).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
    events = new MemoryEventStore();
    await expect((await open()).take(all(2))).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
  });

  it('is not taken by one that slept before it had it, and one that was replaced moves nothing', async () => {
    await feed.append(streamOf(0), 1);
    const old = await open();
    await old.take(all(1));
    const batch = await nextBatch(old);
    const current = await open();
    await current.take(all(2));
    await expect(old.apply(batch!)).rejects.toMatchObject({ code: 'lease_lost' });
    await old.letGo([1, 2]);
    expect(await positions()).toEqual([0n, 0n, 0n, 0n, 0n]);
    await expect((await open()).take(all(1))).rejects.toMatchObject({ code: 'lease_lost' });
    await catchUp(current);
    await expectReplayed(docs, tallySet(version), 1, events);
  });

  it('gives the documents of one owner, however batches are cut and partitions move, with late owners on the way', async () => {
    const stream = fc.integer({ min: 0, max: 8 });
    const owner = fc.integer({ min: 0, max: 2 });
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('append' as const),
          stream,
          seconds: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('poison' as const), stream }) },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('apply' as const), owner, size: fc.integer({ min: 1, max: 7 }), isLate: fc.boolean() }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('move' as const),
          owner,
          partition: fc.integer({ min: 0, max: PARTITIONS - 1 }),
          isSudden: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const), owner }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        version++;
        events = new MemoryEventStore({ upcast: twoParts });
        feed = new TallyFeed(events);
        const log = new CheckpointLog();
        const town = await Town.open(() => open(log.watch(docs)));
        const poisoned: Record<string, bigint> = {};
        for (const one of steps) {
          if (one.kind === 'append') await feed.append(`s${one.stream}`, ...one.seconds);
          else if (one.kind === 'poison') poisoned[`s${one.stream}`] ??= await feed.append(`s${one.stream}`, POISON_SECONDS);
          else if (one.kind === 'apply') await town.apply(one.owner, (share) => nextBatch(share, one.size), one.isLate);
          else if (one.kind === 'move') await town.move(one.owner, one.partition, one.isSudden);
          else now += 250;
        }
        await town.end();
        const last = await open(log.watch(docs));
        await last.take(new Map([...all(0).keys()].map((partition) => [partition, town.nextEpoch(partition)])));
        await catchUp(last);
        await expectReplayed(docs, tallySet(version), 1, events, poisoned);
        log.expectForwardOnly();
      }),
      { numRuns: 120 },
    );
  }, 240_000);
});

/** Every third event of a stream is read as two parts. */
function twoParts({ type, data, revision }: { readonly type: string; readonly data: unknown; readonly revision: bigint }) {
  if (typeof data !== 'object' || data === null) throw new UpcastError('of the test');
  return Array.from({ length: revision % 3n === 2n ? 2 : 1 }, () => ({ type, version: 1, data }));
}

/** Three owners among which partitions move; some of them late, with a batch in hand. */
class Town {
  private readonly epochs = new Map<number, number>();
  private readonly late: Promise<void>[] = [];
  private readonly latches: (() => void)[] = [];

  private constructor(
    private readonly shares: GenerationShare[],
    private readonly openShare: () => Promise<GenerationShare>,
  ) {}

  static async open(openShare: () => Promise<GenerationShare>): Promise<Town> {
    const town = new Town([await openShare(), await openShare(), await openShare()], openShare);
    for (let partition = 0; partition < PARTITIONS; partition++) await town.move(partition % 3, partition, true);
    return town;
  }

  nextEpoch(partition: number): number {
    const epoch = (this.epochs.get(partition) ?? 0) + 1;
    this.epochs.set(partition, epoch);
    return epoch;
  }

  /** @param isLate the owner is halted with the batch in hand, replaced by another process, and goes on with it at the end */
  async apply(owner: number, batchOf: (share: GenerationShare) => Promise<EventBatch | null>, isLate: boolean): Promise<void> {
    const share = this.shares[owner];
    const batch = share === undefined || share.position === null ? null : await batchOf(share);
    if (share === undefined || batch === null) return;
    if (!isLate) {
      await this.orReplaced(owner, share.apply(batch));
      return;
    }
    this.shares[owner] = await this.openShare();
    await this.shares[owner].take(new Map([...share.partitions().keys()].map((partition) => [partition, this.nextEpoch(partition)])));
    const woken = new Promise<void>((resolve) => this.latches.push(resolve));
    this.late.push(
      woken
        .then(() => share.apply(batch))
        .then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof LeaseLostError)) throw error;
          },
        ),
    );
  }

  /** @param isSudden the owner before isn't told */
  async move(owner: number, partition: number, isSudden: boolean): Promise<void> {
    for (const [other, share] of this.shares.entries()) {
      if (!share.has(partition) || isSudden) continue;
      await this.orReplaced(other, share.letGo([partition]));
    }
    // Some of the late ones wake in the middle of it.
    if (partition % 2 === 0) this.latches.shift()?.();
    await this.shares[owner]?.letGo([partition]);
    await this.shares[owner]?.take(new Map([[partition, this.nextEpoch(partition)]]));
  }

  async end(): Promise<void> {
    for (const wake of this.latches) wake();
    await Promise.all(this.late);
  }

  /** An owner that finds out that it was replaced begins anew, with nothing. */
  private async orReplaced(owner: number, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      this.shares[owner] = await this.openShare();
    }
  }
}
