// The old runtime's tables (facts of its persistence, section 2 of the shared README), in the columns that it gave them.
const MIGRATIONS = 'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)';

const EVENTS = `CREATE TABLE events (id TEXT PRIMARY KEY, event_type TEXT NOT NULL, payload TEXT NOT NULL, user_id TEXT NOT NULL DEFAULT 'local',
  workspace_id TEXT NOT NULL DEFAULT 'default', session_id TEXT, task_id TEXT, created_at TEXT NOT NULL);
  CREATE INDEX events_scope ON events (user_id, workspace_id, session_id, created_at)`;

/** Of an early day, or of somebody else's: it lacks what later ones have. */
const NARROW_EVENTS = 'CREATE TABLE events (id TEXT PRIMARY KEY, event_type TEXT, payload TEXT, created_at TEXT)';

const TASKS = `CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, description TEXT NOT NULL, status TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0, dependencies TEXT NOT NULL DEFAULT '[]', acceptance TEXT NOT NULL DEFAULT '[]',
  attempts INTEGER NOT NULL DEFAULT 0, checkpoint TEXT NOT NULL DEFAULT '{}', evidence TEXT NOT NULL DEFAULT '[]',
  user_id TEXT NOT NULL DEFAULT 'local', workspace_id TEXT NOT NULL DEFAULT 'default', session_id TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
  CREATE INDEX tasks_scope ON tasks (user_id, workspace_id, session_id, status, priority)`;

const TASK_EVENTS = `CREATE TABLE task_events (id TEXT PRIMARY KEY, task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
  event_type TEXT NOT NULL, payload TEXT NOT NULL, created_at TEXT NOT NULL)`;

/** Tables that hold no record of a call: counted and named, not read. */
const OTHERS = ['memories', 'files', 'learning_proposals', 'scheduled_jobs', 'skills', 'usage_attempts', 'history_nodes', 'history_heads'];

/** @param version of `schema_migrations`: 1 for generation 0, 3 for later ones */
export function oldSchema(version: 1 | 3, narrow: boolean): string {
  const others = OTHERS.map((name) => `CREATE TABLE ${name} (id TEXT PRIMARY KEY, content TEXT)`);
  const tables = [MIGRATIONS, narrow ? NARROW_EVENTS : EVENTS, TASKS, TASK_EVENTS, ...others];
  return `${tables.join(';\n')};\nINSERT INTO schema_migrations VALUES (${String(version)}, '2026-08-01T00:00:00+00:00');`;
}
