import {
  collect,
  eachTest,
  insert,
  note,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Stores,
} from './fixture.js';

const MEGABYTE = 1024 * 1024;

/** Many documents, and large ones. */
export function sizeTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  describe('sizes', () => {
    const stores = eachTest(factory);
    largeTests(stores);
    limitTests(stores);
    manyTests(stores, tagged('bulky', traits));
  });
}

function largeTests(stores: Stores): void {
  it('a document of one megabyte, many times changed', async () => {
    const collection = await stores.notes();
    const big = '€'.repeat(350_000);
    await insert(collection, { a: { text: big } });
    for (let guard = 2n; guard < 6n; guard++) {
      await collection.bulkWrite([writeOf('a', guard - 1n, guard, note({ text: big + guard.toString() }))]);
    }
    expect((await collection.get('a'))?.doc?.text).toBe(`${big}5`);
  });

  it('a document of 15 megabytes is stored whole', async () => {
    const collection = await stores.notes();
    const text = 'é'.repeat(7.5 * MEGABYTE);
    await insert(collection, { a: { text, rank: 1 } });
    expect((await collection.get('a'))?.doc?.text === text).toBe(true);
    expect(await collection.count('by_rank', { rank: { eq: 1 } })).toBe(1);
  });
}

function limitTests(stores: Stores): void {
  it('a document that is larger than the store takes is refused by name, and its neighbours are written', async () => {
    const collection = await stores.notes();
    await insert(collection, { b: { text: 'old' } });
    const text = '€'.repeat(6 * MEGABYTE);
    const bulk = [
      writeOf('a', null, 2n, note({ text })),
      writeOf('b', 1n, 2n, note({ text })),
      writeOf('c', null, 2n, note({ text: 'small' })),
      writeOf('d', null, 2n, note({ text: 'fits'.repeat(MEGABYTE) })),
    ];
    const refused = await collection.bulkWrite(bulk).then(
      () => null,
      (error: unknown) => error,
    );
    const found = await collection.getMany(['a', 'b', 'c', 'd']);
    expect([found.get('c')?.doc?.text, found.get('d')?.doc?.text.length]).toEqual(['small', 4 * MEGABYTE]);
    if (refused === null) {
      // A store that takes it, takes it whole.
      expect(['a', 'b'].map((id) => found.get(id)?.doc?.text === text)).toEqual([true, true]);
    } else {
      const rejected = ['a', 'b'].map((id) => ({ id, reason: 'too_large' }));
      expect(refused).toMatchObject({ code: 'document_rejected', rejected });
      expect([found.get('a'), found.get('b')?.doc?.text]).toEqual([undefined, 'old']);
    }
  });

  it('ids and index values as long as they may be', async () => {
    const collection = await stores.notes();
    const [id, other] = ['i'.repeat(2048), `${'i'.repeat(2047)}j`];
    const group = 'g'.repeat(10_000);
    await insert(collection, { [id]: { group }, [other]: { group: `${group}h` } });
    const query = { index: 'by_group', where: { group: { eq: group } }, order: ['rank'], direction: 'asc', limit: 5 } as const;
    expect((await collection.find(query)).map((found) => found.id)).toEqual([id]);
    expect(await collection.count('by_group', { group: { prefix: group } })).toBe(2);
    await expect(collection.bulkWrite([writeOf(`${id}i`, null, 1n, note())])).rejects.toMatchObject({
      rejected: [{ reason: 'invalid_id' }],
    });
  });
}

function manyTests(stores: Stores, bulky: ReturnType<typeof tagged>): void {
  bulky('thirty documents of one megabyte in one bulk, one read, one page and one scan', async () => {
    const collection = await stores.notes();
    const ids = Array.from({ length: 30 }, (_, n) => `big ${String(n).padStart(2, '0')}`);
    const text = 'x'.repeat(MEGABYTE);
    await insert(collection, Object.fromEntries(ids.map((id, rank) => [id, { rank, text: `${id}${text}` }])));
    const length = MEGABYTE + 6;
    const query = { index: 'by_rank', where: {}, order: ['rank'], direction: 'desc', limit: 50 } as const;
    const read = [...(await collection.getMany(ids)).values()];
    const found = await collection.find(query);
    const scanned = await collect(collection.scan());
    for (const documents of [read, found, scanned]) {
      expect(documents.map(({ id, doc }) => `${id} ${doc?.text.length ?? 0} ${String(doc?.text.startsWith(id))}`).sort()).toEqual(
        ids.map((id) => `${id} ${length} true`),
      );
    }
  });

  bulky('several thousand documents in one bulk, one read, one page and one scan', async () => {
    const collection = await stores.notes();
    const ids = Array.from({ length: 3500 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    await insert(collection, Object.fromEntries(ids.toReversed().map((id) => [id, { text: id }])));
    const found = await collection.getMany([...ids, 'absent', 'n0000']);
    expect(ids.every((id) => found.get(id)?.doc?.text === id)).toBe(true);
    expect(found.size).toBe(ids.length);
    expect((await collect(collection.scan())).map(({ id }) => id)).toEqual(ids);
    expect(await collection.count('by_rank', { rank: { eq: null } })).toBe(ids.length);
    const query = { index: 'by_rank', where: {}, order: ['rank'], direction: 'desc', limit: 3000 } as const;
    expect((await collection.find(query)).map(({ id }) => id)).toEqual(ids.slice(500).reverse());
  });
}
