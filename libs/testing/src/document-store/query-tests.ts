import type { Collection, Query } from '@counterfoil/read-models';
import { eachTest, insert, type DocumentStoreFactory, type Stores, type Note } from './fixture.js';

type Wanted = Partial<Query>;

async function ids(collection: Collection<Note>, wanted: Wanted): Promise<string> {
  const query: Query = { index: 'by_rank', where: {}, order: ['rank'], direction: 'asc', limit: 100, ...wanted };
  return (await collection.find(query)).map(({ id }) => id).join(' ');
}

async function filled(stores: Stores): Promise<Collection<Note>> {
  const collection = await stores.notes();
  await insert(collection, {
    a: { group: 'x', rank: 3 },
    b: { group: 'x', rank: 1 },
    c: { group: 'y', rank: 2 },
    d: { group: 'y', rank: null },
    e: { group: null, rank: 1 },
    f: { group: 'xy', rank: 'text' },
    g: { group: 'x%', rank: -1.5 },
  });
  return collection;
}

/** Filters, order, counts, and what is refused. */
export function queryTests(factory: DocumentStoreFactory): void {
  describe('queries', () => {
    const stores = eachTest(factory);
    filterTests(stores);
    combinedTests(stores);
    refusalTests(stores);
  });
}

function filterTests(stores: Stores): void {
  it('sort nulls before numbers before texts, and by id where values are equal', async () => {
    const collection = await filled(stores);
    expect(await ids(collection, {})).toBe('d g b e c a f');
    expect(await ids(collection, { direction: 'desc' })).toBe('f a c e b g d');
    expect(await ids(collection, { limit: 3 })).toBe('d g b');
  });

  it('by equality, also with null', async () => {
    const collection = await filled(stores);
    const byGroup = { index: 'by_group', order: ['rank'] };
    expect(await ids(collection, { ...byGroup, where: { group: { eq: 'x' } } })).toBe('b a');
    expect(await ids(collection, { ...byGroup, where: { group: { eq: null } } })).toBe('e');
    expect(await ids(collection, { ...byGroup, where: { group: { eq: 'X' } } })).toBe('');
    expect(await ids(collection, { where: { rank: { eq: null } }, order: [] })).toBe('d');
    expect(await ids(collection, { where: { rank: { eq: 1 } } })).toBe('b e');
  });

  it('by a list of values, also with null and of no values', async () => {
    const collection = await filled(stores);
    expect(await ids(collection, { where: { rank: { in: [1, 3, null, 77] } } })).toBe('d b e a');
    expect(await ids(collection, { where: { rank: { in: ['text', 3, 2] } }, direction: 'desc' })).toBe('f a c');
    expect(await ids(collection, { where: { rank: { in: [] } } })).toBe('');
    expect(await collection.count('by_rank', { rank: { in: [] } })).toBe(0);
  });

  it('by ranges, which take values of their own type only', async () => {
    const collection = await filled(stores);
    expect(await ids(collection, { where: { rank: { gt: 1 } } })).toBe('c a');
    expect(await ids(collection, { where: { rank: { gte: 1 } } })).toBe('b e c a');
    expect(await ids(collection, { where: { rank: { lt: 1 } } })).toBe('g');
    expect(await ids(collection, { where: { rank: { lte: 2, gt: -1.5 } }, direction: 'desc' })).toBe('c e b');
    expect(await ids(collection, { where: { rank: { gte: '' } } })).toBe('f');
    expect(await ids(collection, { where: { rank: { lt: 'u' } } })).toBe('f');
  });

  it('by a prefix, in which nothing is a wildcard', async () => {
    const collection = await filled(stores);
    const byGroup = { index: 'by_group', order: ['group', 'rank'] };
    expect(await ids(collection, { ...byGroup, where: { group: { prefix: 'x' } } })).toBe('b a g f');
    expect(await ids(collection, { ...byGroup, where: { group: { prefix: 'x%' } } })).toBe('g');
    expect(await ids(collection, { ...byGroup, where: { group: { prefix: '_' } } })).toBe('');
    expect(await ids(collection, { ...byGroup, where: { group: { prefix: '' } } })).toBe('b a g f d c');
  });
}

function combinedTests(stores: Stores): void {
  it('by a field of another index, on top of what the named one yields', async () => {
    const collection = await filled(stores);
    expect(await ids(collection, { where: { group: { eq: 'x' } } })).toBe('b a');
    expect(await ids(collection, { where: { group: { prefix: 'x' }, rank: { gt: 0 } } })).toBe('b a');
  });

  it('by id alone', async () => {
    const collection = await filled(stores);
    expect(await ids(collection, { index: 'by_id', order: [], limit: 2 })).toBe('a b');
    expect(await ids(collection, { index: 'by_id', order: [], direction: 'desc', limit: 2 })).toBe('g f');
  });

  it('see the newest values of a document', async () => {
    const collection = await filled(stores);
    const doc = { group: 'z', rank: 9, slug: null, text: '' };
    await collection.bulkWrite([{ id: 'a', expected: 1n, guard: 2n, doc, fields: { group: 'z', rank: 9 } }]);
    expect(await ids(collection, { where: { rank: { gte: 3 } } })).toBe('a');
    expect(await ids(collection, { index: 'by_group', order: ['rank'], where: { group: { eq: 'x' } } })).toBe('b');
  });

  it('count what they would find', async () => {
    const collection = await filled(stores);
    expect(await collection.count('by_rank', {})).toBe(7);
    expect(await collection.count('by_group', { group: { prefix: 'x' } })).toBe(4);
    expect(await collection.count('by_group', { group: { eq: 'x' }, rank: { gte: 2 } })).toBe(1);
  });
}

function refusalTests(stores: Stores): void {
  it('are refused when the named index does not serve them', async () => {
    const collection = await filled(stores);
    const refused: Wanted[] = [
      { index: 'nowhere' },
      { index: 'by_group', order: ['rank'] },
      { index: 'by_group', order: ['rank', 'group'] },
      { index: 'by_group', order: ['group'] },
      { where: { text: { eq: '' } } },
      { where: { rank: {} } },
      { where: { rank: { gt: 1, lt: 'a' } } },
      { where: { rank: { gt: null } } },
      { where: { rank: { eq: Number.NaN } } },
      { where: { rank: { eq: '\ud800' } } },
      { where: { rank: { in: Array.from({ length: 1001 }, () => 1) } } },
      { limit: 0 },
      { limit: 1.5 },
      { after: { values: [], id: 'a' } },
      { after: { values: ['\udc00'], id: 'a' } },
    ];
    for (const wanted of refused) await expect(ids(collection, wanted)).rejects.toMatchObject({ code: 'query_not_served' });
    await expect(collection.count('nowhere', {})).rejects.toMatchObject({ code: 'query_not_served' });
    await expect(collection.count('by_rank', { nowhere: { eq: 1 } })).rejects.toMatchObject({ code: 'query_not_served' });
  });
}
