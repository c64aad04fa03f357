import Database from 'better-sqlite3';

// The old runtime's own tables (facts of its persistence), in the columns that it gave them.
const SCHEMA = `
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL);
CREATE TABLE events (id TEXT PRIMARY KEY, event_type TEXT NOT NULL, payload TEXT NOT NULL, user_id TEXT NOT NULL DEFAULT 'local',
  workspace_id TEXT NOT NULL DEFAULT 'default', session_id TEXT, task_id TEXT, created_at TEXT NOT NULL);
CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, description TEXT NOT NULL, status TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 0,
  dependencies TEXT NOT NULL DEFAULT '[]', acceptance TEXT NOT NULL DEFAULT '[]', attempts INTEGER NOT NULL DEFAULT 0,
  checkpoint TEXT NOT NULL DEFAULT '{}', evidence TEXT NOT NULL DEFAULT '[]', user_id TEXT NOT NULL DEFAULT 'local',
  workspace_id TEXT NOT NULL DEFAULT 'default', session_id TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE task_events (id TEXT PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE, event_type TEXT NOT NULL,
  payload TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT);`;

/** An old database that is still open for writing, as the old runtime held it. */
export function oldDatabase(file: string, options: { readonly log?: boolean } = {}): Database.Database {
  const db = new Database(file);
  if (options.log === true) db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  db.exec("INSERT INTO schema_migrations VALUES (3, '2026-05-04T03:02:01+00:00')");
  return db;
}

/** Adds event rows; a payload of bytes becomes a text of these very bytes. */
export function addEvents(db: Database.Database, rows: readonly Readonly<Record<string, unknown>>[]): void {
  const insert = db.prepare(
    'INSERT INTO events VALUES (@id, @event_type, CAST(@payload AS TEXT), @user_id, @workspace_id, @session_id, @task_id, @created_at)',
  );
  db.transaction(() => {
    for (const row of rows) {
      const { payload } = row;
      insert.run({ ...row, payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload) });
    }
  })();
}

/** Adds a row of a task; what isn't given is of an invented one. */
export function addTask(db: Database.Database, id: string, changes: Record<string, unknown> = {}): void {
  const row = {
    id,
    description: 'Plant a tree',
    status: 'running',
    created_at: '2026-05-04T03:02:01',
    updated_at: '2026-05-04T03:02:02',
    ...changes,
  };
  const names = Object.keys(row);
  db.prepare(`INSERT INTO tasks (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(row);
}
