import { Backoff } from '../backoff.js';
import { StoreUnavailableError } from '../errors.js';
import type { Calls } from './calls.js';
import { asReadFailure, isDenied, isOurs } from './failures.js';
import { Feed } from './feed.js';
import type { NewestEvent } from './newest-event.js';
import type { Timing } from './options.js';
import type { Places, Start } from './places.js';
import { exact } from './positions.js';
import { Watchdog } from './watchdog.js';
import { wireEventOf } from './wire-event.js';
import type { WireEvent } from './wire-event.js';

/** Events of ours in order of position, not upcast. */
export interface WireBatch {
  readonly events: readonly WireEvent[];
  /** Of the last event handed over. A checkpoint of the server is never told: it may be a place where nothing can be resumed. */
  readonly position: bigint;
  readonly caughtUp: boolean;
}

export interface SubscriptionParts {
  readonly calls: Calls;
  readonly places: Places;
  readonly newest: NewestEvent;
  readonly prefix: string;
  readonly timing: Timing;
  readonly onFault: (error: unknown) => void;
  /** Hears of each connection that was lost: what was known of the server may no longer hold. */
  readonly onBroken: () => void;
  /** Hears of each position that was handed over for the first time. */
  readonly onEvent: (position: bigint) => void;
}

export interface SubscriptionRange {
  readonly start: Start;
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Ends after the event there; null: never ends. */
  readonly until: bigint | null;
}

/** A batch ends when it gets heavier than this: an event may have 256 KiB. */
const BATCH_WEIGHT = 1024 * 1024;

/**
 * Everything of ours after a place, in order, each event once, over any number of connections: when one breaks, another is begun after
 * the last event taken from it, with pauses that grow, and a watchdog looks after one that only went silent.
 */
