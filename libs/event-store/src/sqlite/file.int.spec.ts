import Database from 'better-sqlite3';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { collect, rejectionOf, temporaryDirectory, textEvents, textOf } from '@counterfoil/testing';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { verifyStore } from '../verify.js';
import { openDatabase } from './open.js';
import { SCHEMA, SCHEMA_VERSION } from './schema.js';
import { StoreFileError } from './store-file-error.js';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const at = temporaryDirectory();
const openStore = (): Promise<SqliteEventStore> => openSqliteEventStore({ file: at('events.db'), registry, createEpoch: () => 'e1' });

/** A store with three events in two streams and a fact, closed again. */
async function filledFile(): Promise<string> {
  const store = await openStore();
  await store.append({ stream: 'one', expected: 'no_stream', events: textEvents('one', 2) });
  await store.append({ stream: 'two', expected: 'no_stream', events: textEvents('two', 1) });
  store.setMetaOnce('check', 'value');
  await store.close();
  return at('events.db');
}

const COPY = 'stream, revision, id, type, version, hash, data, metadata';
const FORBIDDEN: [string, string][] = [
  ['UPDATE of an event', `UPDATE events SET data = '{}'`],
  ['UPDATE of one column of one event', `UPDATE events SET position = 9 WHERE position = 3`],
  ['UPDATE OR REPLACE', `UPDATE OR REPLACE events SET position = 1 WHERE position = 3`],
  ['UPDATE OR IGNORE', `UPDATE OR IGNORE events SET stream = 'other'`],
  ['DELETE of one event', `DELETE FROM events WHERE position = 3`],
  ['DELETE of all events', `DELETE FROM events`],
  [
    'INSERT OR REPLACE over a position',
    `INSERT OR REPLACE INTO events SELECT position, 'three', 0, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'INSERT OR REPLACE over an id',
    `INSERT OR REPLACE INTO events (${COPY}) SELECT 'three', 0, id, type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'INSERT OR REPLACE over a revision',
    `INSERT OR REPLACE INTO events (${COPY}) SELECT stream, revision, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  ['REPLACE', `REPLACE INTO events SELECT * FROM events WHERE position = 1`],
  ['an upsert', `INSERT INTO events (${COPY}) SELECT ${COPY} FROM events WHERE position = 1 ON CONFLICT DO UPDATE SET data = '{}'`],
  ['INSERT OR IGNORE over an event', `INSERT OR IGNORE INTO events SELECT * FROM events WHERE position = 1`],
  [
    'a revision that leaves one out',
    `INSERT INTO events (${COPY}) SELECT stream, 5, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'a stream that begins late',
    `INSERT INTO events (${COPY}) SELECT 'three', 1, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'a position before the newest',
    `INSERT INTO events SELECT 2, 'three', 0, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'a position that is none',
    `INSERT INTO events SELECT -5, 'three', 0, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  [
    'a revision that is no number',
    `INSERT INTO events (${COPY}) SELECT 'three', 'x', 'new', type, version, hash, data, metadata FROM events WHERE position = 1`,
  ],
  ['UPDATE of a fact', `UPDATE ledger_meta SET value = 'e2' WHERE key = 'epoch'`],
  ['DELETE of a fact', `DELETE FROM ledger_meta`],
  ['INSERT OR REPLACE over a fact', `INSERT OR REPLACE INTO ledger_meta VALUES ('epoch', 'e2')`],
  ['an upsert of a fact', `INSERT INTO ledger_meta VALUES ('epoch', 'e2') ON CONFLICT DO UPDATE SET value = 'e2'`],
];

const hasShell = spawnSync('sqlite3', ['-version']).status === 0;

describe('the database itself refuses', () => {
  it.each(FORBIDDEN)('%s, from any connection', async (_what, sql) => {
    const file = await filledFile();
    const db = new Database(file);
    const everything = (): unknown[] => [db.prepare('SELECT * FROM events').all(), db.prepare('SELECT * FROM ledger_meta').all()];
    const before = everything();
    for (const recursive of ['OFF', 'ON']) {
      db.pragma(`recursive_triggers = ${recursive}`);
      expect(await rejectionOf((async () => db.prepare(sql).run())())).toMatchObject({
        code: expect.stringMatching(/^SQLITE_CONSTRAINT/) as unknown,
      });
    }
    expect(everything()).toEqual(before);
    db.close();
    const store = await openStore();
    expect((await verifyStore(store)).ok).toBe(true);
    await store.close();
  });

  // Skipped where the program is not installed: nothing but Node is needed to run the tests.
  (hasShell ? it : it.skip)('the same in the sqlite3 shell', async () => {
    const file = await filledFile();
    for (const sql of [
      `UPDATE events SET data = '{}'`,
      'DELETE FROM events',
      'REPLACE INTO events SELECT * FROM events WHERE position = 1',
    ]) {
      const failure = await rejectionOf(promisify(execFile)('sqlite3', [file, sql]));
      expect(String(failure)).toMatch(/events are (immutable|only appended)/);
    }
  });

  it('nothing that is lawful', async () => {
    const db = new Database(await filledFile());
    const append = `INSERT INTO events (${COPY}) SELECT stream, 2, 'new', type, version, hash, data, metadata FROM events WHERE position = 1`;
    expect(db.prepare(append).run().changes).toBe(1);
    expect(db.prepare(`INSERT INTO ledger_meta VALUES ('another', 'fact')`).run().changes).toBe(1);
    db.close();
  });
});

describe('opening', () => {
  const problemOf = async (file: string): Promise<unknown> => rejectionOf(openSqliteEventStore({ file, registry }));

  it('makes a write-ahead log that syncs each commit', async () => {
    const db = await openDatabase({ create: true, file: at('events.db'), busyTimeoutMs: 5, maxWaitMs: 5000, createEpoch: () => 'e1' });
    expect([db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })]).toEqual(['wal', 2]);
    db.close();
  });

  it('draws a random epoch once', async () => {
    const first = await openSqliteEventStore({ file: at('a.db'), registry });
    const second = await openSqliteEventStore({ file: at('b.db'), registry });
    const again = await openSqliteEventStore({ file: at('a.db'), registry, createEpoch: () => 'other' });
    expect(first.epoch).toMatch(/^[a-z0-9]{16}$/);
    expect(second.epoch).not.toBe(first.epoch);
    expect(again.epoch).toBe(first.epoch);
    await Promise.all([first.close(), second.close(), again.close()]);
  });

  it('refuses an epoch that would not fit into a token', async () => {
    expect(await rejectionOf(openSqliteEventStore({ file: at('a.db'), registry, createEpoch: () => 'E.1' }))).toBeInstanceOf(RangeError);
  });

  it.each(['no database at all, but a text long enough to be taken for one'.repeat(200), 'short'])(
    'refuses a file that is no database',
    async (text) => {
      await writeFile(at('text.db'), text);
      const problem = await problemOf(at('text.db'));
      expect(problem).toBeInstanceOf(StoreFileError);
      expect(problem).toMatchObject({ code: 'store_file_unusable', message: expect.stringContaining('not an SQLite database') as unknown });
    },
  );

  it('refuses a database whose pages are damaged', async () => {
    const file = await filledFile();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(3000, 0xff), 0, 3000, 100);
    await handle.close();
    expect(await problemOf(file)).toBeInstanceOf(StoreFileError);
  });

  it('refuses a directory, a file in a directory that is missing, and the database of another program', async () => {
    await mkdir(at('directory'));
    expect(await problemOf(at('directory'))).toBeInstanceOf(StoreFileError);
    expect(await problemOf(at('missing/events.db'))).toBeInstanceOf(StoreFileError);
    const other = new Database(at('other.db'));
    other.exec('CREATE TABLE events (name TEXT)');
    other.close();
    expect(String(await problemOf(at('other.db')))).toContain('another program');
  });

  it('refuses the tables of a newer version and says so', async () => {
    const file = await filledFile();
    const db = new Database(file);
    db.prepare('INSERT INTO event_store_schema VALUES (?)').run(SCHEMA_VERSION + 1);
    db.close();
    expect(String(await problemOf(file))).toContain(`its tables have version ${SCHEMA_VERSION + 1}`);
  });

  it('refuses a store whose events table is gone, instead of making an empty one', async () => {
    const file = await filledFile();
    const db = new Database(file);
    db.exec('DROP TABLE events');
    db.close();
    expect(String(await problemOf(file))).toContain('its table events is gone');
  });

  it('puts back a trigger that was dropped', async () => {
    const file = await filledFile();
    const db = new Database(file);
    for (const name of Object.keys(SCHEMA).filter((key) => SCHEMA[key]?.startsWith('CREATE TRIGGER'))) db.exec(`DROP TRIGGER ${name}`);
    const store = await openStore();
    expect(() => db.exec('DELETE FROM events')).toThrow('events are immutable');
    expect(() => db.exec(`UPDATE ledger_meta SET value = ''`)).toThrow('written once');
    db.close();
    await store.close();
  });

  it('stands beside the tables of another lib in the same file', async () => {
    const db = new Database(at('events.db'));
    db.exec('CREATE TABLE documents (id TEXT PRIMARY KEY)');
    const store = await openStore();
    await store.append({ stream: 's', expected: 'no_stream', events: textEvents('e', 1) });
    expect((await collect(store.readStored(null))).map(textOf)).toEqual(['e 0']);
    db.close();
    await store.close();
  });
});

describe('facts of a ledger', () => {
  it('are set once, also by two connections', async () => {
    const [one, two] = await Promise.all([openStore(), openStore()]);
    expect(one.meta('key')).toBeNull();
    expect(one.setMetaOnce('key', 'first')).toBe('first');
    expect(two.setMetaOnce('key', 'second')).toBe('first');
    expect([one.meta('key'), two.meta('key'), one.meta('epoch')]).toEqual(['first', 'first', 'e1']);
    await Promise.all([one.close(), two.close()]);
    expect(() => one.meta('key')).toThrow('closed');
    expect(() => one.setMetaOnce('key', 'third')).toThrow('closed');
  });
});
