import { CheckpointAheadOfStoreError } from '../errors.js';
import type { AnyRecord, Calls } from './calls.js';
import { asReadFailure, failureOf } from './failures.js';
import { LAST } from './positions.js';
import type { Retrying } from './retrying.js';
import type { WireEvent } from './wire-event.js';

/** The event that a reader has seen last. */
export interface Remembered {
  readonly position: bigint;
  /** Null where only the position was kept. */
  readonly id: string | null;
}

/** Where a subscription is begun. */
export interface Start {
  /** Exclusive: the position of a record that is there. */
  readonly after: bigint;
  /** Events to hand over before those of the subscription. */
  readonly first: readonly WireEvent[];
  /** Whatever comes at or before here was handed over before. */
  readonly handedOver: bigint;
  /** Of the event at `after`, if it is one of ours. */
  readonly id: string | null;
}

/**
 * Finds places in `$all`. A subscription may only be begun after the position of a record that is there: from any other, 23.10 skips the
 * first record that follows, and from one beyond the end every server waits in silence (stack.md, EventStoreDB row 6).
 */
export class Places {
  /** @param floor position of the first event under our prefix, which is the ledger's own and always there */
  constructor(
    private readonly calls: Calls,
    private readonly retrying: Retrying,
    private readonly floor: bigint,
  ) {}

  get beginning(): Start {
    return { after: this.floor, first: [], handedOver: this.floor, id: null };
  }

  /**
   * The place after the event that a subscription saw last: it must be there still, and be the same.
   *
   * @throws CheckpointAheadOfStoreError when the store was restored from an older copy, or cut, or is another
   */
  async afterRemembered({ position, id }: Remembered, caller: AbortSignal): Promise<Start> {
    const found = await this.find(position, caller);
    if (found === null) throw new CheckpointAheadOfStoreError(position, 'the event store ends before it');
    if (found === 'invalid' || found.position !== position)
      throw new CheckpointAheadOfStoreError(position, 'the event store holds no event there');
    if (found.ours === null) throw new CheckpointAheadOfStoreError(position, 'what the event store holds there is no event of this ledger');
    if (id !== null && found.ours.id !== id) throw new CheckpointAheadOfStoreError(position, 'the event store holds another event there');
    return { after: position, first: [], handedOver: position, id: found.ours.id };
  }

  /**
   * The same place again, for who has handed over nothing since.
   *
   * @throws CheckpointAheadOfStoreError when there is no record any more
   */
  async again(start: Start, caller: AbortSignal): Promise<Start> {
    if (start.id !== null) return this.afterRemembered({ position: start.after, id: start.id }, caller);
    const found = await this.find(start.after, caller);
    if (found !== null && found !== 'invalid' && found.position === start.after) return start;
    throw new CheckpointAheadOfStoreError(start.after, 'the event store holds no record there any more');
  }

  /** The place after any position, an event's or not; null when nothing can follow. */
  async after(position: bigint, caller?: AbortSignal): Promise<Start | null> {
    if (position <= this.floor) return this.beginning;
    if (position >= LAST) return null;
    const found = await this.find(position, caller);
    if (found === null) return null;
    if (found !== 'invalid') return startAt(found, position);
    // One less than an event's position, to read the event itself.
    const next = await this.find(position + 1n, caller);
    if (next !== null && next !== 'invalid') return startAt(next, position);
    return { ...this.beginning, handedOver: position };
  }

  /** The first record at or after a position, null for none, or `invalid` when the server can't read from there. */
  private find(position: bigint, caller?: AbortSignal): Promise<AnyRecord | null | 'invalid'> {
    return this.retrying.read(async (signal) => {
      try {
        const [record] = await this.calls.allPage({ from: position, direction: 'forwards', count: 1 }, signal);
        return record ?? null;
      } catch (error) {
        if (failureOf(error) === 'invalid') return 'invalid';
        throw failureOf(error) === 'denied' ? asReadFailure(error) : error;
      }
    }, caller);
  }
}

function startAt({ position, ours }: AnyRecord, asked: bigint): Start {
  return { after: position, first: position > asked && ours !== null ? [ours] : [], handedOver: asked, id: ours?.id ?? null };
}
