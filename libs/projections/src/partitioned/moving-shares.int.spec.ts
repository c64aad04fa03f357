import { UpcastError, type EventBatch } from '@counterfoil/event-store';
import { CheckpointLog, expectReplayed, MemoryEventStore, POISON_SECONDS, TallyFeed, tallySet } from '@counterfoil/testing';
import fc from 'fast-check';
import { LeaseLostError } from '../errors.js';
import type { GenerationShare } from './share.js';
import { all, PARTITIONS, shareScene } from './testing/share-scene.js';

describe('a share of a generation', () => {
  const scene = shareScene();

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
        scene.version++;
        scene.events = new MemoryEventStore({ upcast: twoParts });
        scene.feed = new TallyFeed(scene.events);
        const log = new CheckpointLog();
        const town = await Town.open(() => scene.open(log.watch(scene.docs)));
        const poisoned: Record<string, bigint> = {};
        for (const one of steps) {
          if (one.kind === 'append') await scene.feed.append(`s${one.stream}`, ...one.seconds);
          else if (one.kind === 'poison') poisoned[`s${one.stream}`] ??= await scene.feed.append(`s${one.stream}`, POISON_SECONDS);
          else if (one.kind === 'apply') await town.apply(one.owner, (share) => scene.nextBatch(share, one.size), one.isLate);
          else if (one.kind === 'move') await town.move(one.owner, one.partition, one.isSudden);
          else scene.now += 250;
        }
        await town.end();
        const last = await scene.open(log.watch(scene.docs));
        await last.take(new Map([...all(0).keys()].map((partition) => [partition, town.nextEpoch(partition)])));
        await scene.catchUp(last);
        await expectReplayed(scene.docs, tallySet(scene.version), 1, scene.events, poisoned);
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
