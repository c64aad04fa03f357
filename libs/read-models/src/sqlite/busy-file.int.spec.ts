import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openSqliteDocumentStore } from './index.js';

const SPEC = { name: 'busy', indexes: [] };

describe('a SQLite document store whose file another one holds', () => {
  let directory = '';
  let file = '';
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'counterfoil-busy-'));
    file = path.join(directory, 'ledger.db');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('waits for it without blocking the process, then writes', async () => {
    const store = await openSqliteDocumentStore({ file });
    const collection = await store.collection(SPEC);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const order: string[] = [];
    const writing = collection.bulkWrite([{ id: 'a', expected: null, guard: 1n, doc: {}, fields: {} }]).then(() => order.push('written'));
    await delay(60);
    order.push('released');
    other.exec('COMMIT');
    await writing;
    expect(order).toEqual(['released', 'written']);
    other.close();
    await store.close();
  });

  it('gives up after its limit, with an error that says so; reads go on all the time', async () => {
    const store = await openSqliteDocumentStore({ file, busyLimitMs: 50 });
    const collection = await store.collection(SPEC);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const write = { id: 'a', expected: null, guard: 1n, doc: {}, fields: {} };
    await expect(collection.bulkWrite([write])).rejects.toMatchObject({ code: 'document_store_unavailable' });
    expect(await collection.get('a')).toBeNull();
    other.exec('COMMIT');
    expect(await collection.bulkWrite([write])).toEqual({ conflicts: [] });
    other.close();
    await store.close();
  });

  it('says that it was closed', async () => {
    const store = await openSqliteDocumentStore({ file });
    const collection = await store.collection(SPEC);
    await store.close();
    await expect(collection.get('a')).rejects.toMatchObject({ code: 'document_store_unavailable' });
  });

  it('says that the collection was dropped, by whatever is asked of it', async () => {
    const [store, other] = [await openSqliteDocumentStore({ file }), await openSqliteDocumentStore({ file })];
    const collection = await store.collection({ name: 'doomed', indexes: [{ name: 'by_a', fields: ['a'] }] });
    expect(await collection.get('a')).toBeNull();
    await other.drop('doomed');
    const query = { index: 'by_a', where: {}, order: ['a'], direction: 'asc', limit: 1 } as const;
    const write = { id: 'a', expected: null, guard: 1n, doc: {}, fields: { a: 1 } };
    const asked = [
      () => collection.get('a'),
      () => collection.find(query),
      () => collection.count('by_a', {}),
      () => collection.bulkWrite([write]),
      () => collection.bulkWrite([{ ...write, expected: 0n }]),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'collection_dropped' });
    await store.close();
    await other.close();
  });

  it('refuses a file that is no database', async () => {
    await expect(openSqliteDocumentStore({ file: path.join(directory, 'no', 'such', 'folder.db') })).rejects.toThrow();
  });
});
