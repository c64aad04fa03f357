import type { RejectionReason } from '../errors.js';
import type { CollectionSpec, GuardedWrite } from '../port.js';
import { indexFields } from '../spec-rules.js';
import { rejectionOf } from '../write-rules.js';
import { sqliteCode } from './busy.js';
import type { Connection, SqlValue } from './connection.js';
import { toColumn } from './query-sql.js';
import { columnOf, tableOf } from './tables.js';

const MOST_WRITES = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** A write with its document as text. */
export interface PreparedWrite {
  readonly write: GuardedWrite<unknown>;
  readonly doc: string | null;
}

/** Documents as text, or why one has none. */
export function prepareWrite(spec: CollectionSpec, write: GuardedWrite<unknown>): PreparedWrite | RejectionReason {
  const rejection = rejectionOf(write, indexFields(spec));
  if (rejection !== null) return rejection;
  if (write.doc === null) return { write, doc: null };
  const doc = jsonOf(write.doc);
  return doc === undefined ? 'not_json' : { write, doc };
}

function jsonOf(doc: unknown): string | undefined {
  try {
    // Answers undefined for what has no JSON form at all, against its declared type.
    const text: string | undefined = JSON.stringify(doc);
    return text;
  } catch {
    return undefined;
  }
}

/** Cuts a bulk so that no transaction holds the file for long: others append events to it. */
export function* chunksOf(writes: readonly PreparedWrite[]): Generator<readonly PreparedWrite[]> {
  let chunk: PreparedWrite[] = [];
  let characters = 0;
  for (const prepared of writes) {
    const size = prepared.doc?.length ?? 0;
    if (chunk.length > 0 && (chunk.length >= MOST_WRITES || characters + size > MOST_CHARACTERS)) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(prepared);
    characters += size;
  }
  if (chunk.length > 0) yield chunk;
}

export type WriteResult = 'written' | 'conflict' | 'unique_violation';

/** One guarded write of a collection; runs within a transaction. */
export function guardedWriter(connection: Connection, spec: CollectionSpec): (prepared: PreparedWrite) => WriteResult {
  const fields = indexFields(spec);
  const table = tableOf(spec.name);
  const columns = ['guard', 'doc', ...fields.map(columnOf)];
  const insert = connection.statement(
    `INSERT INTO ${table} (${[...columns, 'id'].join(', ')}) VALUES (${[...columns, 'id'].map(() => '?').join(', ')})` +
      ' ON CONFLICT (id) DO NOTHING',
  );
  const update = connection.statement(
    `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ? AND guard = ?`,
  );
  return ({ write, doc }) => {
    const values: SqlValue[] = [write.guard, doc];
    for (const field of fields) values.push(doc === null ? null : toColumn(write.fields[field] ?? null));
    values.push(write.id);
    try {
      const { changes } = write.expected === null ? insert.run(...values) : update.run(...values, write.expected);
      return changes === 1 ? 'written' : 'conflict';
    } catch (error) {
      // The statement alone is undone; the transaction and its other documents go on.
      if (sqliteCode(error) === 'SQLITE_CONSTRAINT_UNIQUE') return 'unique_violation';
      throw error;
    }
  };
}
