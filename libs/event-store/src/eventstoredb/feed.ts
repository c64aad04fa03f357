import type { AllStreamSubscription } from '@eventstore/db-client';
import type { Recorded, WireEvent } from './wire-event.js';

/** What a subscription brings, in the order of the wire. */
export type FeedItem =
  | { readonly kind: 'event'; readonly event: WireEvent }
  /** The server looked through everything up to here. */
  | { readonly kind: 'passed'; readonly position: bigint }
  | { readonly kind: 'caught_up' };

export interface FeedParts {
  readonly open: (onCheckpoint: (position: unknown) => void) => AllStreamSubscription;
  /** Null for what is not ours; may throw. */
  readonly eventOf: (recorded: Recorded) => WireEvent | null;
  readonly positionOf: (checkpoint: unknown) => bigint;
  /** Hears that something came or that the feed ended. */
  readonly onChange: () => void;
}

/** So much may lie unread; then the subscription is paused, and the server with it. */
const MOST_ITEMS = 128;
const MOST_WEIGHT = 1024 * 1024;

/**
 * One subscription of the client, with all that it says put into one queue. The client hands events over by a buffer and everything else
 * past it, so that a checkpoint or `caughtUp` can overtake events that a slow reader hasn't taken yet (stack.md, EventStoreDB row 3):
 * each is held back here until the events in the buffer before it have come.
 */
export class Feed {
  readonly items: FeedItem[] = [];
  /** Time of the last sign of life, by the clock of `performance.now()`. */
  livedAt = performance.now();
  /** Whether anything came at all. */
  hasLived = false;
  private readonly marks: { readonly due: number; readonly item: FeedItem }[] = [];
  private readonly subscription: AllStreamSubscription;
  private received = 0;
  private weight = 0;
  private failure: unknown = null;

  constructor(private readonly parts: FeedParts) {
    this.subscription = parts.open((position) => {
      this.mark(() => ({ kind: 'passed', position: this.parts.positionOf(position) }));
    });
    // Stays after the end: the client can fail again, and an error that nobody hears would end the process.
    this.subscription.on('error', (error) => {
      this.fail(error);
    });
    this.subscription.on('end', () => {
      this.fail(new Error('the subscription ended'));
    });
    this.subscription.on('close', () => {
      this.fail(new Error('the subscription was closed'));
    });
    this.subscription.on('caughtUp', () => {
      this.mark(() => ({ kind: 'caught_up' }));
    });
    this.subscription.on('confirmation', () => {
      this.lived();
    });
    this.subscription.on('data', ({ event }) => {
      this.receive(event);
    });
  }

  /** Why it brings nothing more; null while it does. What it brought before is in `items` still. */
  get ended(): unknown {
    return this.failure;
  }

  get isPaused(): boolean {
    return this.subscription.isPaused();
  }

  take(): FeedItem | undefined {
    const item = this.items.shift();
    if (item?.kind === 'event') this.weight -= item.event.weight;
    if (this.isPaused && this.items.length < MOST_ITEMS / 2 && this.weight < MOST_WEIGHT / 2) this.subscription.resume();
    return item;
  }

  /** Ends the call to the server. */
  end(): void {
    this.failure ??= new Error('the subscription was given up');
    this.subscription.unsubscribe().catch(() => undefined);
    this.subscription.destroy();
  }

  private receive(recorded: Recorded | undefined): void {
    this.received++;
    this.guarded(() => {
      const event = recorded === undefined ? null : this.parts.eventOf(recorded);
      if (event !== null) this.push({ kind: 'event', event });
      this.releaseMarks();
    });
    if (this.items.length >= MOST_ITEMS || this.weight >= MOST_WEIGHT) this.subscription.pause();
    this.lived();
  }

  private mark(item: () => FeedItem): void {
    this.guarded(() => {
      // The events before it that the client still has in its buffer come first.
      this.marks.push({ due: this.received + this.subscription.readableLength, item: item() });
      this.releaseMarks();
    });
    this.lived();
  }

  private releaseMarks(): void {
    for (let mark = this.marks[0]; mark !== undefined && mark.due <= this.received; mark = this.marks[0]) {
      this.marks.shift();
      this.push(mark.item);
    }
  }

  private push(item: FeedItem): void {
    if (item.kind === 'event') this.weight += item.event.weight;
    this.items.push(item);
  }

  /** The client calls back where nothing may be thrown. */
  private guarded(work: () => void): void {
    if (this.failure !== null) return;
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private lived(): void {
    this.livedAt = performance.now();
    this.hasLived = true;
    this.parts.onChange();
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.parts.onChange();
  }
}
