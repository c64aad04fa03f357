import { Backoff } from '../backoff.js';
import { StoreUnavailableError } from '../errors.js';
import { asReadFailure, failureOf, isOurs } from './failures.js';
import type { Timing } from './options.js';

export type RetryTiming = Pick<Timing, 'readRetryMs' | 'firstPauseMs' | 'longestPauseMs'>;

/** Reads again what failed in passing, for a while; a read changes nothing, so that it may be repeated. */
export class Retrying {
  constructor(
    private readonly timing: RetryTiming,
    private readonly closing: AbortSignal,
    /** Hears of each failure that was in passing: what was known of the server may no longer hold. */
    private readonly onPassing: (error: unknown) => void,
  ) {}

  /**
   * @param caller ends the reading and the waiting; what it throws then means nothing
   * @throws StoreUnavailableError, or what the read throws in words of the port
   */
  async read<T>(work: (signal: AbortSignal) => Promise<T>, caller?: AbortSignal): Promise<T> {
    if (caller === undefined || caller === this.closing) return this.tryFor(work, this.closing);
    const link = new LinkedSignals([caller, this.closing]);
    try {
      return await this.tryFor(work, link.signal);
    } finally {
      link.unlink();
    }
  }

  private async tryFor<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const until = performance.now() + this.timing.readRetryMs;
    const backoff = new Backoff(this.timing.firstPauseMs, this.timing.longestPauseMs);
    for (;;) {
      this.checkOpen();
      try {
        return await work(signal);
      } catch (error) {
        this.checkOpen();
        if (signal.aborted || !this.isPassing(error) || performance.now() >= until) throw asReadFailure(error);
        await backoff.pause(signal);
      }
    }
  }

  checkOpen(): void {
    if (this.closing.aborted) throw new StoreUnavailableError('the store is closed');
  }

  private isPassing(error: unknown): boolean {
    if (isOurs(error)) return false;
    const failure = failureOf(error);
    if (failure !== 'passing' && failure !== 'not_leader') return false;
    this.onPassing(error);
    return true;
  }
}

/** One signal for several that outlive it: their listeners are taken away again, which `AbortSignal.any` leaves to the garbage collector. */
class LinkedSignals {
  private readonly controller = new AbortController();

  constructor(private readonly signals: readonly AbortSignal[]) {
    for (const signal of signals) {
      if (signal.aborted) this.controller.abort(signal.reason);
      else signal.addEventListener('abort', this.onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  unlink(): void {
    for (const signal of this.signals) signal.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (event: Event): void => {
    this.controller.abort((event.target as AbortSignal).reason);
  };
}
