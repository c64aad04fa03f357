import type { RejectionReason } from './errors.js';
import { InvalidWriteError } from './errors.js';
import type { FieldValue, GuardedWrite } from './port.js';

/** Document ids are stored as UTF-8: one with a lone surrogate would collide with others. */
export function isDocumentId(id: string): boolean {
  return id.length > 0 && id.length <= 2048 && id.isWellFormed();
}

/** A value that every adapter stores and compares in the same way. */
export function isFieldValue(value: unknown): value is FieldValue {
  if (value === null) return true;
  return typeof value === 'string' ? value.isWellFormed() : typeof value === 'number' && Number.isFinite(value);
}

/**
 * Checks the rules that don't need the store: guards grow, no id twice in a bulk.
 * @throws InvalidWriteError before anything is written
 */
export function assertWrites(writes: readonly GuardedWrite<unknown>[]): void {
  const ids = new Set<string>();
  for (const write of writes) {
    if (write.guard < 0n || (write.expected !== null && write.guard <= write.expected)) {
      throw new InvalidWriteError('the new guard of a document must be greater than the one it was loaded at');
    }
    ids.add(write.id);
  }
  if (ids.size !== writes.length) throw new InvalidWriteError('a bulk may write each document once');
}

/** Why a document's id or index values can't be stored; null when they can. `fields` are those that the indexes name. */
export function rejectionOf(write: GuardedWrite<unknown>, fields: readonly string[]): RejectionReason | null {
  if (!isDocumentId(write.id)) return 'invalid_id';
  // A tombstone stands in no index.
  if (write.doc === null) return null;
  return fields.every((field) => Object.hasOwn(write.fields, field) && isFieldValue(write.fields[field])) ? null : 'invalid_field';
}
