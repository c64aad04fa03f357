import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import { invented, inventedEvent } from '../../testing/invented-rows.js';
import { parsed, placesOf, readInput, textsOf } from '../../testing/items.js';
import { addEvents, addTask, oldDatabase } from '../../testing/sqlite/old-database.js';
import { openInput } from '../open-input.js';

const path = temporaryDirectory();

describe('openInput: a database', () => {
  it('whose columns are spelled in capitals lost its receipts as no receipts: SQL has no case', async () => {
    const db = new Database(path('capitals.db'));
    db.exec('CREATE TABLE EVENTS(ID TEXT PRIMARY KEY, Event_Type TEXT, PAYLOAD TEXT, OddOne TEXT)');
    db.exec(`INSERT INTO EVENTS VALUES ('evt_1', 'execution.receipt', '{"a":1}', 'x')`);
    db.close();
    const { items } = await readInput(path('capitals.db'));
    expect(items.map(parsed)).toEqual([{ id: 'evt_1', event_type: 'execution.receipt', payload: '{"a":1}', OddOne: 'x' }]);
  });

  it('gives each row as an object of its columns: events, then tasks, then task events', async () => {
    const db = oldDatabase(path('a.db'));
    addTask(db, 't1', { priority: -3, evidence: '[{"x": 1}]' });
    addEvents(db, [inventedEvent(1), inventedEvent(2, { session_id: null })]);
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
      Array.from({ length: 10 }, (_, n) => inventedEvent(n)),
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
