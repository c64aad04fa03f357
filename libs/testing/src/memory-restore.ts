import {
  checkLink,
  InvalidEventError,
  LedgerSealedError,
  sameUpTo,
  StreamIntegrityError,
  WrongExpectedRevisionError,
  type PreparedRestore,
} from '@counterfoil/event-store';
import type { MemoryLog } from './memory-log.js';

/**
 * Restores events into a log as the adapters do.
 *
 * @returns how many were added
 * @throws as `RestorableStore.restore`
 */
export function restoreInto(log: MemoryLog, restore: PreparedRestore): number {
  const stream = log.stream(restore.stream);
  const first = Number(restore.first);
  if (first > stream.length) throw new WrongExpectedRevisionError(restore.stream, stream.length === 0 ? null : BigInt(stream.length - 1));
  const standing = stream.slice(first, first + restore.events.length).map((event) => event.metadata.integrity.hash);
  const missing = restore.events.slice(sameUpTo(restore, standing));
  if (missing.length === 0) return 0;
  if (log.isSealed) throw new LedgerSealedError();
  if (standing.length === 0) checkLink(restore, stream.at(-1)?.metadata.integrity.hash ?? null);
  for (const { id, type } of missing) {
    if (stream.some((event) => event.id === id)) throw new StreamIntegrityError(restore.stream, 'one of the events is there already');
    if (log.holds(id)) throw new InvalidEventError(type, 'an event of another stream has its id');
  }
  for (const { id, type, version, dataText, metadata } of missing) {
    log.add(restore.stream, (place) => ({ ...place, id, type, version, data: JSON.parse(dataText) as unknown, metadata }));
  }
  return missing.length;
}
