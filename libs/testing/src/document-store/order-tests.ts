import type { Collection, FieldValue, Query } from '@counterfoil/read-models';
import {
  eachTest,
  insert,
  note,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Note,
  type Stores,
} from './fixture.js';

/** Order by value, prefixes and ranges at their edges, and pages in any size. */
export function orderTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  describe('order', () => {
    const stores = eachTest(factory);
    numberTests(stores);
    textTests(stores, traits);
    edgeTests(stores, traits);
    pageTests(stores);
  });
}

const BY_RANK: Query = { index: 'by_rank', where: {}, order: ['rank'], direction: 'asc', limit: 100 };

async function ranksOf(collection: Collection<Note>, wanted: Partial<Query> = {}): Promise<readonly FieldValue[]> {
  return (await collection.find({ ...BY_RANK, ...wanted })).map(({ doc }) => doc.rank);
}

/** Writes a note for each rank, in an order that is not theirs. */
async function ranked(stores: Stores, ranks: readonly FieldValue[]): Promise<Collection<Note>> {
  const collection = await stores.notes();
  const entries = ranks.map((rank, n) => [`n${String((n * 7) % ranks.length).padStart(2, '0')} ${n}`, { rank }] as const);
  await insert(collection, Object.fromEntries(entries.toReversed()));
  return collection;
}

function numberTests(stores: Stores): void {
  it('of numbers is by value, over the whole range of doubles', async () => {
    const { MAX_VALUE, MIN_VALUE, MAX_SAFE_INTEGER, EPSILON } = Number;
    const rising = [
      MIN_VALUE,
      1e-300,
      EPSILON,
      0.1,
      1,
      1.5,
      2,
      10,
      255,
      256,
      2 ** 31,
      2 ** 32,
      MAX_SAFE_INTEGER,
      2 ** 53,
      1e300,
      MAX_VALUE,
    ];
    const ranks = [...rising.map((rank) => -rank).reverse(), 0, ...rising];
    const collection = await ranked(stores, ranks);
    expect(await ranksOf(collection)).toEqual(ranks);
    expect(await ranksOf(collection, { direction: 'desc' })).toEqual(ranks.toReversed());
    for (const [n, rank] of ranks.entries()) {
      expect(await collection.count('by_rank', { rank: { eq: rank } })).toBe(1);
      expect(await collection.count('by_rank', { rank: { lt: rank } })).toBe(n);
    }
  });

  it('of zeros is one value', async () => {
    const collection = await ranked(stores, [0, -0]);
    expect(await collection.count('by_rank', { rank: { eq: -0 } })).toBe(2);
    expect(await collection.count('by_rank', { rank: { gt: -0 } })).toBe(0);
    expect(await collection.count('by_rank', { rank: { gte: 0 } })).toBe(2);
  });
}

function textTests(stores: Stores, traits: DocumentStoreTraits): void {
  it('of texts is by their characters, not by any language', async () => {
    const ranks = [
      '',
      '\u0000',
      '\u0000a',
      ' ',
      '10',
      '9',
      'A',
      'B',
      'a',
      'a\u0000',
      'a ',
      'aa',
      'b',
      'e\u0301',
      'z',
      '\u007f',
      'é',
      'ß',
      '一',
    ];
    const sorted = [...ranks].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const collection = await ranked(stores, ranks);
    expect(await ranksOf(collection)).toEqual(sorted);
    for (const [n, rank] of sorted.entries()) expect(await collection.count('by_rank', { rank: { gte: rank } })).toBe(sorted.length - n);
  });

  tagged('code_points', traits)('of texts is by code points, also beyond U+FFFF', async () => {
    const ranks = ['a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}'];
    const collection = await ranked(stores, ranks);
    expect(await ranksOf(collection)).toEqual(ranks);
    expect(await ranksOf(collection, { where: { rank: { gt: '\uffff' } } })).toEqual(ranks.slice(4));
  });

  it('of ids is the same in a query and in a scan', async () => {
    const collection = await stores.notes();
    const ids = ['\u0000', ' ', '0', 'A', 'a', 'a\u0000', 'aa', 'b', '\u00e9', '\uffff'];
    await insert(collection, Object.fromEntries(ids.toReversed().map((id) => [id, {}])));
    const scanned: string[] = [];
    for await (const { id } of collection.scan()) scanned.push(id);
    expect(scanned).toEqual(ids);
    expect((await collection.find(BY_RANK)).map(({ id }) => id)).toEqual(ids);
    expect((await collection.find({ ...BY_RANK, direction: 'desc' })).map(({ id }) => id)).toEqual(ids.toReversed());
  });
}

