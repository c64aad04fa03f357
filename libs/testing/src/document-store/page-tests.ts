import type { Collection, Condition, FieldValue, Query } from '@counterfoil/read-models';
import fc from 'fast-check';
import { eachTest, insert, note, writeOf, type DocumentStoreFactory, type Stores, type Note } from './fixture.js';

const BY_GROUP: Query = { index: 'by_group', where: {}, order: ['group', 'rank'], direction: 'asc', limit: 3 };

/** Reads all pages of a query; `between` runs after each. */
async function pages(
  collection: Collection<Note>,
  query: Query,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const all: string[] = [];
  let after: Query['after'];
  for (;;) {
    const page = await collection.find(after === undefined ? query : { ...query, after });
    all.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined) return all;
    const values = query.order.map((field) => (field === 'group' ? last.doc.group : last.doc.rank));
    after = { values, id: last.id };
    await between();
  }
}

/** Keyset pages. */
export function pageTests(factory: DocumentStoreFactory): void {
  describe('pages', () => {
    const stores = eachTest(factory);
    keysetTests(stores);
    rangePageTests(stores);
  });
}

function keysetTests(stores: Stores): void {
  it('of equal sort values miss and repeat nothing, in both directions', async () => {
    const collection = await stores.notes();
    const names = Array.from({ length: 20 }, (_, n) => `n${String(n).padStart(2, '0')}`);
    await insert(collection, Object.fromEntries(names.map((name, n) => [name, { group: n < 15 ? 'x' : null, rank: n % 2 }])));
    for (const direction of ['asc', 'desc'] as const) {
      const expected = (await collection.find({ ...BY_GROUP, direction, limit: 100 })).map(({ id }) => id);
      expect(expected).toHaveLength(20);
      expect(await pages(collection, { ...BY_GROUP, direction })).toEqual(expected);
    }
  });

  it('go over nulls in both directions', async () => {
    const collection = await stores.notes();
    await insert(collection, { a: {}, b: { rank: 1 }, c: { group: 'x' }, d: { group: 'x', rank: 1 }, e: {}, f: { group: 'x' } });
    expect(await pages(collection, { ...BY_GROUP, limit: 1 })).toEqual(['a', 'e', 'b', 'c', 'f', 'd']);
    expect(await pages(collection, { ...BY_GROUP, limit: 1, direction: 'desc' })).toEqual(['d', 'f', 'c', 'b', 'e', 'a']);
  });

  it('stay as they are while documents are added before and after', async () => {
    const collection = await stores.notes();
    const first = Array.from({ length: 12 }, (_, n) => `m${n}`);
    await insert(collection, Object.fromEntries(first.map((id, n) => [id, { group: 'x', rank: n }])));
    let added = 0;
    const found = await pages(collection, { ...BY_GROUP, where: { group: { eq: 'x' } } }, async () => {
      if (added++ < 5) await insert(collection, { [`before${added}`]: { group: 'x', rank: -added }, [`after${added}`]: { group: 'y' } });
    });
    expect(found).toEqual(first);
  });

  it('go on after a document that was changed or deleted meanwhile', async () => {
    const collection = await stores.notes();
    await insert(collection, Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`m${n}`, { rank: n }])));
    const after = { values: [2], id: 'm2' };
    await collection.bulkWrite([writeOf('m2', 1n, 2n, null), writeOf('m1', 1n, 2n, note({ rank: 9 }))]);
    const page = await collection.find({ index: 'by_rank', where: {}, order: ['rank'], direction: 'asc', limit: 9, after });
    expect(page.map(({ id }) => id)).toEqual(['m3', 'm4', 'm5', 'm1']);
  });
}

