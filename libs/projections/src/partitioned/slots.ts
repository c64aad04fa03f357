import type { ControlDocument } from '@counterfoil/read-models';
import { isFree, killLease, tryTakeLease, type Lease } from '../lease.js';
import { slotKey } from '../names.js';
import type { Settings } from '../settings.js';
import { pause } from '../timing.js';

/** A place among the processes that share a set's partitions, held by this one. */
export interface Slot {
  readonly index: number;
  readonly lease: Lease;
}

/** What was seen of a slot that somebody has had. */
export interface SlotState {
  readonly owner: string;
  readonly epoch: number;
  /** Does somebody hold it, as far as this process can tell? */
  readonly isHeld: boolean;
}

/** The longest that a process without a slot sleeps between two looks. */
const LONGEST_LOOK_MS = 500;

/**
 * The places for processes, as many as there are partitions: each is a lease, so that a process keeps all its partitions by one beat. This
 * process watches those of the others, by its own clock.
 */
export class Slots {
  readonly keys: readonly string[];
  /** The revision at which a slot was seen last, and since when. */
  private readonly watched = new Map<number, { readonly revision: bigint; readonly since: number }>();

  constructor(private readonly settings: Settings) {
    this.keys = Array.from({ length: settings.partitions }, (_, index) => slotKey(settings.set, index));
  }

  /** Takes a free slot, and waits for one where there is none; null when the signal aborted first. */
  async join(signal: AbortSignal): Promise<Slot | null> {
    const { docs, clock, leaseMs } = this.settings;
    while (!signal.aborted) {
      const askedAt = clock();
      const states = await this.judge(await docs.controls(this.keys), askedAt);
      const index = this.firstFree(states);
      if (index === null) await pause(Math.min(leaseMs / 4, LONGEST_LOOK_MS), signal);
      else {
        const slot = await this.take(index);
        if (slot !== null) return slot;
      }
    }
    return null;
  }

  /**
   * Tells what holds of each slot that was ever held, and ends those that stood still for their whole lease.
   * @param found the slots' documents, by key
   * @param askedAt the clock before they were read
   * @param own this process's slot, whose lease speaks for itself
   */
  async judge(found: ReadonlyMap<string, ControlDocument>, askedAt: number, own?: number): Promise<ReadonlyMap<number, SlotState>> {
    // Counted from when they were surely read, so that a watch is never shorter than the lease.
    const seenAt = this.settings.clock();
    const states = new Map<number, SlotState>();
    for (const [index, key] of this.keys.entries()) {
      const document = found.get(key);
      if (document === undefined) continue;
      const isDead = index !== own && this.standsStill(index, document, askedAt, seenAt);
      states.set(index, isDead ? await this.end(document) : stateOf(document));
    }
    return states;
  }

  private standsStill(index: number, { value, revision }: ControlDocument, askedAt: number, seenAt: number): boolean {
    const before = this.watched.get(index);
    if (before?.revision === revision) return value.owner !== '' && askedAt - before.since >= Number(value.ms);
    this.watched.set(index, { revision, since: seenAt });
    return false;
  }

  /** Ends a lease. One that moved at the last moment lives. */
  private async end(document: ControlDocument): Promise<SlotState> {
    const before = stateOf(document);
    if (!(await killLease(this.settings.docs, document))) return before;
    return { owner: '', epoch: before.epoch + 1, isHeld: false };
  }

  /** What an earlier life of this process has left first: else it would count as one more process until it has run out. */
  private firstFree(states: ReadonlyMap<number, SlotState>): number | null {
    const indexes = [...this.keys.keys()];
    const own = indexes.find((index) => states.get(index)?.owner === this.settings.owner);
    return own ?? indexes.find((index) => states.get(index)?.isHeld !== true) ?? null;
  }

  private async take(index: number): Promise<Slot | null> {
    const { docs, set, owner, leaseMs, clock } = this.settings;
    const key = slotKey(set, index);
    const found = await docs.control(key);
    if (found !== null && !isFree(found, owner)) return null;
    const lease = await tryTakeLease({ docs, key, owner, leaseMs, clock }, found);
    return lease === null ? null : { index, lease };
  }
}

/** What a slot's document says by itself. */
export function stateOf({ value }: ControlDocument): SlotState {
  const owner = String(value.owner);
  return { owner, epoch: Number(value.epoch), isHeld: owner !== '' };
}
