import { mongoTestDatabase, overMongo, WireProxy, type MongoTestDatabase, type WireFate } from '@counterfoil/testing';
import type { Collection, CollectionSpec, DocumentStore, GuardedWrite } from '../port.js';
import { openMongoDocumentStore } from './index.js';

const SPEC: CollectionSpec = { name: 'faulty', indexes: [{ name: 'by_n', fields: ['n'] }] };
// After a connection broke, the driver looks for its server half a second later.
const TIMEOUT_MS = 1500;

const writeOf = (id: string, expected: bigint | null, guard: bigint, n = Number(guard)): GuardedWrite<{ n: number }> => ({
  id,
  expected,
  guard,
  doc: { n },
  fields: { n },
});

/** Only a test server lets itself be stood in front of: the driver learns a real one's own addresses from it. */
overMongo('a MongoDB behind a connection that breaks', ['A'], (server) => {
  let database: MongoTestDatabase;
  let proxy: WireProxy;
  let store: DocumentStore;
  let collection: Collection<{ n: number }>;
  /** The same collection, over a connection that doesn't break. */
  let other: Collection<{ n: number }>;

  beforeEach(async () => {
    database = mongoTestDatabase(server);
    proxy = await WireProxy.start(server.url);
    store = await database.open({ url: proxy.url, timeoutMs: TIMEOUT_MS });
    collection = await store.collection(SPEC);
    other = await (await database.open()).collection(SPEC);
  });
  afterEach(async () => {
    await database.dispose();
    await proxy.close();
  });

  const found = async (...ids: string[]): Promise<readonly (string | undefined)[]> => {
    const all = await other.getMany(ids);
    return ids.map((id) => (all.has(id) ? `${String(all.get(id)?.guard)}:${String(all.get(id)?.doc?.n)}` : undefined));
  };

  it.each<[WireFate, string]>([
    ['lose', 'that never arrived'],
    ['lose_answer', 'whose answer was lost'],
    ['stall', 'that is never answered'],
  ])('%s: a bulk of new documents %s is written once, and nobody lost', async (fate) => {
    const came = proxy.next('insert', fate);
    expect(await collection.bulkWrite([writeOf('a', null, 3n), writeOf('b', null, 4n)])).toEqual({ conflicts: [] });
    await came;
    expect(await found('a', 'b')).toEqual(['3:3', '4:4']);
  });

  it.each<WireFate>(['lose', 'lose_answer', 'stall'])('%s: a bulk of changes is written once, and tells who lost', async (fate) => {
    await other.bulkWrite([writeOf('a', null, 1n), writeOf('b', null, 1n), writeOf('c', null, 1n)]);
    const came = proxy.next('update', fate);
    const bulk = [writeOf('a', 1n, 5n), writeOf('b', 0n, 6n), writeOf('c', 1n, 7n), writeOf('d', 1n, 8n)];
    expect([...(await collection.bulkWrite(bulk)).conflicts].sort()).toEqual(['b', 'd']);
    await came;
    expect(await found('a', 'b', 'c', 'd')).toEqual(['5:5', '1:1', '7:7', undefined]);
  });

  it('a bulk whose answer was lost, and whose documents others have changed since, counts as lost', async () => {
    await other.bulkWrite([writeOf('a', null, 1n), writeOf('b', null, 1n)]);
    const rival = changedBeforeRetry(() => other.bulkWrite([writeOf('a', 5n, 9n)]));
    expect(await collection.bulkWrite([writeOf('a', 1n, 5n), writeOf('b', 1n, 5n)])).toEqual({ conflicts: ['a'] });
    expect(await rival).toEqual({ conflicts: [] });
    expect(await found('a', 'b')).toEqual(['9:9', '5:5']);
  });

  /** Loses the answer to the next update, and does something before the next one is let through. */
  function changedBeforeRetry<T>(change: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let updates = 0;
      proxy.onCommand((command) => {
        if (command !== 'update' || ++updates > 2) return 'pass';
        if (updates === 1) return 'lose_answer';
        change().then(resolve, reject);
        return 'lose';
      });
    });
  }

  it('a bulk that is still under way when its sender has gone on can do no harm', async () => {
    await other.bulkWrite([writeOf('a', null, 1n), writeOf('b', null, 1n)]);
    proxy.onCommand((command) => (command === 'update' ? 'hold' : 'pass'));
    await expect(collection.bulkWrite([writeOf('a', 1n, 5n), writeOf('b', 1n, 5n)])).rejects.toMatchObject({
      code: 'document_store_unavailable',
    });
    expect(await other.bulkWrite([writeOf('a', 1n, 7n)])).toEqual({ conflicts: [] });
    // All its attempts arrive, after the newer write and after each other.
    await proxy.release();
    expect(await found('a', 'b')).toEqual(['7:7', '5:5']);
  });

  it.each<WireFate>(['lose', 'lose_answer'])('%s: a compare-and-set is done once, and says so', async (fate) => {
    for (const expected of [null, 1n, 2n]) {
      const came = proxy.next('update', fate);
      expect(await store.compareAndSet('lease', expected, { at: String(expected) })).toBe(true);
      await came;
    }
    expect(await store.control('lease')).toEqual({ key: 'lease', revision: 3n, value: { at: '2' } });
    void proxy.next('update', fate);
    expect(await store.compareAndSet('lease', 2n, { at: 'late' })).toBe(false);
  });

  it('a compare-and-set whose answer was lost, and on which others have built since, tells nothing', async () => {
    const rival = await database.open();
    await rival.compareAndSet('lease', null, { by: 'rival' });
    const change = changedBeforeRetry(() => rival.compareAndSet('lease', 2n, { by: 'rival' }));
    await expect(store.compareAndSet('lease', 1n, { by: 'us' })).rejects.toMatchObject({ code: 'document_store_unavailable' });
    expect(await change).toBe(true);
    expect(await rival.control('lease')).toMatchObject({ revision: 3n, value: { by: 'rival' } });
  });

  it('a compare-and-set that lost while its answer was lost says so', async () => {
    const rival = await database.open();
    await rival.compareAndSet('lease', null, { by: 'rival' });
    await rival.compareAndSet('lease', 1n, { by: 'rival' });
    void proxy.next('update', 'lose_answer');
    expect(await store.compareAndSet('lease', 1n, { by: 'us' })).toBe(false);
  });

  it('reads are asked again, five broken connections long', async () => {
    await other.bulkWrite([writeOf('a', null, 1n)]);
    // Finding the server again costs the driver up to half a second each time: five of them don't fit into the time of the other tests.
    const patient = await (await database.open({ url: proxy.url, timeoutMs: 20_000 })).collection<{ n: number }>(SPEC);
    let breaks = 5;
    proxy.onCommand((command) => (command === 'find' && breaks-- > 0 ? 'lose' : 'pass'));
    expect(await patient.get('a')).toMatchObject({ guard: 1n });
    // Each of the five came, and one more after them.
    expect(breaks).toBe(-1);
  });

  it('all connections may break at once, and the next call goes on', async () => {
    await collection.bulkWrite([writeOf('a', null, 1n)]);
    proxy.cut();
    const reads = await Promise.all(Array.from({ length: 20 }, () => collection.get('a')));
    expect(reads.every((read) => read?.guard === 1n)).toBe(true);
    proxy.cut();
    expect(await collection.bulkWrite([writeOf('a', 1n, 2n)])).toEqual({ conflicts: [] });
  });

  it('a server that falls silent makes every call end with an error that says so', async () => {
    proxy.onCommand((command) => (command === '' ? 'pass' : 'stall'));
    const calls: (() => Promise<unknown>)[] = [
      () => collection.get('a'),
      () => collection.find({ index: 'by_n', where: {}, order: ['n'], direction: 'asc', limit: 1 }),
      () => collection.count('by_n', {}),
      () => collection.bulkWrite([writeOf('a', null, 1n)]),
      () => store.control('a'),
      () => store.compareAndSet('a', null, {}),
      () => store.collection({ ...SPEC, name: 'another' }),
      () => store.collections(''),
      () => store.drop(SPEC.name),
    ];
    const ended = await Promise.all(calls.map((call) => call().then(() => 'answered', codeOf)));
    expect(ended).toEqual(calls.map(() => 'document_store_unavailable'));
  });

  it('a server that is gone is found again when it is back, and meanwhile says so', async () => {
    const { url } = proxy;
    await proxy.close();
    expect(await collection.get('a').then(() => 'answered', codeOf)).toBe('document_store_unavailable');
    expect(await openMongoDocumentStore({ url, timeoutMs: TIMEOUT_MS }).then(() => 'opened', codeOf)).toBe('document_store_unavailable');
    proxy = await WireProxy.start(server.url);
  });

  it('says that it was closed', async () => {
    await store.close();
    await store.close();
    await expect(collection.get('a')).rejects.toMatchObject({ code: 'document_store_unavailable', message: /closed/ });
    await expect(store.compareAndSet('a', null, {})).rejects.toMatchObject({ code: 'document_store_unavailable' });
  });

  it('names no value, key or password in its errors', async () => {
    const url = 'mongodb://user:FAKE-password@127.0.0.1:1/?serverSelectionTimeoutMS=10';
    const failed = await openMongoDocumentStore({ url, timeoutMs: 50 }).then(
      () => null,
      (error: unknown) => error as Error,
    );
    expect(failed?.message).toMatch(/MongoDB can't be used/);
    expect(failed?.message).not.toMatch(/FAKE|user|127/);
  });
});

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
