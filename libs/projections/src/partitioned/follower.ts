import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFatal, LeaseLostError } from '../errors.js';
import type { Applied } from '../follower.js';
import { GenerationSweep } from '../generation-sweep.js';
import { readPointer } from '../generations.js';
import type { Settings } from '../settings.js';
import { StallWatch } from '../stall-watch.js';
import { pause } from '../timing.js';
import { Batches } from './batches.js';
import type { Ownership } from './ownership.js';
import { GenerationShare, IDLE_MS } from './share.js';
import type { Slot } from './slots.js';

export interface PartitionFollowerEvents {
  /** Another generation is worked on from now on. */
  onGeneration(): void;
  onApplied(applied: Applied, partitions: Iterable<number>): void;
  /** Something failed, and is tried again. */
  onFault(error: unknown): void;
  hasFault(): boolean;
  /** What failed works again, or at least nothing is left to do. */
  onWell(): void;
}

/** So many failures in a row are borne with the partitions in hand; then another process may have more luck with them. */
const MOST_FAILURES = 3;

/** Follows the events into those partitions of the active generation that this process has, for as long as it has its slot. */
export class PartitionFollower {
  private current: { readonly generation: number; readonly moved: AbortController } | null = null;
  private readonly stall: StallWatch;
  private readonly sweep: GenerationSweep;
  private failures = 0;
  private failedAt: number;
  private isLooking = false;
  /** No partition is there to be worked on. */
  private hasNothing = false;

  constructor(
    private readonly settings: Settings,
    private readonly slot: Slot,
    private readonly ownership: Ownership,
    private readonly events: PartitionFollowerEvents,
  ) {
    this.stall = new StallWatch(settings);
    this.sweep = new GenerationSweep(settings);
    this.failedAt = settings.clock();
  }

  /**
   * Runs until the signal aborts.
   * @throws LeaseLostError, what no second try can mend, and what failed again and again
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.beat(signal);
      while (!signal.aborted) await this.tryFollow(signal);
    } finally {
      await this.sweep.end();
    }
  }

  /** What is looked after at each beat of the slot's lease. A store that can't be reached is asked again at the next. */
  async beat(signal: AbortSignal): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.look(signal);
    } catch (error) {
      if (!signal.aborted) this.failed(error);
    } finally {
      this.isLooking = false;
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    const { docs, set } = this.settings;
    const { generation } = await readPointer(docs, set);
    if (this.current !== null && generation !== this.current.generation) this.current.moved.abort();
    await this.ownership.look();
    await this.stall.look();
    // One process is enough for it.
    if (this.ownership.kept().has(0)) this.sweep.beginIfTime(signal);
    await this.lookWhetherWell();
  }

  private async tryFollow(signal: AbortSignal): Promise<void> {
    try {
      await this.followGeneration(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LeaseLostError || isFatal(error) || ++this.failures > MOST_FAILURES) throw error;
      this.failed(error);
      await pause(this.settings.retryMs * 2 ** this.failures, signal);
    }
  }

  private async followGeneration(signal: AbortSignal): Promise<void> {
    const { docs, set } = this.settings;
    const { generation } = await readPointer(docs, set);
    const moved = new AbortController();
    this.current = { generation, moved };
    const share = await GenerationShare.open(this.settings, generation, () => this.slot.lease.ensureHeld());
    this.events.onGeneration();
    const until = AbortSignal.any([signal, moved.signal]);
    while (!until.aborted) {
      // Asked for first: what changes while the share is brought in line with it ends the subscription again.
      const change = this.ownership.nextChange();
      await this.settle(share);
      await this.followShare(share, AbortSignal.any([until, change]));
    }
    if (!this.slot.lease.lost.aborted) await share.letGo(share.partitions().keys());
  }

  /** Brings what is worked on in line with what this process has. */
  private async settle(share: GenerationShare): Promise<void> {
    const kept = this.ownership.kept();
    await share.letGo(
      [...share.partitions()].filter(([partition, epoch]) => kept.get(partition) !== epoch).map(([partition]) => partition),
    );
    await this.ownership.giveBack((partition) => share.has(partition));
    const missing = new Map([...this.ownership.kept()].filter(([partition]) => !share.has(partition)));
    if (missing.size > 0) await share.take(missing);
  }

  /** Applies what comes, until the signal aborts or the subscription ends. */
  private async followShare(share: GenerationShare, until: AbortSignal): Promise<void> {
    const { position } = share;
    if (position === null) {
      this.hasNothing = true;
      await aborted(until);
      this.hasNothing = false;
      return;
    }
    const stop = new AbortController();
    this.stall.begin(position, stop);
    const signal = AbortSignal.any([until, stop.signal]);
    const { events, batchSize } = this.settings;
    const batches = new Batches(events.subscribeAll({ after: position === 0n ? null : position, batchSize, signal }));
    try {
      for (;;) {
        const next = await batches.next(share.isBehind ? IDLE_MS : null);
        if (signal.aborted) return;
        // By itself it shouldn't: not to begin anew at once, again and again.
        if (next === 'ended') {
          await pause(this.settings.retryMs, signal);
          return;
        }
        if (next === 'nothing_yet') {
          await share.flush();
          continue;
        }
        this.stall.busy();
        const { touched, lastEventAt } = await share.apply(next);
        this.stall.delivered(next.position);
        this.failures = 0;
        const applied = { generation: share.generation, position: next.position, lastEventAt, touched };
        this.events.onApplied(applied, share.partitions().keys());
        await nextTurn();
      }
    } finally {
      stop.abort();
      this.stall.end();
      await batches.end();
    }
  }

  private failed(error: unknown): void {
    this.failedAt = this.settings.clock();
    this.events.onFault(error);
  }

  /** Where nothing happens no batch says that all is well again: that nothing failed for a while does, with nothing left to apply. */
  private async lookWhetherWell(): Promise<void> {
    const { clock, leaseMs } = this.settings;
    if (!this.events.hasFault() || clock() - this.failedAt < leaseMs) return;
    if (!this.hasNothing && !(await this.stall.isAtHead())) return;
    this.failures = 0;
    this.events.onWell();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    }
  });
}