function rangePageTests(stores: Stores): void {
  it('keep to a range of the field that they are sorted by', async () => {
    const collection = await stores.notes();
    await insert(collection, Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`m${n}`, { rank: n }])));
    const query = { index: 'by_rank', order: ['rank'], limit: 2, where: { rank: { gt: 2, lte: 8 } } };
    const expected = ['m3', 'm4', 'm5', 'm6', 'm7', 'm8'];
    expect(await pages(collection, { ...query, direction: 'asc' })).toEqual(expected);
    expect(await pages(collection, { ...query, direction: 'desc' })).toEqual(expected.toReversed());
    const outside = { ...query, direction: 'asc', after: { values: [-5], id: 'm0' } } as const;
    expect((await collection.find(outside)).map(({ id }) => id)).toEqual(['m3', 'm4']);
  });

  it('agree with a plain sort of all documents, whatever is asked', async () => {
    const collection = await stores.notes();
    await fc.assert(
      fc.asyncProperty(queryCase(), async ({ rows, where, direction, limit }) => {
        const writes = await replaceAll(collection, rows);
        const query: Query = { ...BY_GROUP, where, direction, limit };
        const ids = writes.filter((row) => matches(row.group, where.group) && matches(row.rank, where.rank)).sort(compare);
        const expected = (direction === 'asc' ? ids : ids.toReversed()).map(({ id }) => id);
        expect(await pages(collection, query)).toEqual(expected);
        expect(await collection.count('by_group', where)).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });
}

interface Row {
  readonly id: string;
  readonly group: FieldValue;
  readonly rank: FieldValue;
}

const value = (): fc.Arbitrary<FieldValue> =>
  fc.oneof(fc.constant(null), fc.integer({ min: -2, max: 2 }), fc.constantFrom('', 'a', 'ab', 'a\u0000', 'b', 'é', '\uffff'));

function condition(): fc.Arbitrary<Condition | undefined> {
  const bound = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom('', 'a', 'b'));
  return fc.oneof(
    fc.constant(undefined),
    value().map((eq) => ({ eq })),
    fc.array(value(), { maxLength: 5 }).map((list) => ({ in: list })),
    bound.map((gt) => ({ gt })),
    bound.map((lte) => ({ lte })),
    fc.constantFrom('', 'a', 'é').map((prefix) => ({ prefix })),
  );
}

function queryCase() {
  return fc.record({
    rows: fc.array(fc.record({ group: value(), rank: value() }), { maxLength: 25 }),
    where: fc.record({ group: condition(), rank: condition() }).map((where): Readonly<Record<string, Condition>> => ({
      ...(where.group === undefined ? {} : { group: where.group }),
      ...(where.rank === undefined ? {} : { rank: where.rank }),
    })),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 4 }),
  });
}

/** Turns the collection into exactly these rows; what was there before becomes tombstones. */
async function replaceAll(collection: Collection<Note>, rows: readonly Omit<Row, 'id'>[]): Promise<Row[]> {
  const ids = Array.from({ length: 25 }, (_, n) => `id${n}`);
  const before = await collection.getMany(ids);
  const writes = ids.map((id, n) => {
    const guard = before.get(id)?.guard ?? null;
    const row = rows[n];
    return writeOf(id, guard, (guard ?? 0n) + 1n, row === undefined ? null : note(row));
  });
  expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
  return rows.map((row, n) => ({ id: `id${n}`, ...row }));
}

const kind = (field: FieldValue): number => ['object', 'number', 'string'].indexOf(typeof field);

function compareValues(a: FieldValue, b: FieldValue): number {
  if (kind(a) !== kind(b)) return kind(a) - kind(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

function compare(a: Row, b: Row): number {
  return compareValues(a.group, b.group) || compareValues(a.rank, b.rank) || compareValues(a.id, b.id);
}

function matches(field: FieldValue, wanted: Condition | undefined): boolean {
  if (wanted === undefined) return true;
  if ('eq' in wanted) return field === wanted.eq;
  if ('in' in wanted) return wanted.in.includes(field);
  if ('prefix' in wanted) return typeof field === 'string' && field.startsWith(wanted.prefix);
  if (wanted.gt !== undefined) return typeof field === typeof wanted.gt && compareValues(field, wanted.gt) > 0;
  return typeof field === typeof wanted.lte && compareValues(field, wanted.lte ?? null) <= 0;
}
