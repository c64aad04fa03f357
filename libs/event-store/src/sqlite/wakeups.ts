import { StoreUnavailableError } from '../errors.js';
import { Listeners } from '../listeners.js';
import { asStoreFailure, isBusy } from './failures.js';

interface Waiter {
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Tells who waits that the store has grown: at once for commits of this process, by asking every so often for those of others. The
 * timer runs only while somebody waits or listens; it keeps the process alive only for who waits.
 */
export class Wakeups {
  private readonly listeners = new Listeners();
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | null = null;
  private seen = 0n;
  private closed = false;

  constructor(
    private readonly pollMs: number,
    private readonly readHead: () => bigint,
  ) {}

  /** A commit of this process. */
  committed(position: bigint): void {
    if (position <= this.seen) return;
    this.seen = position;
    for (const waiter of [...this.waiters]) waiter.wake();
    this.listeners.tell(position);
  }

  listen(listener: (position: bigint) => void): () => void {
    if (this.closed) return () => undefined;
    if (this.timer === null) this.catchUp();
    const remove = this.listeners.add(listener);
    this.updateTimer();
    return () => {
      remove();
      this.updateTimer();
    };
  }

  /**
   * Resolves when the store has an event after `position`, or the signal aborts.
   *
   * @throws StoreUnavailableError when the store is closed or can't be read
   */
  async beyond(position: bigint, signal: AbortSignal): Promise<void> {
    if (this.closed) throw new StoreUnavailableError('the store is closed');
    if (this.seen > position || signal.aborted) return;
    let waiter: Waiter | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        waiter = { wake: resolve, fail: reject };
        onAbort = resolve;
        this.waiters.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
        this.updateTimer();
      });
    } finally {
      if (waiter !== undefined) this.waiters.delete(waiter);
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
      this.updateTimer();
    }
  }

  close(): void {
    this.closed = true;
    this.listeners.clear();
    this.failAll(new StoreUnavailableError('the store is closed'));
    this.updateTimer();
  }

  private failAll(error: unknown): void {
    for (const waiter of [...this.waiters]) waiter.fail(error);
  }

  /** A new listener hears only of what comes after it. */
  private catchUp(): void {
    try {
      const head = this.readHead();
      if (head > this.seen) this.seen = head;
    } catch (error) {
      if (!isBusy(error)) throw asStoreFailure(error);
    }
  }

  private updateTimer(): void {
    const wanted = this.listeners.size > 0 || this.waiters.size > 0;
    if (!wanted && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
    if (!wanted) return;
    this.timer ??= setInterval(() => {
      this.poll();
    }, this.pollMs);
    if (this.waiters.size > 0) this.timer.ref();
    else this.timer.unref();
  }

  private poll(): void {
    try {
      this.committed(this.readHead());
    } catch (error) {
      // Locked is only for a moment. Who waits must hear of anything else, instead of waiting for ever.
      if (!isBusy(error)) this.failAll(asStoreFailure(error));
    }
  }
}
