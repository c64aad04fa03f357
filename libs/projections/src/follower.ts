import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch } from '@counterfoil/event-store';
import { Applier, type Touched } from './applier.js';
import { Checkpoint } from './checkpoint.js';
import { dropRetired, openGeneration, readPointer } from './generations.js';
import type { Lease } from './lease.js';
import { ParkedStreams } from './parked.js';
import { lastEventId, type Settings } from './settings.js';

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

/** How often old generations are looked for. */
const SWEEP_MS = 5000;

/** Follows the events into the active generation for as long as the lease is held, and moves on when the pointer does. */
export class Follower {
  private readonly following: { generation: number; stop: AbortController; deliveredAt: number; position: bigint; isBusy: boolean };
  /** Infinite while a sweep runs, and at the end. */
  private sweptAt = Number.NEGATIVE_INFINITY;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly lease: Lease,
    private readonly events: FollowerEvents,
  ) {
    this.following = { generation: 0, stop: new AbortController(), deliveredAt: settings.clock(), position: 0n, isBusy: false };
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.followGeneration(signal);
    } finally {
      this.sweptAt = Number.POSITIVE_INFINITY;
      await this.sweeping;
    }
  }

  /** What is looked after at each beat of the lease. */
  async beat(signal: AbortSignal): Promise<void> {
    const { docs, set } = this.settings;
    const { generation } = await readPointer(docs, set);
    if (this.following.generation !== 0 && generation !== this.following.generation) this.following.stop.abort();
    await this.watchForStall();
    this.sweep(signal);
  }

  private async followGeneration(signal: AbortSignal): Promise<void> {
    const { docs, events, set, batchSize, clock, mostParked } = this.settings;
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
    Object.assign(this.following, { generation, stop, deliveredAt: clock(), position: checkpoint.position, isBusy: false });
    this.events.onGeneration(generation, checkpoint.position, parked);
    const until = AbortSignal.any([signal, stop.signal]);
    const after = checkpoint.position === 0n ? null : checkpoint.position;
    for await (const batch of events.subscribeAll({ after, batchSize, signal: until })) {
      if (until.aborted) return;
      this.following.isBusy = true;
      const touched = await applier.apply(batch);
      await checkpoint.advance(batch.position, lastEventId(batch));
      Object.assign(this.following, { deliveredAt: clock(), position: batch.position, isBusy: false });
      this.events.onApplied(appliedOf(generation, batch, touched));
      await nextTurn();
    }
  }

  /** A subscription can go quiet without an error (case 59): when the head has been ahead for long, a new one is made. */
  private async watchForStall(): Promise<void> {
    const { events, clock, stallMs } = this.settings;
    const { following } = this;
    if (following.isBusy || clock() - following.deliveredAt < stallMs) return;
    const { stop, position } = following;
    following.deliveredAt = clock();
    if ((await events.head()) > position && following.position === position) stop.abort();
  }

  /** Beside the beat, since to drop a large generation takes longer than a lease. */
  private sweep(signal: AbortSignal): void {
    const { docs, set, graceMs, now, clock } = this.settings;
    if (clock() - this.sweptAt < Math.min(SWEEP_MS, graceMs)) return;
    this.sweptAt = Number.POSITIVE_INFINITY;
    this.sweeping = dropRetired(docs, set, graceMs, now(), signal)
      // What could not be dropped now is found again.
      .catch(() => undefined)
      .then(() => {
        this.sweptAt = clock();
      });
  }
}

function appliedOf(generation: number, batch: EventBatch, touched: Touched): Applied {
  return { generation, position: batch.position, lastEventAt: batch.events.at(-1)?.metadata.recordedAt ?? null, touched };
}
