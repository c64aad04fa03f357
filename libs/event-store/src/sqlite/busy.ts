import { Backoff } from '../backoff.js';
import { asStoreFailure, isBusy } from './failures.js';

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 40;

/** The pauses between tries for a lock. */
export const lockBackoff = (): Backoff => new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);

/**
 * Runs something short and synchronous on the database, again and again while another process holds the lock. Between the tries the
 * event loop is free.
 *
 * @throws StoreUnavailableError when the lock wasn't had within `maxWaitMs`, or SQLite failed otherwise
 */
export async function whenFree<T>(maxWaitMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  const backoff = lockBackoff();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw asStoreFailure(error);
      await backoff.pause();
    }
  }
}
