import { collect, eachTest, insert, NOTES, note, writeOf, type DocumentStoreFactory, type Stores, type Note } from './fixture.js';

const named = (name: string) => ({ ...NOTES, name });

/** Making, listing and dropping collections. */
export function collectionTests(factory: DocumentStoreFactory): void {
  describe('collections', () => {
    const stores = eachTest(factory);
    specTests(stores);
    listTests(stores);
  });
}

function specTests(stores: Stores): void {
  it('keep their documents when the store is opened again', async () => {
    const store = await stores.open();
    await insert(await store.collection<Note>(NOTES), { a: { text: 'kept' } });
    await store.compareAndSet('pointer', null, { generation: 4 });
    await store.close();
    const again = await stores.open();
    expect((await (await again.collection<Note>(NOTES)).get('a'))?.doc).toEqual(note({ text: 'kept' }));
    expect(await again.control('pointer')).toMatchObject({ value: { generation: 4 } });
  });

  it('are refused with other indexes than they were made with, in whichever order those are listed', async () => {
    const store = await stores.open();
    await insert(await store.collection<Note>(NOTES), { a: {} });
    const changed = [
      { ...NOTES, indexes: NOTES.indexes.slice(1) },
      { ...NOTES, indexes: NOTES.indexes.map((index) => ({ ...index, unique: index.name === 'by_rank' })) },
      { ...NOTES, indexes: NOTES.indexes.map((index) => ({ ...index, fields: index.fields.toReversed() })) },
    ];
    for (const spec of changed) await expect(store.collection(spec)).rejects.toMatchObject({ code: 'collection_spec_mismatch' });
    const reordered = { ...NOTES, indexes: NOTES.indexes.toReversed() };
    expect(await (await store.collection<Note>(reordered)).get('a')).not.toBeNull();
  });

  it('are refused with names or fields that no store takes', async () => {
    const store = await stores.open();
    const index = (fields: readonly string[], name = 'by_x') => ({ name: 'kit', indexes: [{ name, fields }] });
    const wrong = [
      named('Upper'),
      named('1st'),
      named('a"b'),
      named(''),
      index(['a.b']),
      index(['__proto__']),
      index(['a', 'a']),
      index(['a', 'A']),
      index(['a'], 'by x'),
    ];
    for (const spec of wrong) await expect(store.collection(spec)).rejects.toMatchObject({ code: 'invalid_collection_spec' });
  });
}

function listTests(stores: Stores): void {
  it('are listed by prefix, in order', async () => {
    const store = await stores.open();
    for (const name of ['main_v1_g2_a', 'main_v1_g1_b', 'main_v1_g1_a', 'main_v10_g1_a', 'mainxv1_g1_a'])
      await store.collection(named(name));
    expect(await store.collections('main_v1_')).toEqual(['main_v1_g1_a', 'main_v1_g1_b', 'main_v1_g2_a']);
    expect(await store.collections('other')).toEqual([]);
    expect(await store.collections('main_v1_g1_a')).toEqual(['main_v1_g1_a']);
  });

  it('are gone with all documents when dropped, others stay', async () => {
    const store = await stores.open();
    const doomed = await store.collection<Note>(NOTES);
    const other = await store.collection<Note>(named('kit_v1_g2_notes'));
    const ids = Array.from({ length: 1200 }, (_, n) => `n${n}`);
    await insert(doomed, Object.fromEntries(ids.map((id) => [id, {}])));
    await insert(other, { a: {} });
    await store.drop(NOTES.name);
    expect(await store.collections('kit_')).toEqual(['kit_v1_g2_notes']);
    expect(await other.get('a')).not.toBeNull();
    await store.drop(NOTES.name);
    const again = await store.collection<Note>({ ...NOTES, indexes: [{ name: 'by_slug', fields: ['slug'] }] });
    expect(await collect(again.scan())).toEqual([]);
  });

  it('a scan that is under way sees each document that stays once', async () => {
    const collection = await stores.notes();
    const ids = Array.from({ length: 350 }, (_, n) => `m${String(n).padStart(3, '0')}`);
    await insert(collection, Object.fromEntries(ids.map((id) => [id, {}])));
    const seen: string[] = [];
    for await (const { id } of collection.scan()) {
      seen.push(id);
      if (seen.length % 100 === 0) {
        const [first] = seen;
        await collection.bulkWrite([
          writeOf(`a${seen.length}`, null, 1n, note()),
          writeOf(first ?? '', BigInt(seen.length) / 100n, 9n, null),
        ]);
      }
    }
    expect(seen).toEqual(ids);
  });
}
