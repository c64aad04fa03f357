import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import { inventedEvent } from '../../testing/invented-rows.js';
import { placesOf, readInput } from '../../testing/items.js';
import { addEvents, addTask, oldDatabase } from '../../testing/sqlite/old-database.js';

const path = temporaryDirectory();

describe('openInput: a database that is none, or is damaged', () => {
  it('refuses one with no table that it knows', async () => {
    const db = new Database(path('a.db'));
    db.exec('CREATE TABLE task_events (id); CREATE VIEW events AS SELECT 1 AS id');
    db.close();
    await expect(readInput(path('a.db'))).rejects.toMatchObject({ name: 'InputError', code: 'unknown_database' });
  });

  it('refuses what only begins like one', async () => {
    await writeFile(path('a.db'), Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)]));
    await expect(readInput(path('a.db'))).rejects.toMatchObject({ code: 'read_failed', message: 'The database is damaged.' });
    await writeFile(path('b.db'), 'SQLite format 3\0');
    await expect(readInput(path('b.db'))).rejects.toMatchObject({ code: 'read_failed' });
  });

  it('gives what can be read of a damaged one, the other tables too, and then fails', async () => {
    const db = oldDatabase(path('a.db'));
    addTask(db, 't1');
    addEvents(
      db,
      Array.from({ length: 500 }, (_, n) => inventedEvent(n)),
    );
    db.close();
    const { size } = await stat(path('a.db'));
    const bytes = await readFile(path('a.db'));
    // In the middle lie pages of events.
    bytes.fill(0xa5, (size >> 13) << 12, ((size >> 13) << 12) + 8192);
    await writeFile(path('a.db'), bytes);
    const { items, error } = await readInput(path('a.db'));
    expect(error).toMatchObject({ code: 'read_failed', message: 'The table events is damaged.' });
    expect(placesOf(items)).toContain('tasks 1');
    expect(items.length).toBeGreaterThan(50);
  });

  it('fails for one that was cut', async () => {
    const db = oldDatabase(path('a.db'));
    addEvents(
      db,
      Array.from({ length: 500 }, (_, n) => inventedEvent(n)),
    );
    db.close();
    await truncate(path('a.db'), (await stat(path('a.db'))).size >> 1);
    const outcome = await readInput(path('a.db')).catch((error: unknown) => ({ error }));
    expect(outcome.error).toMatchObject({ code: 'read_failed' });
  });

  it('says so of a table without row ids', async () => {
    const db = new Database(path('a.db'));
    db.exec("CREATE TABLE events (id TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE tasks (id); INSERT INTO tasks VALUES ('t')");
    db.close();
    const { items, error } = await readInput(path('a.db'));
    expect(error).toMatchObject({ code: 'read_failed', message: 'The table events has no row ids.' });
    expect(placesOf(items)).toEqual(['tasks 1']);
  });
});
