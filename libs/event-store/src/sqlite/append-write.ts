import type { RecordedEvent } from '@counterfoil/contracts';
import { InvalidEventError, LedgerSealedError, UpcastError, WrongExpectedRevisionError } from '../errors.js';
import type { StreamHead } from '../port.js';
import { sealAppend } from '../sealing.js';
import type { PreparedAppend } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import { recordParts } from '../upcasting/registry.js';
import { storedOf } from './rows.js';
import type { StreamTable } from './stream-table.js';
import type { Refused, WriteOutcome, Written } from './write-outcome.js';

/** One append within a transaction. Checks come before inserts: an append that is refused leaves nothing behind. */
export function writeAppend(table: StreamTable, registry: UpcastingRegistry, append: PreparedAppend): WriteOutcome {
  const head = table.head(append.stream);
  const expected = append.expected === 'no_stream' ? -1n : append.expected;
  const isExpected = (head?.revision ?? -1n) === expected;
  // First of all: what was stored before the ledger ended was stored.
  const repeated = isExpected ? null : repeatOf(table, registry, append, expected);
  if (repeated !== null) return repeated;
  if (table.isSealed()) return new LedgerSealedError();
  if (!isExpected) return new WrongExpectedRevisionError(append.stream, head?.revision ?? null);
  return takenId(table, append, head) ?? store(table, append, head);
}

/** As EventStoreDB does: the same ids at the same place are a retry, whatever the rest says; a part of them is a conflict. */
function repeatOf(table: StreamTable, registry: UpcastingRegistry, append: PreparedAppend, expected: bigint): Written | UpcastError | null {
  const rows = table.rows(append.stream, expected + 1n, append.events.length);
  const same = rows.length === append.events.length && rows.every((row, index) => row[3] === append.events[index]?.id);
  const last = rows.at(-1);
  if (!same || last === undefined) return null;
  try {
    const events = rows.flatMap((row) => registry.read(storedOf(row)));
    return { revision: last[2], position: last[0], repeated: true, events, added: 0 };
  } catch (error) {
    if (error instanceof UpcastError) return error;
    throw error;
  }
}

function takenId(table: StreamTable, append: PreparedAppend, head: StreamHead | null): Refused | null {
  for (const event of append.events) {
    const holder = table.holderOf(event.id);
    if (holder === null) continue;
    if (holder === append.stream) return new WrongExpectedRevisionError(append.stream, head?.revision ?? null);
    return new InvalidEventError(event.type, 'an event of another stream has its id');
  }
  return null;
}

function store(table: StreamTable, append: PreparedAppend, head: StreamHead | null): Written {
  let last: StreamHead = head ?? { revision: -1n, position: 0n, hash: '' };
  const events: RecordedEvent[] = [];
  for (const { sealed, parts } of sealAppend(append, head?.hash ?? null)) {
    last = { revision: sealed.revision, position: table.insert(sealed), hash: sealed.hash };
    events.push(...recordParts({ ...sealed, position: last.position }, parts));
  }
  table.setHead(append.stream, last);
  return { revision: last.revision, position: last.position, repeated: false, events, added: append.events.length };
}
