import type { PreparedWrite } from '../bulk-writes.js';
import type { CollectionSpec } from '../port.js';
import { indexFields } from '../spec-rules.js';
import { sqliteCode } from './busy.js';
import type { Connection, SqlValue } from './connection.js';
import { toColumn } from './query-sql.js';
import { columnOf, tableOf } from './tables.js';

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
