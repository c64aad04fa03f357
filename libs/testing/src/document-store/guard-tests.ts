import { collect, eachTest, insert, note, writeOf, type DocumentStoreFactory, type Stores } from './fixture.js';

/** Guarded writes and tombstones. */
export function guardTests(factory: DocumentStoreFactory): void {
  describe('guarded writes', () => {
    const stores = eachTest(factory);
    expectedGuardTests(stores);
    bulkTests(stores);
  });

  tombstoneTests(factory);
}

function expectedGuardTests(stores: Stores): void {
  it('writes a document that is absent, and reads it with its guard', async () => {
    const collection = await stores.notes();
    expect(await collection.get('a')).toBeNull();
    expect(await collection.bulkWrite([writeOf('a', null, 7n, note({ text: 'one' }))])).toEqual({ conflicts: [] });
    expect(await collection.get('a')).toEqual({ id: 'a', doc: note({ text: 'one' }), guard: 7n });
  });

  it('an insert as absent loses to a document that is there, also with a greater guard', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: { text: 'first' } });
    expect(await collection.bulkWrite([writeOf('a', null, 99n, note({ text: 'second' }))])).toEqual({ conflicts: ['a'] });
    expect(await collection.get('a')).toEqual({ id: 'a', doc: note({ text: 'first' }), guard: 1n });
  });

  it('an update at an old guard loses', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: {} });
    expect(await collection.bulkWrite([writeOf('a', 1n, 5n, note({ text: 'five' }))])).toEqual({ conflicts: [] });
    expect(await collection.bulkWrite([writeOf('a', 1n, 9n, note({ text: 'nine' }))])).toEqual({ conflicts: ['a'] });
    expect(await collection.get('a')).toEqual({ id: 'a', doc: note({ text: 'five' }), guard: 5n });
  });

  it('an update at a guard that the document has not reached loses', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: {} });
    expect(await collection.bulkWrite([writeOf('a', 5n, 9n, note({ text: 'nine' }))])).toEqual({ conflicts: ['a'] });
    expect((await collection.get('a'))?.guard).toBe(1n);
  });

  it('an update of a document that is absent loses', async () => {
    const collection = await stores.notes();
    expect(await collection.bulkWrite([writeOf('a', 1n, 2n, note())])).toEqual({ conflicts: ['a'] });
    expect(await collection.get('a')).toBeNull();
  });
}

function bulkTests(stores: Stores): void {
  it('in one bulk some documents lose and the others are written', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: {}, b: {}, c: {} });
    const bulk = ['a', 'b', 'c'].map((id) => writeOf(id, id === 'b' ? 0n : 1n, 4n, note({ text: 'new' })));
    expect(await collection.bulkWrite([...bulk, writeOf('d', null, 4n, note())])).toEqual({ conflicts: ['b'] });
    const guards = [...(await collection.getMany(['a', 'b', 'c', 'd'])).values()].map(({ id, guard }) => `${id}${guard}`);
    expect(guards.sort()).toEqual(['a4', 'b1', 'c4', 'd4']);
  });

  it('refuses a guard that does not grow, and writes nothing of that bulk', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: {} });
    for (const guard of [1n, 0n, -1n]) {
      const bulk = [writeOf('b', null, 3n, note()), writeOf('a', 1n, guard, note())];
      await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({ code: 'invalid_write' });
    }
    expect(await collection.get('b')).toBeNull();
  });

  it('refuses one document twice in a bulk', async () => {
    const collection = await stores.notes();
    const bulk = [writeOf('a', null, 1n, note()), writeOf('a', 1n, 2n, note())];
    await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({ code: 'invalid_write' });
    expect(await collection.get('a')).toBeNull();
  });

  it('holds guards as exact 63-bit integers', async () => {
    const collection = await stores.notes();
    const guard = 9_223_372_036_854_775_806n;
    await collection.bulkWrite([writeOf('a', null, guard, note())]);
    expect(await collection.bulkWrite([writeOf('a', guard - 1n, guard + 1n, note())])).toEqual({ conflicts: ['a'] });
    expect(await collection.bulkWrite([writeOf('a', guard, guard + 1n, note())])).toEqual({ conflicts: [] });
    expect((await collection.get('a'))?.guard).toBe(guard + 1n);
  });

  it('an empty bulk does nothing', async () => {
    expect(await (await stores.notes()).bulkWrite([])).toEqual({ conflicts: [] });
  });
}

function tombstoneTests(factory: DocumentStoreFactory): void {
  describe('tombstones', () => {
    const stores = eachTest(factory);

    it('a deleted document is neither found nor counted, and keeps its guard', async () => {
      const collection = await stores.notes();
      await insert(collection, { a: { rank: 1 }, b: { rank: 2 } });
      await collection.bulkWrite([writeOf('a', 1n, 8n, null)]);
      const query = { index: 'by_rank', where: {}, order: ['rank'], direction: 'asc', limit: 10 } as const;
      expect((await collection.find(query)).map(({ id }) => id)).toEqual(['b']);
      expect(await collection.count('by_rank', {})).toBe(1);
      expect(await collection.get('a')).toEqual({ id: 'a', doc: null, guard: 8n });
      expect(await collect(collection.scan())).toContainEqual({ id: 'a', doc: null, guard: 8n });
    });

    it('an older write cannot bring a deleted document back, a later one can', async () => {
      const collection = await stores.notes();
      await insert(collection, { a: {} });
      await collection.bulkWrite([writeOf('a', 1n, 8n, null)]);
      expect(await collection.bulkWrite([writeOf('a', null, 3n, note())])).toEqual({ conflicts: ['a'] });
      expect(await collection.bulkWrite([writeOf('a', 1n, 3n, note())])).toEqual({ conflicts: ['a'] });
      expect(await collection.bulkWrite([writeOf('a', 8n, 9n, note({ text: 'again', rank: 4 }))])).toEqual({ conflicts: [] });
      expect(await collection.get('a')).toEqual({ id: 'a', doc: note({ text: 'again', rank: 4 }), guard: 9n });
      expect(await collection.count('by_rank', { rank: { eq: 4 } })).toBe(1);
    });

    it('a document can begin as a tombstone', async () => {
      const collection = await stores.notes();
      expect(await collection.bulkWrite([writeOf('a', null, 8n, null)])).toEqual({ conflicts: [] });
      expect(await collection.bulkWrite([writeOf('a', null, 3n, note())])).toEqual({ conflicts: ['a'] });
      expect(await collection.get('a')).toEqual({ id: 'a', doc: null, guard: 8n });
    });
  });
}
