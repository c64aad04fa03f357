import type { CollectionSpec, IndexSpec } from '../port.js';
import { indexFields } from '../spec-rules.js';

/** What the store itself needs; made when it is opened. */
export const STORE_TABLES = `
  CREATE TABLE IF NOT EXISTS document_collections (name TEXT PRIMARY KEY NOT NULL, spec TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS control (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
`;

export const tableOf = (collection: string): string => `"d_${collection}"`;
export const columnOf = (field: string): string => `"f_${field}"`;

/** Tells documents from tombstones where no column does. */
export const LIVE = 'doc IS NOT NULL';

// Names of indexes are shared by the whole file; `$` stands in no name of ours.
export const indexOf = (collection: string, index: string): string => `"x_${collection}$${index}"`;
export const uniqueIndexOf = (collection: string, index: string): string => `"u_${collection}$${index}"`;

/**
 * SQL that makes a collection. A tombstone keeps its row and its guard; its columns are NULL, which no document's are: it breaks no
 * unique index, and no condition on a column meets it. Each index ends in the id, which makes every order total; a unique one has a
 * second, enforcing index without it.
 */
export function tableSql(spec: CollectionSpec): string {
  const columns = indexFields(spec).map((field) => `, ${columnOf(field)}`);
  const table = tableOf(spec.name);
  return [
    `CREATE TABLE ${table} (id TEXT PRIMARY KEY NOT NULL, guard INTEGER NOT NULL, doc TEXT${columns.join('')});`,
    ...spec.indexes.map((index) => indexSql(spec.name, index)),
  ].join('\n');
}

function indexSql(collection: string, index: IndexSpec): string {
  const columns = index.fields.map(columnOf);
  const on = `ON ${tableOf(collection)}`;
  const where = index.fields.length === 0 ? ` WHERE ${LIVE}` : '';
  const plain = `CREATE INDEX ${indexOf(collection, index.name)} ${on} (${[...columns, 'id'].join(', ')})${where};`;
  if (index.unique !== true) return plain;
  return `${plain}\nCREATE UNIQUE INDEX ${uniqueIndexOf(collection, index.name)} ${on} (${columns.join(', ')});`;
}
