import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import type { SourceItem } from '../../import/source-item.js';
import { invented } from '../../testing/invented-rows.js';
import { readInput, textsOf } from '../../testing/items.js';
import { addEvents, oldDatabase } from '../../testing/sqlite/old-database.js';
import { openInput } from '../open-input.js';

const path = temporaryDirectory();

const event = (n: number, changes: Record<string, unknown> = {}): Record<string, unknown> =>
  invented.row({ id: `evt_${String(n)}`, ...changes });

function addTask(db: Database.Database, id: string, changes: Record<string, unknown> = {}): void {
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

const placesOf = (items: readonly SourceItem[]): string[] =>
  items.map((item) => (item.kind === 'blank' ? '' : `${item.place.table ?? ''} ${item.place.row ?? ''}`));
const parsed = (item: SourceItem | undefined): Record<string, unknown> =>
  JSON.parse(item?.kind === 'record' ? item.text : 'null') as Record<string, unknown>;

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

describe('openInput: a database', () => {
  it('gives each row as an object of its columns: events, then tasks, then task events', async () => {
    const db = oldDatabase(path('a.db'));
    addTask(db, 't1', { priority: -3, evidence: '[{"x": 1}]' });
    addEvents(db, [event(1), event(2, { session_id: null })]);
    db.exec(
      "INSERT INTO task_events VALUES ('te1', 't1', 'task.created', '{}', '2026-05-04T03:02:01'); INSERT INTO memories VALUES ('m1', 'x')",
    );
    db.close();
    const size = (await stat(path('a.db'))).size;
    const found = await readInput(path('a.db'));
    expect(found).toMatchObject({ container: 'database', compressed: false, totalBytes: size, bytes: size, ended: true, error: null });
    expect(found.otherTables).toEqual({ memories: 1, schema_migrations: 1 });
    expect(placesOf(found.items)).toEqual(['events 1', 'events 2', 'tasks 1', 'task_events 1']);
    const [first] = found.items;
    expect(first).toMatchObject({ invalidUtf8: false, place: { line: null, byteOffset: null } });
    const { payload, ...columns } = invented.row({ id: 'evt_1' });
    expect(parsed(first)).toEqual({ ...columns, payload: JSON.stringify(payload) });
    expect(Object.keys(parsed(first))).toEqual([
      'id',
      'event_type',
      'payload',
      'user_id',
      'workspace_id',
      'session_id',
      'task_id',
      'created_at',
    ]);
    expect(parsed(found.items[2])).toMatchObject({ id: 't1', parent_id: null, priority: -3, evidence: '[{"x": 1}]', checkpoint: '{}' });
  });

  it('keeps what a column held exactly: NULs, odd numbers, bytes that are no text', async () => {
    const db = new Database(path('a.db'));
    db.exec(`CREATE TABLE events (id, payload, n, __proto__);
      INSERT INTO events VALUES ('nul', CAST(x'7b7d003031' AS TEXT), 9007199254740993, 1.5);
      INSERT INTO events VALUES ('nan', '{"n": NaN}', 9e999, -0.0);
      INSERT INTO events VALUES ('bad', CAST(x'61ff62' AS TEXT), NULL, 1e21);
      INSERT INTO events VALUES ('wtf', CAST(x'eda080' AS TEXT), 1, 2);
      INSERT INTO events VALUES ('blob', x'c3a9', x'ff', '"');`);
    db.close();
    const { items } = await readInput(path('a.db'));
    expect(textsOf(items)).toEqual([
      '{"id":"nul","payload":"{}\\u000001","n":9007199254740993,"__proto__":1.5}',
      '{"id":"nan","payload":"{\\"n\\": NaN}","n":Infinity,"__proto__":0}',
      '{"id":"bad","payload":"a\ufffdb","n":null,"__proto__":1e+21}',
      '{"id":"wtf","payload":"\\ud800","n":1,"__proto__":2}',
      '{"id":"blob","payload":"é","n":"\ufffd","__proto__":"\\""}',
    ]);
    expect(items.map((item) => item.kind === 'record' && item.invalidUtf8)).toEqual([false, false, true, true, true]);
  });

  it('reads one whose texts are UTF-16', async () => {
    for (const encoding of ['UTF-16le', 'UTF-16be']) {
      const db = new Database(path(`${encoding}.db`));
      db.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE events (id, payload); INSERT INTO events VALUES ('é', '😀')`);
      db.close();
      expect(textsOf((await readInput(path(`${encoding}.db`))).items)).toEqual(['{"id":"é","payload":"😀"}']);
    }
  });

  it('reads by row id: any ids, names that hide it, and more rows than are read at once', async () => {
    const db = new Database(path('a.db'));
    db.exec(`CREATE TABLE "Events" (rowid TEXT, _rowid_ TEXT);
      INSERT INTO "Events" (oid, rowid) VALUES (-9223372036854775808, 'a'), (9223372036854775807, 'z'), (0, 'm')`);
    db.exec('CREATE TABLE tasks (id)');
    const insert = db.prepare('INSERT INTO tasks VALUES (?)');
    db.transaction(() => {
      for (let n = 0; n < 1000; n++) insert.run(n);
    })();
    db.close();
    const { items } = await readInput(path('a.db'));
    expect(placesOf(items.slice(0, 3))).toEqual(['events -9223372036854775808', 'events 0', 'events 9223372036854775807']);
    expect(items.slice(3).map((item) => parsed(item)['id'])).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  it('gives rows with the columns that there are, and none that are computed', async () => {
    const db = new Database(path('a.db'));
    db.exec(
      `CREATE TABLE tasks (id TEXT, mood TEXT, heavy AS (zeroblob(500000000)) VIRTUAL); INSERT INTO tasks (id, mood) VALUES ('t', 'fine')`,
    );
    db.close();
    expect(textsOf((await readInput(path('a.db'))).items)).toEqual(['{"id":"t","mood":"fine"}']);
  });

  it('gives a row over the limit by digest and beginning, and the others whole', async () => {
    const db = new Database(path('a.db'));
    const long = `é"\\${'é\u0001'.repeat(2_000_000)}`;
    db.exec('CREATE TABLE events (id TEXT, payload TEXT, n)');
    db.prepare('INSERT INTO events VALUES (?, ?, 1), (?, ?, 2)').run('a', long, 'b', 'short');
    db.close();
    const { items } = await readInput(path('a.db'), { lineLimit: 1024 * 1024 });
    const text = Buffer.from(JSON.stringify({ id: 'a', payload: long, n: 1 }));
    expect(items[0]).toMatchObject({
      kind: 'overlong',
      length: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
      place: { table: 'events', row: '1' },
    });
    expect(items[0]?.kind === 'overlong' && items[0].head.equals(text.subarray(0, 64 * 1024))).toBe(true);
    expect(textsOf(items.slice(1))).toEqual(['{"id":"b","payload":"short","n":2}']);
  });

  it('tells how far it is by its rows', async () => {
    const db = oldDatabase(path('a.db'));
    addEvents(
      db,
      Array.from({ length: 10 }, (_, n) => event(n)),
    );
    db.close();
    const input = await openInput(path('a.db'));
    const shares: number[] = [];
    for await (const item of input.items())
      shares.push(item.kind === 'record' ? Math.round((10 * input.bytes) / (input.totalBytes ?? 1)) : -1);
    expect(shares).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await input.close();
  });
});

describe('openInput: a database that comes as a stream or in gzip', () => {
  async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }

  it('gives the same rows, and leaves nothing behind, not even while it is read', async () => {
    const db = oldDatabase(path('a.db'));
    addEvents(
      db,
      Array.from({ length: 600 }, (_, n) => event(n)),
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

describe('openInput: a database where it lies', () => {
  it('is read beside a program that writes: what is committed, and nothing else', async () => {
    for (const log of [true, false]) {
      const file = path(`live-${String(log)}.db`);
      const writer = oldDatabase(file, { log });
      addEvents(writer, [event(1)]);
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
      Array.from({ length: 600 }, (_, n) => event(n)),
    );
    const input = await openInput(path('live.db'));
    const items: SourceItem[] = [];
    for await (const item of input.items()) {
      if (items.push(item) !== 10) continue;
      writer.exec('DELETE FROM events WHERE rowid BETWEEN 100 AND 199');
      addEvents(writer, [event(1000)]);
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
      addEvents(db, [event(1)]);
      db.close();
    });
    const closed = await folderWith('closed', (file) => {
      const db = oldDatabase(file, { log: true });
      addEvents(db, [event(1)]);
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
    addEvents(writer, [event(1)]);
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
      Array.from({ length: 300 }, (_, n) => event(n)),
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
      Array.from({ length: 500 }, (_, n) => event(n)),
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
      Array.from({ length: 500 }, (_, n) => event(n)),
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
