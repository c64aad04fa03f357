import type { Collection, CollectionSpec, GuardedWrite } from '@counterfoil/read-models';
import {
  eachTest,
  insert,
  note,
  SLUGS,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Note,
  type Stores,
} from './fixture.js';

/** Unique over two fields together. */
const PLACES: CollectionSpec = {
  name: 'kit_v1_g1_places',
  indexes: [
    { name: 'by_place', fields: ['group', 'slug'], unique: true },
    { name: 'by_rank', fields: ['rank'] },
  ],
};

/** Unique indexes. */
export function uniqueTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  describe('unique indexes', () => {
    const stores = eachTest(factory);
    violationTests(stores);
    changeTests(stores, traits);
    freedTests(stores);
    compoundTests(stores);
    valueRaceTests(stores, traits);
  });
}

const slugs = async (stores: Stores): Promise<Collection<Note>> => (await stores.open()).collection<Note>(SLUGS);

/** Expects that the bulk is refused for the unique index, for these documents and no others. */
async function expectViolation(collection: Collection<Note>, bulk: readonly GuardedWrite<Note>[], ids: readonly string[]): Promise<void> {
  await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({
    code: 'document_rejected',
    rejected: ids.map((id) => ({ id, reason: 'unique_violation' })),
  });
}

async function ofSlug(collection: Collection<Note>, slug: string): Promise<readonly string[]> {
  const query = { index: 'by_slug', where: { slug: { eq: slug } }, order: [], direction: 'asc', limit: 10 } as const;
  return (await collection.find(query)).map(({ id }) => id);
}

function violationTests(stores: Stores): void {
  it('names the document that breaks one, and writes the others', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' } });
    await expectViolation(collection, [writeOf('b', null, 2n, note({ slug: 'x' })), writeOf('c', null, 2n, note({ slug: 'y' }))], ['b']);
    expect(await collection.get('b')).toBeNull();
    expect(await collection.get('c')).not.toBeNull();
  });

  it('of two documents of one bulk with one value exactly one is written', async () => {
    const collection = await slugs(stores);
    const bulk = ['a', 'b'].map((id) => writeOf(id, null, 1n, note({ slug: 'x' })));
    await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({ rejected: [{ reason: 'unique_violation' }] });
    expect(await ofSlug(collection, 'x')).toHaveLength(1);
    expect((await collection.getMany(['a', 'b'])).size).toBe(1);
  });

  it('takes null for a value like others, and tells numbers from texts', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: null }, b: { slug: 1 }, c: { slug: '1' }, d: { slug: '' }, e: { slug: 'X' }, f: { slug: 'x' } });
    for (const slug of [null, 1, '1', '']) await expectViolation(collection, [writeOf('again', null, 2n, note({ slug }))], ['again']);
    expect(await collection.bulkWrite([writeOf('minus zero', null, 2n, note({ slug: -0 }))])).toEqual({ conflicts: [] });
    await expectViolation(collection, [writeOf('zero', null, 2n, note({ slug: 0 }))], ['zero']);
  });

  it('a lost race is a conflict, whatever its value', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' }, b: { slug: 'y' } });
    expect(await collection.bulkWrite([writeOf('b', 0n, 2n, note({ slug: 'x' }))])).toEqual({ conflicts: ['b'] });
    expect(await collection.bulkWrite([writeOf('b', null, 2n, note({ slug: 'x' }))])).toEqual({ conflicts: ['b'] });
  });
}

function changeTests(stores: Stores, traits: DocumentStoreTraits): void {
  const test = tagged('broken_by_change', traits);

  test('a change that breaks one leaves its document as it was', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' }, b: { slug: 'y' }, c: { slug: 'z' } });
    const bulk = [writeOf('b', 1n, 2n, note({ slug: 'x' })), writeOf('c', 1n, 2n, note({ slug: 'w' }))];
    await expectViolation(collection, bulk, ['b']);
    expect(await collection.get('b')).toEqual({ id: 'b', doc: note({ slug: 'y' }), guard: 1n });
    expect(await collection.get('c')).toMatchObject({ guard: 2n, doc: { slug: 'w' } });
  });

  test('any number of tombstones break none, and one that comes back may', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' }, b: { slug: 'y' }, c: { slug: 'z' } });
    expect(await collection.bulkWrite(['a', 'b', 'c'].map((id) => writeOf(id, 1n, 2n, null)))).toEqual({ conflicts: [] });
    expect(await collection.bulkWrite([writeOf('a', 2n, 3n, note({ slug: 'y' }))])).toEqual({ conflicts: [] });
    await expectViolation(collection, [writeOf('b', 2n, 3n, note({ slug: 'y' }))], ['b']);
    expect(await collection.get('b')).toEqual({ id: 'b', doc: null, guard: 2n });
  });
}

