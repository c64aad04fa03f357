import { OutcomeUnknownError, StoreUnavailableError } from '../errors.js';

/**
 * The result code of a failure of SQLite, or null for anything else. By its shape, not by its class: better-sqlite3 hands its class to
 * the native part once for a process, so where modules are loaded twice (a test runner) it isn't the class of the second.
 */
export function sqliteCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('name' in error) || !('code' in error)) return null;
  return error.name === 'SqliteError' && typeof error.code === 'string' ? error.code : null;
}

/** Another connection holds the lock: worth another try. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error) ?? '');
}

/** A failure of SQLite in the words of the port; anything else (a fault of ours) as it is. */
export function asStoreFailure(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const detail = isBusy(error) ? 'another process kept the store locked' : `the store failed with ${code}`;
  return new StoreUnavailableError(detail, { cause: error });
}

/**
 * What a failed COMMIT means. In WAL mode the frame that makes a transaction count is written last: when there is no room for it
 * (FULL) or the lock was never had (BUSY), nothing was stored. After any other failure, of a sync above all, that frame may lie in the
 * log, and a recovery after a crash would take it as committed.
 */
export function asCommitFailure(error: unknown): Error {
  const code = sqliteCode(error) ?? 'an unexpected error';
  const detail = `the commit failed with ${code}`;
  const nothingStored = code.startsWith('SQLITE_FULL') || isBusy(error);
  return nothingStored ? new StoreUnavailableError(detail, { cause: error }) : new OutcomeUnknownError(detail, { cause: error });
}