function edgeTests(stores: Stores, traits: DocumentStoreTraits): void {
  it('a prefix takes what begins with it and nothing else, whatever its last character', async () => {
    const prefixes = ['a', 'ab', '\u0000', 'a\u0000', '\u007f', '\u07ff', '\ud7ff', 'a\ud7ff', '\ue000', '*', '.', '^a', '\\'];
    const texts = prefixes.flatMap((prefix) => [prefix, `${prefix}x`, `x${prefix}`, `${prefix}\u0000`, `${prefix}\ud7ff`]);
    const ranks: readonly FieldValue[] = [...new Set(texts), null, 0, 97];
    const collection = await ranked(stores, ranks);
    for (const prefix of prefixes) {
      const expected = ranks.filter((rank) => typeof rank === 'string' && rank.startsWith(prefix));
      expect([...(await ranksOf(collection, { where: { rank: { prefix } } }))].sort()).toEqual([...expected].sort());
      expect(await collection.count('by_rank', { rank: { prefix } })).toBe(expected.length);
    }
  });

  tagged('code_points', traits)('a prefix takes what begins with it also at the edge of U+FFFF and beyond', async () => {
    const ranks = [
      '\ufffe',
      '\uffff',
      '\uffffz',
      '\u{10000}',
      '\u{1f600}',
      '\u{1f600}\u{1f601}',
      '\u{1f601}',
      '\u{10ffff}',
      '\u{10ffff}\u{10ffff}',
    ];
    const collection = await ranked(stores, ranks);
    for (const prefix of ['\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}', '\u{10ffff}\u{10ffff}']) {
      expect(await ranksOf(collection, { where: { rank: { prefix } } })).toEqual(ranks.filter((rank) => rank.startsWith(prefix)));
    }
  });

  it('a range has the edges that it names', async () => {
    const ranks: readonly FieldValue[] = [null, -2, -0.5, 0, 1, 3, '', '0', 'a', 'b'];
    const collection = await ranked(stores, ranks);
    const where = async (rank: Query['where'][string]) => ranksOf(collection, { where: { rank } });
    expect(await where({ gte: -0.5, lte: 1 })).toEqual([-0.5, 0, 1]);
    expect(await where({ gt: -0.5, lt: 1 })).toEqual([0]);
    expect(await where({ gt: 1, lt: 1 })).toEqual([]);
    expect(await where({ gte: 3, lte: -2 })).toEqual([]);
    expect(await where({ gt: -1, gte: -0.5 })).toEqual([-0.5, 0, 1, 3]);
    expect(await where({ lt: 2, lte: 1 })).toEqual([-2, -0.5, 0, 1]);
    expect(await where({ gt: '', lte: 'a' })).toEqual(['0', 'a']);
    expect(await where({ gte: '', lt: 'b' })).toEqual(['', '0', 'a']);
  });

  it('a list may name values twice and out of order', async () => {
    const collection = await ranked(stores, [null, 1, 2, 'a', 'b']);
    expect(await ranksOf(collection, { where: { rank: { in: ['b', 1, null, 1, 'b', 'nowhere'] } } })).toEqual([null, 1, 'b']);
    const thousand = Array.from({ length: 1000 }, (_, n) => n - 998);
    expect(await ranksOf(collection, { where: { rank: { in: thousand } } })).toEqual([1]);
  });
}

function pageTests(stores: Stores): void {
  it('pages of any size join to the same list', async () => {
    const collection = await stores.notes();
    const ranks: readonly FieldValue[] = [null, -1, 2, 'a', 'b'];
    const ids = Array.from({ length: 30 }, (_, n) => `p${String(n).padStart(2, '0')}`);
    await insert(collection, Object.fromEntries(ids.map((id, n) => [id, { rank: ranks[n % 5] ?? null }])));
    for (const direction of ['asc', 'desc'] as const) {
      const whole = (await collection.find({ ...BY_RANK, direction })).map(({ id }) => id);
      expect(whole).toHaveLength(30);
      for (const limit of [1, 2, 7, 29, 30]) expect(await joined(collection, { ...BY_RANK, direction, limit })).toEqual(whole);
    }
  });

  it('a page goes on from a place at which no document is', async () => {
    const collection = await ranked(stores, [null, 1, 2, 'a', 'b']);
    const from = (value: FieldValue, id: string, direction: 'asc' | 'desc' = 'asc') =>
      ranksOf(collection, { direction, after: { values: [value], id } });
    expect(await from(1.5, 'zz')).toEqual([2, 'a', 'b']);
    expect(await from(2, '\u0000')).toEqual([2, 'a', 'b']);
    expect(await from(2, '\uffff')).toEqual(['a', 'b']);
    expect(await from('', 'x')).toEqual(['a', 'b']);
    expect(await from('\uffff', 'x')).toEqual([]);
    expect(await from(1e300, 'x')).toEqual(['a', 'b']);
    expect(await from('a\u0000', 'x', 'desc')).toEqual(['a', 2, 1, null]);
    expect(await from(-1e300, 'x', 'desc')).toEqual([null]);
    expect(await from(null, '\u0000', 'desc')).toEqual([]);
  });

  it('a document that moves is met at its new place, and no other is missed or repeated', async () => {
    const collection = await stores.notes();
    const ids = Array.from({ length: 12 }, (_, n) => `m${String(n).padStart(2, '0')}`);
    await insert(collection, Object.fromEntries(ids.map((id, rank) => [id, { rank }])));
    let moved = 0n;
    const met = await joined(collection, { ...BY_RANK, limit: 4 }, async () => {
      moved++;
      // From before the place to behind it, and back.
      await collection.bulkWrite([writeOf('m00', moved, moved + 1n, note({ rank: moved % 2n === 1n ? 100 : 0 }))]);
    });
    expect(met.filter((id) => id !== 'm00')).toEqual(ids.slice(1));
  });
}

async function joined(
  collection: Collection<Note>,
  query: Query,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const all: string[] = [];
  for (let after: Query['after']; ;) {
    const page = await collection.find(after === undefined ? query : { ...query, after });
    all.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined) return all;
    after = { values: [last.doc.rank], id: last.id };
    await between();
  }
}
