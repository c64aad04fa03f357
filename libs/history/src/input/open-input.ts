import { ByteSource, peek } from './byte-source.js';
import type { ImportSource, Peeked } from './byte-source.js';
import { cutDatabase, databaseInput } from './database-input.js';
import { InputError } from './input-error.js';
import { beginningOf, MAGIC_BYTES } from './magic.js';
import type { InputOptions, OpenedInput } from './opened-input.js';
import { spool } from './spool.js';
import { openDatabase, openOwn } from './sqlite/open-database.js';
import { TemporaryFolder } from './temporary-folder.js';
import { TextInput } from './text-input.js';
import { unzip } from './unzip.js';

const SPOOL_LIMIT = 4 * 1024 ** 3;

/**
 * Opens what is to be imported and tells by its content what it is: text (lines of JSON, or JSON documents), a database of SQLite, or
 * either of them in gzip. A database in a file is read where it lies; one that comes as a stream is put into a private folder first.
 *
 * @throws InputError `read_failed`, `not_lines` (UTF-16, zip, zstd), `unknown_database`
 */
export async function openInput(source: ImportSource, options: InputOptions = {}): Promise<OpenedInput> {
  const { signal } = options;
  const raw = await ByteSource.open(source, signal);
  const outer = await peek(raw.chunks(), MAGIC_BYTES);
  const compressed = beginningOf(outer.start) === 'gzip';
  const content = compressed ? await peek(unzip(outer.chunks, signal), MAGIC_BYTES) : outer;
  try {
    const beginning = beginningOf(content.start);
    if (beginning === 'text') return new TextInput(raw, compressed, content, options);
    if (beginning === 'sqlite') return await openSqlite(raw, compressed, content, options);
    throw new InputError('not_lines', `The input is ${beginning === 'gzip' ? 'in gzip twice' : beginning.refused}, not text in UTF-8.`);
  } catch (error) {
    await content.close();
    throw error;
  }
}

async function openSqlite(raw: ByteSource, compressed: boolean, content: Peeked, options: InputOptions): Promise<OpenedInput> {
  if (raw.file !== null && !compressed) {
    await content.close();
    const opened = await openDatabase(raw.file, options.temporaryFolder);
    return databaseInput(opened, { compressed, totalBytes: raw.totalBytes ?? 0 }, options);
  }
  const folder = await TemporaryFolder.create(options.temporaryFolder);
  const file = folder.file('database');
  try {
    await spool(content.chunks, file, options.spoolLimit ?? SPOOL_LIMIT);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  if (options.signal?.aborted === true) {
    await folder.remove();
    return cutDatabase(compressed, raw.bytes);
  }
  return databaseInput(await openOwn(file, folder), { compressed, totalBytes: raw.bytes }, options);
}
