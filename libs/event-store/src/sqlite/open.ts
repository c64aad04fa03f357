import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { LedgerMissingError, StoreUnavailableError } from '../errors.js';
import { whenFree } from './busy.js';
import { isBusy, sqliteCode } from './failures.js';
import { SCHEMA, SCHEMA_VERSION, TABLES } from './schema.js';
import { StoreFileError } from './store-file-error.js';

export interface OpenSettings {
  readonly file: string;
  /** False: the ledger must be there already. */
  readonly create: boolean;
  /** How long SQLite itself may wait for a lock, during which the event loop stands still. */
  readonly busyTimeoutMs: number;
  readonly maxWaitMs: number;
  /** The epoch, if the store is made now. */
  readonly createEpoch: () => string;
}

const EPOCH = /^[a-z0-9]{1,32}$/;
export const EPOCH_KEY = 'epoch';

/**
 * Opens the file, makes it if there is none, and makes or completes tables and triggers.
 *
 * @throws StoreFileError when the file is no database, damaged, newer than this program, or another program's
 * @throws StoreUnavailableError when other processes kept it locked
 * @throws LedgerMissingError when it is not to be made, and there is none
 */
export async function openDatabase(settings: OpenSettings): Promise<Database.Database> {
  const { file, maxWaitMs } = settings;
  if (!settings.create && !existsSync(file)) throw new LedgerMissingError('there is no such file');
  const db = connect(file, settings.busyTimeoutMs);
  try {
    await whenFree(maxWaitMs, () => {
      configure(db, file);
    });
    await whenFree(maxWaitMs, () => {
      prepareSchema(db, settings);
    });
    return db;
  } catch (error) {
    db.close();
    throw asFileError(file, error);
  }
}

function connect(file: string, busyTimeoutMs: number): Database.Database {
  try {
    return new Database(file, { timeout: busyTimeoutMs });
  } catch (error) {
    // A missing directory is a TypeError there, a directory in the file's place an SqliteError.
    throw new StoreFileError(file, 'it can not be opened', { cause: error });
  }
}

function asFileError(file: string, error: unknown): unknown {
  // What stayed locked comes as a StoreUnavailableError with the failure as its cause.
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const code = sqliteCode(cause);
  if (code === null || isBusy(cause)) return error;
  if (code === 'SQLITE_NOTADB') return new StoreFileError(file, 'it is not an SQLite database', { cause });
  if (code.startsWith('SQLITE_CORRUPT')) return new StoreFileError(file, 'the database is damaged', { cause });
  return new StoreFileError(file, `it can not be used (${code})`, { cause });
}

function configure(db: Database.Database, file: string): void {
  const mode: unknown = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw new StoreFileError(file, 'its file system does not allow a write-ahead log');
  // A commit is answered only when it is on the disk (promise 26); better-sqlite3's own default is less in WAL mode.
  db.pragma('synchronous = FULL');
  db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
  db.pragma('foreign_keys = ON');
  // Pages that many commits touch, those of the indexes, are written back once for 16 MiB of log instead of once for 4; and a log that a
  // long reader made grow is cut afterwards.
  db.pragma('wal_autocheckpoint = 4000');
  db.pragma('journal_size_limit = 67108864');
}

function namesIn(db: Database.Database): ReadonlySet<string> {
  return new Set(db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all());
}

function prepareSchema(db: Database.Database, settings: OpenSettings): void {
  if (isCurrent(db, settings.file)) return;
  if (!settings.create && !namesIn(db).has('event_store_schema')) throw new LedgerMissingError('the file holds no ledger');
  db.exec('BEGIN IMMEDIATE');
  try {
    // Asked again under the lock: another process may have made it all meanwhile.
    if (!isCurrent(db, settings.file)) makeSchema(db, settings);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function isCurrent(db: Database.Database, file: string): boolean {
  const names = namesIn(db);
  if (!names.has('event_store_schema')) {
    if (names.has('events') || names.has('ledger_meta')) throw new StoreFileError(file, 'it belongs to another program');
    return false;
  }
  const version = db.prepare<[], number | null>('SELECT max(version) FROM event_store_schema').pluck().get() ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new StoreFileError(file, `its tables have version ${String(version)}; this program knows ${String(SCHEMA_VERSION)} and older`);
  }
  // A table that is gone is never made anew: an empty one would hide the loss.
  const lost = version > 0 ? TABLES.find((table) => !names.has(table)) : undefined;
  if (lost !== undefined) throw new StoreFileError(file, `its table ${lost} is gone`);
  return version === SCHEMA_VERSION && Object.keys(SCHEMA).every((name) => names.has(name));
}

/** Also puts back a trigger that somebody dropped. */
function makeSchema(db: Database.Database, settings: OpenSettings): void {
  const names = namesIn(db);
  for (const [name, sql] of Object.entries(SCHEMA)) {
    if (!names.has(name)) db.exec(sql);
  }
  db.prepare('INSERT OR IGNORE INTO event_store_schema (version) VALUES (?)').run(SCHEMA_VERSION);
  const epoch = db.prepare<[string], string>('SELECT value FROM ledger_meta WHERE key = ?').pluck().get(EPOCH_KEY);
  if (epoch !== undefined) return;
  const drawn = settings.createEpoch();
  if (!EPOCH.test(drawn)) throw new RangeError('an epoch is 1 to 32 characters of [a-z0-9]');
  db.prepare('INSERT INTO ledger_meta (key, value) VALUES (?, ?)').run(EPOCH_KEY, drawn);
}
