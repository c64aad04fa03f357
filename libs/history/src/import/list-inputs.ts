import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../input/input-error.js';
import { beginningOf, MAGIC_BYTES } from '../input/magic.js';

/** The name that stands for standard input. */
export const STDIN = '-';

/** An input of a run, by its path; `failure` for a folder that can't be read. */
export interface ListedInput {
  readonly path: string;
  readonly failure: InputError | null;
}

const SIDE_FILE = /-(?:wal|shm|journal)$/;

/**
 * The files to be imported, in order: those given, and of folders what is in them, sorted by name. In folders hidden entries and symbolic
 * links are passed over, and so is everything that is no file. What SQLite keeps beside a database belongs to that database.
 */
export async function listInputs(paths: readonly string[]): Promise<readonly ListedInput[]> {
  const found: ListedInput[] = [];
  for (const path of paths) {
    if (path === STDIN) found.push({ path, failure: null });
    else if (await isFolder(path)) await listFolder(path, found);
    else if (!(await isBesideDatabase(path))) found.push({ path, failure: null });
  }
  return found;
}

async function listFolder(folder: string, found: ListedInput[]): Promise<void> {
  // Not by recursion: folders may be nested deeper than calls.
  const waiting: { readonly path: string; readonly isFolder: boolean }[] = [{ path: folder, isFolder: true }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path } = next;
    if (!next.isFolder) {
      if (!(await isBesideDatabase(path))) found.push({ path, failure: null });
      continue;
    }
    try {
      waiting.push(...(await entriesOf(path)).reverse());
    } catch (error) {
      found.push({ path, failure: new InputError('read_failed', 'The folder cannot be read.', { cause: error }) });
    }
  }
}

async function entriesOf(folder: string): Promise<{ readonly path: string; readonly isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ path: join(folder, entry.name), isFolder: entry.isDirectory() }));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Reading it will say what is wrong.
    return false;
  }
}

/** By the content of what it is beside, not by its name alone. */
async function isBesideDatabase(path: string): Promise<boolean> {
  if (!SIDE_FILE.test(path)) return false;
  try {
    const file = await open(path.replace(SIDE_FILE, ''), 'r');
    try {
      const start = Buffer.alloc(MAGIC_BYTES);
      const { bytesRead } = await file.read(start, 0, MAGIC_BYTES, 0);
      return beginningOf(start.subarray(0, bytesRead)) === 'sqlite';
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
