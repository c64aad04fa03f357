import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, open, realpath } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { TemporaryFolder } from '../temporary-folder.js';
import { asInputError, needsCopy, whenFree } from './failures.js';

/** How long SQLite itself waits for a lock, during which the event loop stands still. */
const BUSY_MS = 100;
/** Where the header names the formats of writing and reading, and which one has a write-ahead log. */
const VERSIONS_AT = 18;
const WITH_LOG = 2;
const COPY_NAME = 'database';
const SIDES = ['-wal', '-journal'] as const;

/** An open database, and the folder of ours that it may lie in. */
export interface OpenedFile {
  readonly db: Database.Database;
  /** Again: nothing. */
  close(): Promise<void>;
}

/**
 * Opens a database for reading where it lies, and never writes beside it. SQLite itself would: it makes two files next to a database with
 * a write-ahead log, and plays back a journal that was left behind. Such a one is copied to a private folder and read there.
 *
 * @param temporary parent of that folder
 * @throws InputError `read_failed`
 */
export async function openDatabase(path: string, temporary: string | undefined): Promise<OpenedFile> {
  try {
    // Its side files lie beside the file itself, not beside a link to it.
    const file = await realpath(path);
    return (await openInPlace(file)) ?? (await openCopy(file, temporary));
  } catch (error) {
    throw asInputError(error);
  }
}

/** Opens a database that lies in a folder of ours, which is removed in any case. @throws InputError `read_failed` */
export async function openOwn(file: string, folder: TemporaryFolder): Promise<OpenedFile> {
  try {
    const db = await connect(file, false);
    // Where an open file stays readable its name goes at once: even a process that is killed leaves nothing behind.
    if (process.platform !== 'win32') await folder.remove();
    return opened(db, folder);
  } catch (error) {
    await folder.remove();
    throw asInputError(error);
  }
}

function opened(db: Database.Database, folder: TemporaryFolder | null): OpenedFile {
  return {
    db,
    close: async () => {
      db.close();
      await folder?.remove();
    },
  };
}

async function openInPlace(file: string): Promise<OpenedFile | null> {
  if (!(await isReadInPlace(file))) return null;
  try {
    return opened(await connect(file, true), null);
  } catch (error) {
    if (needsCopy(error)) return null;
    throw error;
  }
}

async function openCopy(file: string, temporary: string | undefined): Promise<OpenedFile> {
  const folder = await TemporaryFolder.create(temporary);
  const copy = folder.file(COPY_NAME);
  try {
    for (const side of ['', ...SIDES]) {
      if (side !== '' && !existsSync(file + side)) continue;
      await copyFile(file + side, copy + side, constants.COPYFILE_FICLONE);
      await chmod(copy + side, 0o600);
    }
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return openOwn(copy, folder);
}

/** With a log only if both files of it are there: else SQLite would make them. */
async function isReadInPlace(file: string): Promise<boolean> {
  const log = existsSync(`${file}-wal`);
  if (log) return existsSync(`${file}-shm`);
  const handle = await open(file, 'r');
  try {
    const versions = Buffer.alloc(2);
    await handle.read(versions, 0, versions.length, VERSIONS_AT);
    return !versions.includes(WITH_LOG);
  } finally {
    await handle.close();
  }
}

async function connect(file: string, readonly: boolean): Promise<Database.Database> {
  const db = new Database(file, { readonly, fileMustExist: true, timeout: BUSY_MS });
  try {
    await whenFree(() => {
      // What a stranger's schema may call, and pages that say of themselves what isn't so.
      db.pragma('trusted_schema = OFF');
      db.pragma('cell_size_check = ON');
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
