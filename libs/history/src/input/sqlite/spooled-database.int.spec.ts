import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import type { SourceItem } from '../../import/source-item.js';
import { inventedEvent } from '../../testing/invented-rows.js';
import { readInput, textsOf } from '../../testing/items.js';
import { addEvents, oldDatabase } from '../../testing/sqlite/old-database.js';
import { openInput } from '../open-input.js';

const path = temporaryDirectory();

describe('openInput: a database that comes as a stream or in gzip', () => {
  async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }

  it('gives the same rows, and leaves nothing behind, not even while it is read', async () => {
    const db = oldDatabase(path('a.db'));
    addEvents(
      db,
      Array.from({ length: 600 }, (_, n) => inventedEvent(n)),
    );
    db.close();
    const plain = await readFile(path('a.db'));
    await writeFile(path('a.gz'), gzipSync(plain));
    const expected = textsOf((await readInput(path('a.db'))).items);
    for (const source of [chunks(plain), chunks(gzipSync(plain)), path('a.gz')]) {
      const temporaryFolder = await mkdtemp(path('spool-'));
      const input = await openInput(source, { temporaryFolder });
      if (process.platform !== 'win32') expect(await readdir(temporaryFolder)).toEqual([]);
      const items: SourceItem[] = [];
      for await (const item of input.items()) items.push(item);
      expect(textsOf(items)).toEqual(expected);
      expect(input).toMatchObject({ container: 'database', ended: true });
      expect(input.bytes).toBe(input.totalBytes);
      await input.close();
      expect(await readdir(temporaryFolder)).toEqual([]);
    }
  });

  it('lies meanwhile where only its user can read it', async () => {
    const temporaryFolder = await mkdtemp(path('spool-'));
    oldDatabase(path('a.db')).close();
    const bytes = await readFile(path('a.db'));
    const modes: number[] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 5000);
      const [folder = ''] = await readdir(temporaryFolder);
      for (const name of [folder, `${folder}/database`]) modes.push((await stat(`${temporaryFolder}/${name}`)).mode & 0o777);
      yield bytes.subarray(5000);
    }
    const umask = process.umask(0);
    try {
      await readInput(watched(), { temporaryFolder });
    } finally {
      process.umask(umask);
    }
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('leaves nothing behind where the stream breaks, is stopped, or is no database after all', async () => {
    oldDatabase(path('a.db')).close();
    const bytes = await readFile(path('a.db'));
    const temporaryFolder = await mkdtemp(path('spool-'));
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 5000);
      throw new Error('EIO');
    }
    await expect(readInput(broken(), { temporaryFolder })).rejects.toMatchObject({ code: 'read_failed' });
    await expect(readInput(chunks(bytes.subarray(0, 5000)), { temporaryFolder })).rejects.toMatchObject({ code: 'read_failed' });
    const controller = new AbortController();
    async function* stopped(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 5000);
      controller.abort();
      yield bytes.subarray(5000);
    }
    const found = await readInput(stopped(), { temporaryFolder, signal: controller.signal });
    expect(found).toMatchObject({ items: [], ended: false, container: 'database' });
    const other = new Database(path('other.db'));
    other.exec('CREATE TABLE notes (id)');
    other.close();
    const bytesOfOther = await readFile(path('other.db'));
    await expect(readInput(chunks(bytesOfOther), { temporaryFolder })).rejects.toMatchObject({ code: 'unknown_database' });
    expect(await readdir(temporaryFolder)).toEqual([]);
  });
});