export class AllSubscription {
  private feed: Feed | null = null;
  private retryAt = 0;
  private openedAt = 0;
  /** Since when no connection has brought anything or lasted for long; null while one does. */
  private failingSince: number | null = null;
  /** Position of the last event that an earlier connection brought. */
  private reached: bigint;
  /** All of ours was handed over, whatever the read was to end at: a store that was cut meanwhile has less. */
  private exhausted = false;
  private last: { position: bigint; id: string | null };
  private readonly pending: WireEvent[];
  private pendingSince = 0;
  private weight = 0;
  private caughtUp = false;
  private toldCaughtUp = false;
  private isFirst = true;
  private wake: (() => void) | null = null;
  private readonly backoff: Backoff;
  private readonly watchdog: Watchdog;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly range: SubscriptionRange,
  ) {
    const { firstPauseMs, longestPauseMs, watchdogMs } = parts.timing;
    this.backoff = new Backoff(firstPauseMs, longestPauseMs);
    this.watchdog = new Watchdog(watchdogMs, () => untilAborted(parts.newest.head(), range.signal));
    this.pending = [...range.start.first];
    this.last = { position: range.start.handedOver, id: null };
    for (const event of range.start.first) this.last = event;
    this.reached = this.last.position;
  }

  /**
   * The next batch; null at the end. An empty one says that there was nothing to catch up with.
   *
   * @throws StoreUnavailableError when the store is closed, when what is there may not be read, or (only of a read with an end) when the
   *   server can't be reached; CheckpointAheadOfStoreError when the last event is gone from the store
   */
  async next(): Promise<WireBatch | null> {
    for (;;) {
      this.checkOpen();
      if (this.range.signal.aborted || this.isPastEnd()) return null;
      this.drain();
      const batch = this.batch();
      if (batch !== null) return batch;
      await this.connectWhenDue();
      if (this.feed !== null) await this.look(this.feed);
      await this.changed();
    }
  }

  /** Ends the call to the server. */
  end(): void {
    this.feed?.end();
    this.feed = null;
  }

  private isPastEnd(): boolean {
    const { until } = this.range;
    return until !== null && this.pending.length === 0 && (this.exhausted || this.last.position >= until);
  }

  private async connectWhenDue(): Promise<void> {
    if (this.feed?.ended != null && this.feed.items.length === 0) this.lose(this.feed.ended);
    if (this.feed !== null || performance.now() < this.retryAt) return;
    try {
      const start = await this.place();
      if (this.range.signal.aborted) return;
      this.feed = this.open(start.after);
    } catch (error) {
      if (this.range.signal.aborted) return;
      if (isOurs(error) && !(error instanceof StoreUnavailableError)) throw error;
      this.lose(error);
    }
  }

  /** Nothing is asked before the first one: who made the range has looked already. */
  private async place(): Promise<Start> {
    const { places } = this.parts;
    const { start, signal } = this.range;
    if (this.isFirst) return start;
    return this.last.id === null ? places.again(start, signal) : places.afterRemembered(this.last, signal);
  }

  private open(after: bigint): Feed {
    const { calls, prefix } = this.parts;
    this.isFirst = false;
    this.openedAt = performance.now();
    return new Feed({
      open: (onCheckpoint) => calls.subscribe(after, onCheckpoint),
      eventOf: (recorded) => wireEventOf(recorded, prefix),
      positionOf: (checkpoint) => exact(checkpoint, 'checkpoint'),
      onChange: () => {
        this.wake?.();
      },
    });
  }

  /** @throws StoreUnavailableError for what no later try can mend, and of a read with an end after some time without an event */
  private lose(error: unknown): void {
    const now = performance.now();
    const livedMs = this.feed === null ? 0 : now - this.openedAt;
    this.end();
    this.checkOpen();
    this.caughtUp = false;
    this.parts.onBroken();
    if (isDenied(error)) throw asReadFailure(error);
    this.parts.onFault(error);
    const { readRetryMs, longestPauseMs } = this.parts.timing;
    if (this.last.position > this.reached || livedMs > longestPauseMs) {
      this.backoff.reset();
      this.failingSince = null;
      this.reached = this.last.position;
    }
    this.failingSince ??= now;
    if (this.range.until !== null && now - this.failingSince > readRetryMs) throw asReadFailure(error);
    this.retryAt = now + this.backoff.next();
  }

  private drain(): void {
    const { feed } = this;
    while (feed !== null && !this.isFull()) {
      const item = feed.take();
      if (item === undefined) return;
      if (item.kind === 'event') this.take(item.event);
      else if (item.kind === 'passed') this.parts.newest.passed(item.position);
      else this.caughtUp = true;
    }
  }

  /** A server may send an event again: after a resumed connection, or by a fault of its own. */
  private take(event: WireEvent): void {
    if (event.position <= this.last.position) return;
    if (this.pending.length === 0) this.pendingSince = performance.now();
    this.last = event;
    this.pending.push(event);
    this.weight += event.weight;
    this.parts.newest.observe(event.position);
    this.parts.onEvent(event.position);
  }

  private isFull(): boolean {
    const { until, batchSize } = this.range;
    return this.pending.length >= batchSize || this.weight >= BATCH_WEIGHT || (until !== null && this.last.position >= until);
  }

  private batch(): WireBatch | null {
    const caughtUp = this.isAtHead();
    const { position } = this.last;
    if (this.pending.length === 0) {
      if (!caughtUp || this.toldCaughtUp || this.range.until !== null) return null;
    } else if (!this.isFull() && !this.mayHandOver()) {
      return null;
    }
    this.toldCaughtUp ||= caughtUp;
    this.weight = 0;
    return { events: this.pending.splice(0), position, caughtUp };
  }

  private isAtHead(): boolean {
    const { until } = this.range;
    return until !== null ? this.exhausted || this.last.position >= until : this.caughtUp && (this.feed?.items.length ?? 0) === 0;
  }

  /** While there is much to come, a batch is filled first. */
  private mayHandOver(): boolean {
    return this.isAtHead() || this.caughtUp || this.feed === null || performance.now() - this.pendingSince >= this.parts.timing.lingerMs;
  }

  private async look(feed: Feed): Promise<void> {
    if (feed.ended !== null || feed.isPaused || feed.items.length > 0) return;
    const verdict = await this.watchdog.look(feed, this.last.position);
    if (this.range.signal.aborted) return;
    if (verdict === 'stalled') {
      this.lose(new StoreUnavailableError('a subscription stood still'));
      this.retryAt = 0;
    } else if (verdict === 'complete') {
      // What the server never said: there is nothing left to catch up with.
      this.caughtUp = true;
      this.exhausted = true;
    }
  }

  /** Until something comes, or something is due. */
  private async changed(): Promise<void> {
    const { signal } = this.range;
    const { closing } = this.parts.calls;
    const due = this.msUntilDue();
    if (due <= 0 || signal.aborted || closing.aborted || this.feed?.ended != null || (this.feed?.items.length ?? 0) > 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        closing.removeEventListener('abort', done);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, due);
      signal.addEventListener('abort', done, { once: true });
      closing.addEventListener('abort', done, { once: true });
      this.wake = done;
    });
  }

  private msUntilDue(): number {
    const now = performance.now();
    if (this.feed === null) return this.retryAt - now;
    const linger = this.pending.length > 0 ? this.pendingSince + this.parts.timing.lingerMs - now : Number.POSITIVE_INFINITY;
    return Math.min(linger, this.watchdog.dueIn(this.feed));
  }

  private checkOpen(): void {
    if (this.parts.calls.closing.aborted) throw new StoreUnavailableError('the store is closed');
  }
}

/** @throws the signal's reason when it aborts first; the work goes on by itself, and what becomes of it is nobody's concern any more */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
