import Database from 'better-sqlite3';
import type { ColumnValue, Fate, Json, KnownLine, KnownRow } from './known.js';
import { id32 } from './old-hashes.js';
import { dumps } from './python.js';
import { oldSchema } from './schema.js';

/** Whom a row belongs to; the session may be nobody's. */
export type Scope = {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly session_id: string | null;
};

export const SOURCE: Scope = { user_id: 'local', workspace_id: 'source-7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c', session_id: 'chat-invented-1' };
export const SURFACE: Scope = { user_id: 'local', workspace_id: 'default', session_id: 'surface:cli' };
/** The default task manager's: session NULL. */
export const UNSCOPED: Scope = { user_id: 'local', workspace_id: 'default', session_id: null };

const AT = Date.parse('2026-08-21T10:00:00Z');

/** The n-th moment, as `datetime.isoformat()` writes it: no fraction where there are no microseconds. */
export function moment(n: number, microseconds = 0): string {
  const seconds = new Date(AT + n * 1000).toISOString().slice(0, 19);
  return `${seconds}${microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`}+00:00`;
}

export const inUtc = (time: string): string => time.replace('+00:00', 'Z');

/** A history that a builder knows all about: rows of a database, and lines that stood beside it. */
export class OldHistory {
  readonly rows: KnownRow[] = [];
  readonly lines: KnownLine[] = [];
  private count = 0;

  constructor(
    /** Names the history: ids follow from it. */
    readonly name: string,
    private readonly version: 1 | 3,
    private readonly options: { readonly narrow?: boolean } = {},
  ) {}

  /** An id of this history: the same for the same label. */
  id(label: string): string {
    return id32(`${this.name} ${label}`);
  }

  /** A row of the event table; a payload that is no text or bytes is written as the old runtime did. Gives the row's columns. */
  event(type: string, payload: unknown, fates: readonly Fate[], more: Readonly<Record<string, ColumnValue>> = {}): void {
    const n = this.count++;
    const own = {
      id: `evt_${this.id(`event ${String(n)}`)}`,
      event_type: type,
      payload: typeof payload === 'string' || payload instanceof Uint8Array ? payload : dumps(payload),
      created_at: moment(n, 700_000),
    };
    const columns = this.options.narrow === true ? own : { ...own, ...SOURCE, task_id: null, ...more };
    this.rows.push({ table: 'events', columns, fates });
  }

  /** A row of the task table; its JSON columns may be given as values. */
  task(columns: Json, fates: readonly Fate[]): void {
    const n = this.count++;
    const given = Object.entries(columns).map(([name, value]): [string, ColumnValue] => [name, asColumn(value)]);
    this.rows.push({
      table: 'tasks',
      columns: {
        id: `task_${this.id(`task ${String(n)}`).slice(0, 16)}`,
        parent_id: null,
        description: `Invented step ${String(n)}`,
        status: 'pending',
        priority: 0,
        dependencies: '[]',
        acceptance: '[]',
        attempts: 0,
        checkpoint: '{}',
        evidence: '[]',
        ...SOURCE,
        created_at: moment(n),
        updated_at: moment(n, 500_000),
        ...Object.fromEntries(given),
      },
      fates,
    });
  }

  line(value: unknown, fates: readonly Fate[]): void {
    this.lines.push({ text: typeof value === 'string' ? value : dumps(value), fates });
  }

  /** Writes the rows as a database of that time. */
  writeDatabase(file: string): string {
    const db = new Database(file);
    db.pragma('journal_mode = WAL');
    db.exec(oldSchema(this.version, this.options.narrow === true));
    db.exec("INSERT INTO memories VALUES ('m1', 'no call'), ('m2', 'neither')");
    db.transaction(() => {
      for (const { table, columns } of this.rows) insert(db, table, columns);
    })();
    db.close();
    return file;
  }

  /** The rows as lines, payload and columns as the database had them, or decoded as some exporters did. */
  rowLines(decoded: boolean): string {
    const texts = this.rows.map(
      ({ columns }) =>
        `{${Object.entries(columns)
          .map(([name, value]) => member(name, value, decoded))
          .join(',')}}`,
    );
    return texts.map((text) => `${text}\n`).join('');
  }

  otherLines(): string {
    return this.lines.map(({ text }) => `${text}\n`).join('');
  }
}

const JSON_COLUMNS: ReadonlySet<string> = new Set(['payload', 'dependencies', 'acceptance', 'checkpoint', 'evidence']);

function member(name: string, value: ColumnValue, decoded: boolean): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
  const isJson = decoded && JSON_COLUMNS.has(name) && typeof text === 'string';
  return `${JSON.stringify(name)}:${isJson ? text : JSON.stringify(text)}`;
}

const asColumn = (value: unknown): ColumnValue =>
  typeof value === 'string' || typeof value === 'number' || value === null || value instanceof Uint8Array ? value : dumps(value);

function insert(db: Database.Database, table: string, columns: KnownRow['columns']): void {
  const names = Object.keys(columns);
  // Bytes that are no UTF-8 get into a text only so.
  const places = names.map((name) => (columns[name] instanceof Uint8Array ? 'CAST(? AS TEXT)' : '?'));
  const values = names.map((name) => columns[name] ?? null);
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`).run(...values);
}
