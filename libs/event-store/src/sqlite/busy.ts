import { setTimeout as sleep } from 'node:timers/promises';
import { asStoreFailure, isBusy } from './failures.js';

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 40;

/** Pauses between tries for a lock: doubling, with jitter, so that waiting processes don't come back together. */
export class Backoff {
  private pauseMs = FIRST_PAUSE_MS;

  async pause(): Promise<void> {
    await sleep(this.pauseMs * (0.5 + Math.random() / 2));
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/**
 * Runs something short and synchronous on the database, again and again while another process holds the lock. Between the tries the
 * event loop is free.
 *
 * @throws StoreUnavailableError when the lock wasn't had within `maxWaitMs`, or SQLite failed otherwise
 */
export async function whenFree<T>(maxWaitMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  const backoff = new Backoff();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw asStoreFailure(error);
      await backoff.pause();
    }
  }
}
