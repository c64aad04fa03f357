import type { Lease } from './lease.js';
import type { Nudge } from './timing.js';

export interface Beating {
  /** Time between beats, in milliseconds. */
  readonly everyMs: number;
  /** Brings the next beat forward. */
  readonly nudge: Nudge;
  /** What else is looked after at each beat. May throw: then the work is stopped and the error is the result. */
  readonly onBeat?: () => Promise<void>;
}

/**
 * Does `work` while keeping the lease alive beside it. Its signal aborts when the caller's does, when the lease is lost, or when a beat
 * fails. At the end nothing is left running, and the lease is given back.
 */
export async function underLease<T>(
  lease: Lease,
  signal: AbortSignal,
  beating: Beating,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const failing = new AbortController();
  const kept = keep(lease, done.signal, beating).catch((error: unknown) => {
    failing.abort(error);
  });
  try {
    const result = await work(AbortSignal.any([signal, lease.lost, failing.signal]));
    failing.signal.throwIfAborted();
    return result;
  } finally {
    done.abort();
    await kept;
    await lease.release();
  }
}

async function keep(lease: Lease, done: AbortSignal, beating: Beating): Promise<void> {
  for (;;) {
    await beating.nudge.wait(beating.everyMs, done);
    if (done.aborted || lease.lost.aborted) return;
    // A store that can't be reached costs nothing until the lease runs out, and then whoever writes must know.
    await lease.renew().catch(() => undefined);
    await beating.onBeat?.();
  }
}
