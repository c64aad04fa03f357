/** Version of the tables below. A file with a newer one is refused. */
export const SCHEMA_VERSION = 1;

export const TABLES = ['event_store_schema', 'ledger_meta', 'events'] as const;

/**
 * The tables and what guards them. The triggers hold for every connection of every program: `UPDATE` and `DELETE` are refused, and so
 * is an `INSERT` (plain, `OR REPLACE`, `OR IGNORE`, with an upsert clause) that is not the next event of its stream: a REPLACE would
 * delete the old row without any delete trigger being asked, so the insert trigger looks first. Nothing can refuse `DROP TRIGGER`: for
 * that there is the hash chain.
 *
 * The hash stands before the long columns, so that finding the head of a stream doesn't read through a long event. `version` has no type, so that what an old store wrote there (case 51) is hashed as it stands. NEW.position is -1 where the insert
 * leaves it to SQLite.
 */
export const SCHEMA: Readonly<Record<string, string>> = {
  event_store_schema: `CREATE TABLE event_store_schema (version INTEGER PRIMARY KEY NOT NULL) STRICT`,

  ledger_meta: `CREATE TABLE ledger_meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID`,

  ledger_meta_no_update: `CREATE TRIGGER ledger_meta_no_update BEFORE UPDATE ON ledger_meta
    BEGIN SELECT RAISE(ABORT, 'ledger_meta is written once'); END`,

  ledger_meta_no_delete: `CREATE TRIGGER ledger_meta_no_delete BEFORE DELETE ON ledger_meta
    BEGIN SELECT RAISE(ABORT, 'ledger_meta is written once'); END`,

  ledger_meta_insert_once: `CREATE TRIGGER ledger_meta_insert_once BEFORE INSERT ON ledger_meta
    WHEN EXISTS (SELECT 1 FROM ledger_meta WHERE key = NEW.key)
    BEGIN SELECT RAISE(ABORT, 'ledger_meta is written once'); END`,

  events: `CREATE TABLE events (
      position INTEGER PRIMARY KEY AUTOINCREMENT CHECK (position > 0),
      stream TEXT NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 0),
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      version ANY,
      hash TEXT NOT NULL,
      data TEXT NOT NULL,
      metadata TEXT NOT NULL,
      UNIQUE (stream, revision)
    ) STRICT`,

  events_no_update: `CREATE TRIGGER events_no_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are immutable'); END`,

  events_no_delete: `CREATE TRIGGER events_no_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are immutable'); END`,

  events_append_only: `CREATE TRIGGER events_append_only BEFORE INSERT ON events
    WHEN NEW.revision IS NOT coalesce((SELECT max(revision) FROM events WHERE stream = NEW.stream), -1) + 1
      OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
      OR (NEW.position > 0 AND NEW.position <= (SELECT max(position) FROM events))
    BEGIN SELECT RAISE(ABORT, 'events are only appended, each once'); END`,
};
