/** The oldest version of every type. */
export const OLDEST_VERSION = 1;

const DECIMAL = /^[0-9]{1,15}$/;

/**
 * The schema version of a stored event as a number. Old events may have none, or null, "", "0" or 0: those are the oldest (case 51).
 *
 * @returns an integer from 1 on, or null if the stored value is no version at all
 */
export function storedVersion(stored: unknown): number | null {
  if (stored === undefined || stored === null || stored === '') return OLDEST_VERSION;
  const version = numeric(stored);
  if (version === null || !Number.isSafeInteger(version) || version < 0) return null;
  return version === 0 ? OLDEST_VERSION : version;
}

function numeric(stored: unknown): number | null {
  if (typeof stored === 'number') return stored;
  if (typeof stored === 'bigint') return Number(stored);
  if (typeof stored === 'string' && DECIMAL.test(stored)) return Number(stored);
  return null;
}
