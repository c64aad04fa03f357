import { setImmediate as nextTurn } from 'node:timers/promises';
import { Applier } from './applier.js';
import { Checkpoint } from './checkpoint.js';
import { CheckpointAheadError, LeaseLostError, RebuildError } from './errors.js';
import {
  dropGeneration,
  dropRetired,
  nextGeneration,
  openGeneration,
  readBuilding,
  readPointer,
  switchPointer,
  writeBuilding,
  type Building,
} from './generations.js';
import { takeLease, type Lease } from './lease.js';
import { rebuildLeaseKey } from './names.js';
import { beatMs, lastEventId, settingsOf, type ProjectionOptions, type Settings } from './settings.js';
import { Nudge } from './timing.js';
import { underLease } from './under-lease.js';

export interface RebuildProgress {
  readonly generation: number;
  readonly position: bigint;
  readonly head: bigint;
  /** Events that this run has read. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Seconds to the head at this rate; null while nothing can be said. */
  readonly etaSeconds: number | null;
}

export interface RebuildOptions extends ProjectionOptions {
  /** Called after each batch. */
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RebuildResult {
  readonly generation: number;
  /** The generation that queries read before. */
  readonly replaced: number;
  readonly position: bigint;
  readonly events: number;
  readonly seconds: number;
  /** True when a rebuild that was killed has been gone on with. */
  readonly resumed: boolean;
}

/** Under constant appends the head is never quite reached: each round is shorter than the one before, and this many are enough. */
const MOST_ROUNDS = 20;

/**
 * Rebuilds a set from zero beside the live generation, and switches to the new one when it has reached the head (promise 27). A rebuild
 * that was killed or aborted is gone on with by the next. The old generation is dropped after its grace.
 * @throws RebuildError at a poison event; RebuildInProgressError; LeaseLostError when another process took over; the reason of an abort
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const settings = settingsOf(options);
  const signal = options.signal ?? new AbortController().signal;
  const { docs, set, owner, leaseMs, clock } = settings;
  const lease = await takeLease({ docs, key: rebuildLeaseKey(set), owner, leaseMs, clock }, signal, 'refuse');
  signal.throwIfAborted();
  if (lease === null) throw new LeaseLostError(rebuildLeaseKey(set));
  return underLease(lease, signal, { everyMs: beatMs(settings), nudge: new Nudge() }, async (inner) => {
    const run = new RebuildRun(settings, lease, inner, options.onProgress ?? (() => undefined));
    try {
      return await run.run();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  });
}

interface Target {
  readonly building: Building;
  readonly checkpoint: Checkpoint;
  readonly resumed: boolean;
}

class RebuildRun {
  private readonly startedAt: number;
  private events = 0;

  constructor(
    private readonly settings: Settings,
    private readonly lease: Lease,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: RebuildProgress) => void,
  ) {
    this.startedAt = settings.clock();
  }

  async run(): Promise<RebuildResult> {
    const { docs, set, graceMs, now, clock } = this.settings;
    await dropRetired(docs, set, graceMs, now(), this.signal);
    const pointer = await readPointer(docs, set);
    const target = await this.target(pointer.generation);
    const { generation } = target.building;
    await this.fill(target);
    await this.ensureHeld();
    await switchPointer(docs, set, pointer, generation, now());
    await writeBuilding(docs, set, target.building, { generation, state: 'done' });
    const { position } = target.checkpoint;
    const seconds = (clock() - this.startedAt) / 1000;
    return { generation, replaced: pointer.generation, position, events: this.events, seconds, resumed: target.resumed };
  }

  /** The generation that a killed rebuild has left behind, or a new one. */
  private async target(active: number): Promise<Target> {
    const { docs, set } = this.settings;
    const before = await readBuilding(docs, set);
    if (before.state === 'building' && before.generation !== active) {
      try {
        return { building: before, checkpoint: await this.checkpoint(before.generation), resumed: true };
      } catch (error) {
        if (!(error instanceof CheckpointAheadError)) throw error;
        // It was made from another history: worth nothing.
        await dropGeneration(docs, set, before.generation);
      }
    }
    const generation = await nextGeneration(docs, set);
    const building = await writeBuilding(docs, set, before, { generation, state: 'building' });
    return { building, checkpoint: await this.checkpoint(generation), resumed: false };
  }

  private checkpoint(generation: number): Promise<Checkpoint> {
    const { docs, events, set } = this.settings;
    return Checkpoint.take(docs, events, set, generation, { by: 'rebuild', epoch: this.lease.epoch });
  }

  private async fill(target: Target): Promise<void> {
    const { docs, set } = this.settings;
    const { generation } = target.building;
    const applier = new Applier({
      set,
      collections: await openGeneration(docs, set, generation),
      ensureHeld: () => this.ensureHeld(),
      isParked: () => false,
      onPoison: (poison) => Promise.reject(new RebuildError(poison)),
    });
    try {
      for (let round = 1; round <= MOST_ROUNDS; round++) {
        const before = target.checkpoint.position;
        await this.readToHead(applier, target);
        const { position } = target.checkpoint;
        if (position === before || position >= (await this.settings.events.head())) return;
      }
    } catch (error) {
      if (error instanceof RebuildError) await this.giveUp(target.building);
      throw error;
    }
  }

  private async readToHead(applier: Applier, { building, checkpoint }: Target): Promise<void> {
    const { events, batchSize } = this.settings;
    const after = checkpoint.position === 0n ? null : checkpoint.position;
    const head = await events.head();
    const startedAt = { time: this.settings.clock(), position: checkpoint.position };
    for await (const batch of events.readAll(after, { batchSize })) {
      await this.ensureHeld();
      await applier.apply(batch);
      await checkpoint.advance(batch.position, lastEventId(batch));
      this.events += batch.events.length + batch.unreadable.length;
      this.onProgress(this.progress(building.generation, checkpoint.position, head, startedAt));
      await nextTurn();
    }
    await this.ensureHeld();
  }

  private progress(
    generation: number,
    position: bigint,
    head: bigint,
    since: { readonly time: number; readonly position: bigint },
  ): RebuildProgress {
    const now = this.settings.clock();
    const perSecond = (count: number, from: number): number => (now > from ? (count * 1000) / (now - from) : 0);
    const positionsPerSecond = perSecond(Number(position - since.position), since.time);
    const left = head > position ? Number(head - position) : 0;
    return {
      generation,
      position,
      head,
      events: this.events,
      eventsPerSecond: Math.round(perSecond(this.events, this.startedAt)),
      etaSeconds: positionsPerSecond > 0 ? Math.ceil(left / positionsPerSecond) : null,
    };
  }

  /** After a poison event nothing is gone on with: what was folded so far may have been folded by the code at fault. */
  private async giveUp(building: Building): Promise<void> {
    const { docs, set } = this.settings;
    await writeBuilding(docs, set, building, { generation: building.generation, state: 'failed' });
    await dropGeneration(docs, set, building.generation);
  }

  /** Asked before every write: stops at an abort as well as at a lost lease. */
  private async ensureHeld(): Promise<void> {
    await this.lease.ensureHeld();
    this.signal.throwIfAborted();
  }
}
