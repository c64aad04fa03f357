import type { Payload } from '@counterfoil/contracts';
import type { ObservedFile } from './verification.js';

/** True if a payload holds all that was sent, with nothing taken out. */
export function isStoredWhole(payload: Payload): boolean {
  return payload.state === 'whole' && payload.redactions.length === 0 && payload.redactionsOmitted === undefined;
}

/**
 * Whether an approver sees everything but secrets (promise 8). A text that was hidden whole, since looking for known secrets in it took
 * too long, and redactions that are only counted, could hide anything.
 */
export function canBeShown(payload: Payload): boolean {
  const isHidden = payload.redactions.some(({ rule }) => rule === 'known.budget');
  return payload.state === 'whole' && !isHidden && payload.redactionsOmitted === undefined;
}

/** A file's state as `fileStateInput` wrote it; null where the text is not one (it was cut, or comes from elsewhere). */
export function observedFile(payload: Payload): ObservedFile | null {
  const value: unknown = JSON.parse(payload.json);
  if (typeof value !== 'object' || value === null || !('exists' in value) || typeof value.exists !== 'boolean') return null;
  const digest = 'digest' in value && typeof value.digest === 'string' ? value.digest : null;
  const bytes = 'bytes' in value && typeof value.bytes === 'number' ? value.bytes : null;
  return { exists: value.exists, digest, bytes };
}
