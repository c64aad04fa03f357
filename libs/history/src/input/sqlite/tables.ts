import type Database from 'better-sqlite3';
import { KNOWN_COLUMNS } from '../../openkyrozen/columns.js';
import { InputError } from '../input-error.js';
import type { TextEncoding } from './row-text.js';

/** Tables whose rows are records, in the order in which they are read. */
const RECORD_TABLES = ['events', 'tasks', 'task_events'] as const;
export type RecordTable = (typeof RECORD_TABLES)[number];

/** A table to be read. Names are quoted for SQL. */
export interface SourceTable {
  readonly name: RecordTable;
  readonly sqlName: string;
  readonly columns: readonly string[];
  /** What they are called in the record, in the same order. */
  readonly members: readonly string[];
  /** Name of the row's id that no column of the table hides; null for a table without one. */
  readonly rowId: string | null;
  /** For the progress alone; zero where they can't be counted. */
  readonly rows: number;
}

export interface Catalogue {
  readonly tables: readonly SourceTable[];
  /** Rows of the other tables, by name; null where they can't be counted. */
  readonly otherTables: Readonly<Record<string, number | null>>;
  readonly encoding: TextEncoding;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * What a database holds. A column that is missing is no fault: the rows are given with those that are there.
 *
 * @throws InputError `unknown_database` for one with neither of the two tables that records stand in
 */
export function readCatalogue(db: Database.Database): Catalogue {
  const names = db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`)
    .pluck()
    .all();
  const found = new Map(names.map((name) => [name.toLowerCase(), name]));
  if (!found.has('events') && !found.has('tasks'))
    throw new InputError('unknown_database', 'The database has neither a table events nor a table tasks: nothing here reads it.');
  const tables = RECORD_TABLES.flatMap((name) => {
    const actual = found.get(name);
    found.delete(name);
    return actual === undefined ? [] : [readTable(db, name, actual)];
  });
  const otherTables = Object.fromEntries([...found.values()].map((name) => [name, countIfPossible(db, quoted(name))]));
  return { tables, otherTables, encoding: readEncoding(db) };
}

function readTable(db: Database.Database, name: RecordTable, actual: string): SourceTable {
  // Without the generated ones: they say nothing new, and are computed by expressions of a stranger.
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(actual);
  const sqlName = quoted(actual);
  const members = columns.map(memberOf);
  return { name, sqlName, columns, members, rowId: rowIdOf(db, actual, columns), rows: countIfPossible(db, sqlName) ?? 0 };
}

/** SQL's names have no case: `PAYLOAD` is the payload. Of a column that nobody knows the spelling is kept. */
function memberOf(column: string): string {
  const plain = column.toLowerCase();
  return KNOWN_COLUMNS.has(plain) ? plain : column;
}

function rowIdOf(db: Database.Database, actual: string, columns: readonly string[]): string | null {
  const withoutId = db.prepare<[string], number>("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").pluck().get(actual);
  if (withoutId === 1) return null;
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  return ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name)) ?? null;
}

/** Virtual tables of modules that aren't there can't be counted, nor can damaged ones. */
function countIfPossible(db: Database.Database, sqlName: string): number | null {
  try {
    return db.prepare<[], number>(`SELECT count(*) FROM ${sqlName}`).pluck().get() ?? 0;
  } catch {
    return null;
  }
}

function readEncoding(db: Database.Database): TextEncoding {
  const name = String(db.pragma('encoding', { simple: true })).toLowerCase();
  return name === 'utf-16le' || name === 'utf-16be' ? name : 'utf-8';
}
