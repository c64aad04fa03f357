import { InvalidEventError, LedgerSealedError, StreamIntegrityError, WrongExpectedRevisionError } from '../errors.js';
import type { StreamHead } from '../port.js';
import { checkLink, sameUpTo } from '../restoring.js';
import type { PreparedRestore, RestorableEvent } from '../restoring.js';
import type { StreamTable } from './stream-table.js';
import type { Refused, WriteOutcome } from './write-outcome.js';

/** Restores events of one stream within a transaction. As with an append, checks come before inserts. */
export function writeRestore(table: StreamTable, restore: PreparedRestore): WriteOutcome {
  try {
    return write(table, restore);
  } catch (error) {
    // The comparison's words; nothing was inserted yet.
    if (error instanceof StreamIntegrityError) return error;
    throw error;
  }
}

function write(table: StreamTable, restore: PreparedRestore): WriteOutcome {
  const { stream, first, events } = restore;
  const head = table.head(stream);
  const next = (head?.revision ?? -1n) + 1n;
  if (first > next) return new WrongExpectedRevisionError(stream, head?.revision ?? null);
  const known = first < next ? sameUpTo(restore, table.hashes(stream, first, events.length)) : 0;
  const missing = events.slice(known);
  if (missing.length === 0) return { ...placeOf(head), repeated: true, events: [], added: 0 };
  if (table.isSealed()) return new LedgerSealedError();
  if (known === 0) checkLink(restore, head?.hash ?? null);
  const taken = takenId(table, missing);
  if (taken !== null) return taken;
  return { ...placeOf(insertAll(table, stream, missing)), repeated: false, events: [], added: missing.length };
}

function takenId(table: StreamTable, missing: readonly RestorableEvent[]): Refused | null {
  for (const { id, stream, type } of missing) {
    const holder = table.holderOf(id);
    if (holder === stream) return new StreamIntegrityError(stream, 'one of the events is there already, at another revision');
    if (holder !== null) return new InvalidEventError(type, 'an event of another stream has its id');
  }
  return null;
}

function insertAll(table: StreamTable, stream: string, events: readonly RestorableEvent[]): StreamHead | null {
  let last: StreamHead | null = null;
  for (const event of events) last = { revision: event.revision, position: table.insert(event), hash: event.hash };
  if (last !== null) table.setHead(stream, last);
  return last;
}

const placeOf = (head: StreamHead | null): { readonly revision: bigint; readonly position: bigint } => ({
  revision: head?.revision ?? 0n,
  position: head?.position ?? 0n,
});
