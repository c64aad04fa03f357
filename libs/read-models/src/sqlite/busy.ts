import { setTimeout as delay } from 'node:timers/promises';
import { DocumentStoreUnavailableError } from '../errors.js';

const BUSY = /^SQLITE_(BUSY|LOCKED)/;
/** Faults of the disk or of the file, not of what was asked. */
const FAULT = /^SQLITE_(IOERR|FULL|CANTOPEN|READONLY|PROTOCOL|NOMEM|CORRUPT|NOTADB)/;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/**
 * The code of an error of SQLite, else an empty text. Told by its code, not by its class: that of better-sqlite3 belongs to whichever
 * copy of the module came first into the process.
 */
export function sqliteCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

/**
 * Does `work` again for as long as another process holds the file, with growing pauses in which this process serves others (the busy
 * timeout of SQLite itself would block the event loop, so it is kept short).
 * @param limitMs how long to go on trying, in milliseconds
 * @throws DocumentStoreUnavailableError when the file stays busy for so long, or can't be read or written
 */
export async function whileBusy<T>(work: () => T, limitMs: number): Promise<T> {
  const giveUpAt = performance.now() + limitMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      const code = sqliteCode(error);
      if (FAULT.test(code)) throw new DocumentStoreUnavailableError(`the read models' file can't be used (${code})`, { cause: error });
      if (!BUSY.test(code)) throw error;
      if (performance.now() >= giveUpAt) {
        throw new DocumentStoreUnavailableError(`the read models' file stayed busy for ${String(limitMs)} ms`, { cause: error });
      }
    }
    // Jitter, so that two processes that wait for each other don't meet again.
    await delay(pause * (0.5 + Math.random()));
  }
}
