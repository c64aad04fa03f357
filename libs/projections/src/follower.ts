import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch } from '@counterfoil/event-store';
import { Applier, type Touched } from './applier.js';
import { Checkpoint } from './checkpoint.js';
import { GenerationSweep } from './generation-sweep.js';
import { openGeneration, readPointer } from './generations.js';
import type { Lease } from './lease.js';
import { ParkedStreams } from './parked.js';
import { lastEventId, type Settings } from './settings.js';
import { StallWatch } from './stall-watch.js';

/** One applied batch. */
export interface Applied {
  readonly generation: number;
  /** Everything up to here is in the documents. */
  readonly position: bigint;
  /** Recorded time of its last event; null when it had none that could be read. */
  readonly lastEventAt: string | null;
  readonly touched: Touched;
}

export interface FollowerEvents {
  /** The engine works on this generation from now on. */
  onGeneration(generation: number, position: bigint, parked: ParkedStreams): void;
  onApplied(applied: Applied): void;
}

/** Follows the events into the active generation for as long as the lease is held, and moves on when the pointer does. */
export class Follower {
  /** The generation that is followed; 0 for none yet. */
  private generation = 0;
  private readonly stall: StallWatch;
  private readonly sweep: GenerationSweep;

  constructor(
    private readonly settings: Settings,
    private readonly lease: Lease,
    private readonly events: FollowerEvents,
  ) {
    this.stall = new StallWatch(settings);
    this.sweep = new GenerationSweep(settings);
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.followGeneration(signal);
    } finally {
      await this.sweep.end();
    }
  }

  /** What is looked after at each beat of the lease. */
  async beat(signal: AbortSignal): Promise<void> {
    const { docs, set } = this.settings;
    const { generation } = await readPointer(docs, set);
    if (this.generation !== 0 && generation !== this.generation) this.stall.stop();
    await this.stall.look();
    this.sweep.beginIfTime(signal);
  }

  private async followGeneration(signal: AbortSignal): Promise<void> {
    const { docs, events, set, batchSize, mostParked } = this.settings;
    const { generation } = await readPointer(docs, set);
    const stop = new AbortController();
    const collections = await openGeneration(docs, set, generation);
    const checkpoint = await Checkpoint.take(docs, events, set, generation, { by: 'live', epoch: this.lease.epoch });
    const parked = await ParkedStreams.load(docs, set, generation, mostParked);
    const applier = new Applier({
      set,
      collections,
      ensureHeld: () => this.lease.ensureHeld(),
      isParked: (stream, position) => parked.isParked(stream, position),
      onPoison: (poison) => parked.park(poison),
    });
    this.generation = generation;
    this.stall.begin(checkpoint.position, stop);
    this.events.onGeneration(generation, checkpoint.position, parked);
    const until = AbortSignal.any([signal, stop.signal]);
    const after = checkpoint.position === 0n ? null : checkpoint.position;
    for await (const batch of events.subscribeAll({ after, batchSize, signal: until })) {
      if (until.aborted) return;
      this.stall.busy();
      const touched = await applier.apply(batch);
      await checkpoint.advance(batch.position, lastEventId(batch));
      this.stall.delivered(batch.position);
      this.events.onApplied(appliedOf(generation, batch, touched));
      await nextTurn();
    }
  }
}

export function appliedOf(generation: number, batch: EventBatch, touched: Touched): Applied {
  return { generation, position: batch.position, lastEventAt: batch.events.at(-1)?.metadata.recordedAt ?? null, touched };
}
