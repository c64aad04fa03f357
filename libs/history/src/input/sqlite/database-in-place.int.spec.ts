import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { temporaryDirectory } from '@counterfoil/testing';
import type { SourceItem } from '../../import/source-item.js';
import { inventedEvent } from '../../testing/invented-rows.js';
import { parsed, placesOf, readInput } from '../../testing/items.js';
import { addEvents, addTask, oldDatabase } from '../../testing/sqlite/old-database.js';
import { openInput } from '../open-input.js';

const path = temporaryDirectory();

/** Names and contents of all that lies in a folder. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(
        async (name) =>
          [
            name,
            createHash('sha256')
              .update(await readFile(`${folder}/${name}`))
              .digest('hex'),
          ] as const,
      ),
    ),
  );
}

describe('openInput: a database where it lies', () => {
  it('is read beside a program that writes: what is committed, and nothing else', async () => {
    for (const log of [true, false]) {
      const file = path(`live-${String(log)}.db`);
      const writer = oldDatabase(file, { log });
      addEvents(writer, [inventedEvent(1)]);
      writer.exec(log ? 'BEGIN IMMEDIATE' : 'BEGIN');
      addTask(writer, 'half');
      const input = await openInput(file);
      const items: SourceItem[] = [];
      for await (const item of input.items()) items.push(item);
      expect(placesOf(items)).toEqual(['events 1']);
      // The reader stands in nobody's way.
      writer.exec('COMMIT');
      await input.close();
      expect(placesOf((await readInput(file)).items)).toEqual(['events 1', 'tasks 1']);
      writer.close();
    }
  });

  it('is read on while rows are added and removed', async () => {
    const writer = oldDatabase(path('live.db'), { log: true });
    addEvents(
      writer,
      Array.from({ length: 600 }, (_, n) => inventedEvent(n)),
    );
    const input = await openInput(path('live.db'));
    const items: SourceItem[] = [];
    for await (const item of input.items()) {
      if (items.push(item) !== 10) continue;
      writer.exec('DELETE FROM events WHERE rowid BETWEEN 100 AND 199');
      addEvents(writer, [inventedEvent(1000)]);
    }
    expect(items).toHaveLength(501);
    expect(input.ended).toBe(true);
    await input.close();
    writer.close();
  });

  it('is given up where another program keeps it locked', async () => {
    const writer = oldDatabase(path('locked.db'));
    writer.exec('BEGIN EXCLUSIVE');
    await expect(readInput(path('locked.db'))).rejects.toMatchObject({
      code: 'read_failed',
      message: expect.stringContaining('locked') as string,
    });
    writer.close();
  });

  async function folderWith(name: string, make: (file: string) => void): Promise<string> {
    await mkdir(path(name));
    make(path(`${name}/old.db`));
    return path(name);
  }

  it('stays as it was, and so does all beside it', async () => {
    const plain = await folderWith('plain', (file) => {
      const db = oldDatabase(file);
      addEvents(db, [inventedEvent(1)]);
      db.close();
    });
    const closed = await folderWith('closed', (file) => {
      const db = oldDatabase(file, { log: true });
      addEvents(db, [inventedEvent(1)]);
      db.close();
    });
    for (const folder of [plain, closed]) {
      const before = await contentOf(folder);
      expect(placesOf((await readInput(`${folder}/old.db`)).items)).toEqual(['events 1']);
      expect(await contentOf(folder)).toEqual(before);
      // Also where nothing can be written.
      await chmod(folder, 0o500);
      await symlink(`${folder}/old.db`, path(`link-${folder.slice(-5)}`));
      expect(placesOf((await readInput(path(`link-${folder.slice(-5)}`))).items)).toEqual(['events 1']);
      await chmod(folder, 0o700);
      expect(await contentOf(folder)).toEqual(before);
    }
  });

  it('is read with what stands only in its log, also where the index of the log is missing', async () => {
    const writer = oldDatabase(path('live.db'), { log: true });
    addEvents(writer, [inventedEvent(1)]);
    await mkdir(path('copied'));
    for (const side of ['', '-wal']) await copyFile(path(`live.db${side}`), path(`copied/old.db${side}`));
    writer.close();
    expect((await stat(path('copied/old.db-wal'))).size).toBeGreaterThan(0);
    const before = await contentOf(path('copied'));
    const temporaryFolder = await mkdtemp(path('copies-'));
    expect(placesOf((await readInput(path('copied/old.db'), { temporaryFolder })).items)).toEqual(['events 1']);
    expect(await contentOf(path('copied'))).toEqual(before);
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  it('is read as of before a change that was never finished', async () => {
    const writer = oldDatabase(path('live.db'));
    addEvents(
      writer,
      Array.from({ length: 300 }, (_, n) => inventedEvent(n)),
    );
    // A small cache spills the change into the file before it is committed.
    writer.pragma('cache_size = 2');
    writer.pragma('cache_spill = 2');
    writer.exec("BEGIN; UPDATE events SET user_id = 'changed'");
    await mkdir(path('copied'));
    for (const side of ['', '-journal']) await copyFile(path(`live.db${side}`), path(`copied/old.db${side}`));
    writer.exec('ROLLBACK');
    writer.close();
    expect((await readFile(path('copied/old.db'))).includes('changed')).toBe(true);
    const before = await contentOf(path('copied'));
    const { items, error } = await readInput(path('copied/old.db'));
    expect(error).toBeNull();
    expect(items).toHaveLength(300);
    expect(items.some((item) => parsed(item)['user_id'] === 'changed')).toBe(false);
    expect(await contentOf(path('copied'))).toEqual(before);
  });
});
