import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../input-error.js';

const TRIES = 10;
const PAUSE_MS = 200;

/** By its code and not by its class, which is another one in another realm of the process. */
function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** Whether opening it where it lies would have to write beside it: only a copy can be read then. */
export const needsCopy = (error: unknown): boolean => /^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error));

/** As an error of the input. */
export function asInputError(error: unknown, what = 'The database'): InputError {
  if (error instanceof InputError) return error;
  const code = codeOf(error);
  const why = isBusy(error)
    ? 'is locked by another program'
    : code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB'
      ? 'is damaged'
      : `could not be read${code === '' ? '' : ` (${code})`}`;
  return new InputError('read_failed', `${what} ${why}.`, { cause: error });
}

/** Tries again for some seconds while another program holds the lock. @throws the last error */
export async function whenFree<T>(task: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return task();
    } catch (error) {
      if (!isBusy(error) || attempt === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