function freedTests(stores: Stores): void {
  it('a document keeps its own value when it is changed', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' } });
    expect(await collection.bulkWrite([writeOf('a', 1n, 2n, note({ slug: 'x', text: 'more' }))])).toEqual({ conflicts: [] });
  });

  it('a tombstone gives its value free, and so does a change', async () => {
    const collection = await slugs(stores);
    await insert(collection, { a: { slug: 'x' }, b: { slug: 'y' } });
    await collection.bulkWrite([writeOf('a', 1n, 2n, null), writeOf('b', 1n, 2n, note({ slug: 'z' }))]);
    const bulk = [writeOf('c', null, 3n, note({ slug: 'x' })), writeOf('d', null, 3n, note({ slug: 'y' }))];
    expect(await collection.bulkWrite(bulk)).toEqual({ conflicts: [] });
    expect(await ofSlug(collection, 'x')).toEqual(['c']);
    expect(await ofSlug(collection, 'y')).toEqual(['d']);
  });
}

function compoundTests(stores: Stores): void {
  it('hold for all their fields together', async () => {
    const collection = await (await stores.open()).collection<Note>(PLACES);
    await insert(collection, {
      a: { group: 'g', slug: 'x' },
      b: { group: 'g', slug: 'y' },
      c: { group: 'h', slug: 'x' },
      d: { group: null, slug: 'x' },
      // Told apart from the first, though the texts joined would be the same.
      e: { group: 'gx', slug: '' },
    });
    await expectViolation(collection, [writeOf('f', null, 2n, note({ group: 'g', slug: 'x' }))], ['f']);
    await expectViolation(collection, [writeOf('f', null, 2n, note({ group: null, slug: 'x' }))], ['f']);
    const query = { index: 'by_place', where: { group: { eq: 'g' } }, order: ['slug'], direction: 'desc', limit: 10 } as const;
    expect((await collection.find(query)).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('hold within one collection, not across several', async () => {
    const store = await stores.open();
    for (const name of ['kit_v1_g1_slugs', 'kit_v1_g2_slugs']) {
      await insert(await store.collection<Note>({ ...SLUGS, name }), { a: { slug: 'x' } });
    }
  });
}

function valueRaceTests(stores: Stores, traits: DocumentStoreTraits): void {
  tagged('races', traits)('each value is given to exactly one of several documents', async () => {
    const writers = await Promise.all([0, 1, 2, 3].map(() => slugs(stores)));
    const values = Array.from({ length: 40 }, (_, n) => `value-${n}`);
    const rejected = await Promise.all(
      writers.map(async (collection, writer) => {
        const bulk = values.map((slug) => writeOf(`${writer}-${slug}`, null, 1n, note({ slug })));
        return rejectedOf(collection.bulkWrite(bulk));
      }),
    );
    const [reader] = writers;
    if (reader === undefined) throw new Error('a test needs a writer');
    for (const slug of values) {
      const winners = [0, 1, 2, 3].map((writer) => `${writer}-${slug}`).filter((id, writer) => rejected[writer]?.has(id) === false);
      expect(winners).toHaveLength(1);
      expect(await ofSlug(reader, slug)).toEqual(winners);
    }
  });
}

/** Ids that a bulk says it can't store. */
async function rejectedOf(bulk: Promise<unknown>): Promise<ReadonlySet<string>> {
  try {
    await bulk;
    return new Set();
  } catch (error) {
    return new Set((error as { rejected: readonly { id: string }[] }).rejected.map(({ id }) => id));
  }
}
