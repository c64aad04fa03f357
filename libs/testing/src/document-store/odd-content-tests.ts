import { collect, eachTest, insert, NOTES, note, writeOf, type DocumentStoreFactory, type Stores } from './fixture.js';

const ODD_TEXTS = [
  'a\u0000b',
  '\u0000',
  'a',
  'A',
  '😀 emoji',
  `'"; DROP TABLE notes; --`,
  'back\\slash',
  '%_*?',
  '$where',
  'a.b.c',
  '__proto__',
  'constructor',
  ' ',
  'line\nbreak\u2028',
  'é',
  'e\u0301',
  '\ufffd',
  '\u202egnol',
  'x'.repeat(700),
];

/** Texts and sizes that come from outside. */
export function oddContentTests(factory: DocumentStoreFactory): void {
  describe('odd content', () => {
    const stores = eachTest(factory);
    textTests(stores);
    documentTests(stores);
    sizeTests(stores);
  });
}

function textTests(stores: Stores): void {
  it('ids of any well-formed text are told apart', async () => {
    const collection = await stores.notes();
    await insert(collection, Object.fromEntries(ODD_TEXTS.map((id, n) => [id === '__proto__' ? 'proto' : id, { rank: n }])));
    await collection.bulkWrite([writeOf('__proto__', null, 1n, note({ rank: -1 }))]);
    const found = await collection.getMany(ODD_TEXTS);
    expect(ODD_TEXTS.map((id) => found.get(id)?.doc?.rank)).toEqual(ODD_TEXTS.map((id, n) => (id === '__proto__' ? -1 : n)));
    expect(await collect(collection.scan())).toHaveLength(ODD_TEXTS.length + 1);
  });

  it('fields of any well-formed text are found by it', async () => {
    const collection = await stores.notes();
    await insert(collection, Object.fromEntries(ODD_TEXTS.map((text, n) => [`n${n}`, { group: text }])));
    const query = { index: 'by_group', order: ['rank'], direction: 'asc', limit: 10 } as const;
    for (const [n, text] of ODD_TEXTS.entries()) {
      const found = await collection.find({ ...query, where: { group: { eq: text } } });
      expect(found.map(({ id, doc }) => [id, doc.group])).toEqual([[`n${n}`, text]]);
    }
  });

  it('ids and fields that have no UTF-8 are refused by name, and their neighbours are written', async () => {
    const collection = await stores.notes();
    const bulk = [
      writeOf('id-\ud800', null, 1n, note()),
      writeOf('field', null, 1n, note({ group: '\udfff' })),
      writeOf('number', null, 1n, note({ rank: Number.POSITIVE_INFINITY })),
      writeOf('fine', null, 1n, note()),
    ];
    await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({
      code: 'document_rejected',
      rejected: [
        { id: 'id-\ud800', reason: 'invalid_id' },
        { id: 'field', reason: 'invalid_field' },
        { id: 'number', reason: 'invalid_field' },
      ],
    });
    expect((await collect(collection.scan())).map(({ id }) => id)).toEqual(['fine']);
    expect(await collection.get('id-\ud800')).toBeNull();
  });
}

function documentTests(stores: Stores): void {
  it('documents come back with the same JSON text', async () => {
    const store = await stores.open();
    const collection = await store.collection<unknown>(NOTES);
    const documents = [
      { z: 1, a: { 'dotted.key': 1, $set: 2, '': 3, '10': 4, '2': 5 } },
      JSON.parse('{"__proto__":{"a":1},"constructor":null}') as unknown,
      { lone: '\ud800', nul: '\u0000', pair: '😀' },
      { numbers: [9007199254740991, 9007199254740994, -9223372036854775808, 1e21, 5e-324, 0.1, 1.7976931348623157e308] },
      { decimal: '9223372036854775807', flags: [true, false, null], nested: [[[]], {}] },
    ];
    const fields = { group: null, rank: null };
    const writes = documents.map((doc, n) => ({ id: `d${n}`, expected: null, guard: 1n, doc, fields }));
    expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
    const found = await collection.getMany(writes.map(({ id }) => id));
    expect(writes.map(({ id }) => JSON.stringify(found.get(id)?.doc))).toEqual(documents.map((doc) => JSON.stringify(doc)));
  });

  it('numbers to sort by are exact doubles', async () => {
    const collection = await stores.notes();
    const ranks = [-1.5, 0, 0.1, 9007199254740991, 9007199254740992, 9007199254740994, 1e300];
    await insert(collection, Object.fromEntries(ranks.toReversed().map((rank) => [`r${rank}`, { rank }])));
    const query = { index: 'by_rank', order: ['rank'], direction: 'asc', limit: 20 } as const;
    expect((await collection.find({ ...query, where: {} })).map(({ doc }) => doc.rank)).toEqual(ranks);
    expect(await collection.count('by_rank', { rank: { eq: 9007199254740992 } })).toBe(1);
  });
}

function sizeTests(stores: Stores): void {
  it('a document of one megabyte, many times changed', async () => {
    const collection = await stores.notes();
    const big = '€'.repeat(350_000);
    await insert(collection, { a: { text: big } });
    for (let guard = 2n; guard < 6n; guard++) {
      await collection.bulkWrite([writeOf('a', guard - 1n, guard, note({ text: big + guard.toString() }))]);
    }
    expect((await collection.get('a'))?.doc?.text).toBe(`${big}5`);
  });

  it('several thousand documents in one bulk, one read and one scan', async () => {
    const collection = await stores.notes();
    const ids = Array.from({ length: 3500 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    await insert(collection, Object.fromEntries(ids.toReversed().map((id) => [id, { text: id }])));
    const found = await collection.getMany([...ids, 'absent', 'n0000']);
    expect(ids.every((id) => found.get(id)?.doc?.text === id)).toBe(true);
    expect(found.size).toBe(ids.length);
    expect((await collect(collection.scan())).map(({ id }) => id)).toEqual(ids);
    expect(await collection.count('by_rank', { rank: { eq: null } })).toBe(ids.length);
  });
}
