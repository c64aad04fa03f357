import type { Collection } from '@counterfoil/read-models';
import {
  collect,
  eachTest,
  insert,
  NOTES,
  note,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Note,
  type Stores,
} from './fixture.js';

/** What becomes of those who still use a collection when it is dropped, as an old generation is. */
export function droppedTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  describe('a dropped collection', () => {
    const stores = eachTest(factory);
    toldTests(stores);
    lateTests(stores);
    loadTests(stores, traits);
  });
}

const QUERY = { index: 'by_rank', where: {}, order: ['rank'], direction: 'asc', limit: 5 } as const;

function toldTests(stores: Stores): void {
  it('says so, whatever is asked of it', async () => {
    const [user, other] = [await stores.open(), await stores.open()];
    const collection = await user.collection<Note>(NOTES);
    await insert(collection, { a: {} });
    expect(await collection.get('a')).not.toBeNull();
    await other.drop(NOTES.name);
    const asked: (() => Promise<unknown>)[] = [
      () => collection.get('a'),
      () => collection.getMany(['a', 'b']),
      () => collection.find(QUERY),
      () => collection.count('by_rank', {}),
      () => collect(collection.scan()),
      () => collection.bulkWrite([writeOf('b', null, 1n, note())]),
      () => collection.bulkWrite([writeOf('a', 1n, 2n, note())]),
      () => collection.bulkWrite([writeOf('a', 1n, 2n, null)]),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'collection_dropped' });
    expect(await other.collections('')).toEqual([]);
  });

  it('is not taken for one that is empty', async () => {
    const collection = await stores.notes();
    expect(await collection.getMany(['a'])).toEqual(new Map());
    expect(await collection.find(QUERY)).toEqual([]);
    expect(await collection.count('by_rank', {})).toBe(0);
    expect(await collect(collection.scan())).toEqual([]);
    expect(await collection.bulkWrite([writeOf('a', 1n, 2n, note())])).toEqual({ conflicts: ['a'] });
  });
}

function lateTests(stores: Stores): void {
  it('is not brought back by a writer that comes too late', async () => {
    const [late, other] = [await stores.open(), await stores.open()];
    const collection = await late.collection<Note>(NOTES);
    await other.drop(NOTES.name);
    const bulk = [writeOf('a', null, 1n, note()), writeOf('b', 4n, 5n, note())];
    await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({ code: 'collection_dropped' });
    expect(await other.collections('kit_')).toEqual([]);
    const again = await other.collection<Note>(NOTES);
    expect(await collect(again.scan())).toEqual([]);
    await insert(again, { a: { text: 'new' } });
    expect((await again.get('a'))?.doc?.text).toBe('new');
  });

  it('can be dropped again, and so can one that never was', async () => {
    const store = await stores.open();
    await store.collection<Note>(NOTES);
    for (let times = 0; times < 2; times++) await store.drop(NOTES.name);
    await store.drop('kit_never_was');
    expect(await store.collections('kit_')).toEqual([]);
  });
}

function loadTests(stores: Stores, traits: DocumentStoreTraits): void {
  tagged('races', traits)('under load tells its readers and writers, and leaves its successor whole', async () => {
    const [owner, ...users] = await Promise.all([0, 1, 2, 3].map(() => stores.open()));
    if (owner === undefined) throw new Error('a test needs a store');
    const successor = { ...NOTES, name: 'kit_v1_g2_notes' };
    await insert(await owner.collection<Note>(NOTES), Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}`, { rank: 1 }])));
    await insert(await owner.collection<Note>(successor), { a: { rank: 1 } });
    const ended = Promise.all(users.map(async (user, n) => useUntilDropped(await user.collection<Note>(NOTES), n)));
    for (let looks = 0; looks < 3; looks++) await owner.collections('kit_');
    await owner.drop(NOTES.name);
    expect(await ended).toEqual(['collection_dropped', 'collection_dropped', 'collection_dropped']);
    expect(await owner.collections('kit_')).toEqual(['kit_v1_g2_notes']);
    expect((await collect((await owner.collection<Note>(successor)).scan())).map(({ id }) => id)).toEqual(['a']);
  });
}

/** Reads and writes until it is told that there is nothing more to read or write. Answers the code of what told it. */
async function useUntilDropped(collection: Collection<Note>, user: number): Promise<unknown> {
  try {
    for (let n = 0; ; n++) {
      await collection.bulkWrite([writeOf(`u${user} ${n}`, null, 1n, note({ rank: 2 }))]);
      await collection.find(QUERY);
    }
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
