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

/** Texts and numbers that come from outside. */
export function oddContentTests(factory: DocumentStoreFactory): void {
  describe('odd content', () => {
    const stores = eachTest(factory);
    textTests(stores);
    documentTests(stores);
    characterTests(stores);
    formTests(stores);
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

function characterTests(stores: Stores): void {
  it('documents hold every character there is, and halves of them', async () => {
    const store = await stores.open();
    const collection = await store.collection<{ readonly text: string }>(NOTES);
    const texts = textCases();
    const fields = { group: null, rank: null };
    const writes = texts.map((text, n) => ({ id: `t${n}`, expected: null, guard: 1n, doc: { text }, fields }));
    expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
    const found = await collection.getMany(writes.map(({ id }) => id));
    expect(texts.filter((text, n) => found.get(`t${n}`)?.doc?.text !== text)).toEqual([]);
  });
}

function formTests(stores: Stores): void {
  it('documents hold nulls, empty ones and plain values, and keys that are numbers keep nothing back', async () => {
    const store = await stores.open();
    const collection = await store.collection<unknown>(NOTES);
    const documents = [{}, [], '', 'text', 0, false, { a: null }, [null], { '': { '': {} } }, deep(2000)];
    const fields = { group: null, rank: 1 };
    const writes = documents.map((doc, n) => ({ id: `d${n}`, expected: null, guard: 1n, doc, fields }));
    expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
    const query = { index: 'by_rank', where: { rank: { eq: 1 } }, order: [], direction: 'asc', limit: 50 } as const;
    const found = new Map((await collection.find(query)).map(({ id, doc }) => [id, JSON.stringify(doc)]));
    expect(writes.map(({ id }) => found.get(id))).toEqual(documents.map((doc) => JSON.stringify(doc)));
  });

  it('documents without a JSON form are refused by name, and their neighbours are written', async () => {
    const collection = await (await stores.open()).collection<unknown>(NOTES);
    const round: { self?: unknown } = {};
    round.self = round;
    const documents = { undefined: undefined, function: () => 1, bigint: 1n, round, fine: {} };
    const writes = Object.entries(documents).map(([id, doc]) => ({
      id,
      expected: null,
      guard: 1n,
      doc,
      fields: { group: null, rank: null },
    }));
    await expect(collection.bulkWrite(writes)).rejects.toMatchObject({
      code: 'document_rejected',
      rejected: ['undefined', 'function', 'bigint', 'round'].map((id) => ({ id, reason: 'not_json' })),
    });
    expect((await collect(collection.scan())).map(({ id }) => id)).toEqual(['fine']);
  });
}

/** Lists in each other, so many. */
function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** The code units of UTF-16, each alone and all in a row: lone surrogates, NUL, what needs an escape in JSON. */
function textCases(): readonly string[] {
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
  return [
    units.join(''),
    units.toReversed().join(''),
    ...units.filter((_, unit) => unit % 257 === 0 || (unit >= 0xd800 && unit % 61 === 0)),
  ];
}
