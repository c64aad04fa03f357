import type { Collection, GuardedWrite } from '@counterfoil/read-models';
import { collect, eachTest, insert, note, writeOf, type DocumentStoreFactory, type Note } from './fixture.js';

/** Bulks larger than what a store writes in one step, in which some documents win and others lose. */
export function bulkTests(factory: DocumentStoreFactory): void {
  describe('large bulks', () => {
    const stores = eachTest(factory);

    it('tell exactly who lost, and write all others', async () => {
      const collection = await stores.notes();
      const { bulk, lost } = await mixed(collection);
      const { conflicts } = await collection.bulkWrite(bulk);
      expect([...conflicts].sort()).toEqual([...lost].sort());
      const after = await guards(collection);
      for (const { id, guard } of bulk) if (!lost.has(id)) expect(`${id} ${String(after.get(id))}`).toBe(`${id} ${String(guard)}`);
      for (const id of lost) expect(`${id} ${String(after.get(id) ?? 1n)}`).toBe(`${id} 1`);
    });

    it('that are sent again lose every document, and change none', async () => {
      const collection = await stores.notes();
      await insert(collection, { a: { text: 'old' }, b: { text: 'old' }, c: {} });
      const bulk = [
        writeOf('a', 1n, 2n, note({ text: 'new' })),
        writeOf('b', 1n, 7n, null),
        writeOf('d', null, 3n, note({ text: 'new' })),
        writeOf('e', null, 4n, null),
      ];
      expect(await collection.bulkWrite(bulk)).toEqual({ conflicts: [] });
      const before = await collect(collection.scan());
      expect([...(await collection.bulkWrite(bulk)).conflicts].sort()).toEqual(['a', 'b', 'd', 'e']);
      expect(await collect(collection.scan())).toEqual(before);
    });

    it('with documents that cannot be stored and others that lose write the rest', async () => {
      const collection = await stores.notes();
      await insert(collection, { a: { text: 'old' }, b: { text: 'old' } });
      const bulk = [
        writeOf('a', 0n, 2n, note({ text: 'lost' })),
        writeOf('b', 1n, 2n, note({ text: 'new' })),
        writeOf('c', null, 2n, note({ rank: Number.NaN })),
        writeOf('d', null, 2n, note({ text: 'new' })),
      ];
      await expect(collection.bulkWrite(bulk)).rejects.toMatchObject({ rejected: [{ id: 'c', reason: 'invalid_field' }] });
      const found = await collection.getMany(['a', 'b', 'c', 'd']);
      expect(['a', 'b', 'c', 'd'].map((id) => found.get(id)?.doc?.text)).toEqual(['old', 'new', undefined, 'new']);
    });

    it('of many writes of one document after the other end at the last, whatever else fails beside them', async () => {
      const collection = await stores.notes();
      await insert(collection, { a: {}, b: {} });
      for (let guard = 2n; guard <= 40n; guard++) {
        const bulk = [writeOf('a', guard - 1n, guard, note({ rank: Number(guard) })), writeOf('b', guard, guard + 1n, note({ rank: -1 }))];
        expect(await collection.bulkWrite(bulk)).toEqual({ conflicts: ['b'] });
      }
      expect(await collection.get('a')).toMatchObject({ guard: 40n, doc: { rank: 40 } });
      expect(await collection.get('b')).toMatchObject({ guard: 1n, doc: { rank: null } });
    });
  });
}

const STEP = 1000;

/** Writes of all kinds: in the first step inserts lose, in the second changes do. */
async function mixed(collection: Collection<Note>): Promise<{ bulk: readonly GuardedWrite<Note>[]; lost: ReadonlySet<string> }> {
  const lost = new Set<string>();
  const bulk: GuardedWrite<Note>[] = [];
  const there: Record<string, Partial<Note>> = {};
  for (let n = 0; n < STEP; n++) {
    const id = `first ${n}`;
    if (n % 10 === 0) there[id] = {};
    if (n % 20 === 0) lost.add(id);
    // Every 20th is loaded as it is, and one in between was loaded as absent, wrongly.
    bulk.push(writeOf(id, n % 20 === 10 ? 1n : null, 5n, n % 7 === 0 ? null : note({ rank: n })));
  }
  for (let n = 0; n < 60; n++) {
    const id = `second ${n}`;
    if (n % 3 !== 0) there[id] = {};
    const expected = [3n, 1n, n % 2 === 0 ? 4n : 1n][n % 3] ?? null;
    // The first of three is absent, the last of three is at another guard, every second time.
    if (expected !== 1n) lost.add(id);
    bulk.push(writeOf(id, expected, 5n, note({ rank: n })));
  }
  await insert(collection, there);
  return { bulk, lost };
}

async function guards(collection: Collection<Note>): Promise<ReadonlyMap<string, bigint>> {
  const all = new Map<string, bigint>();
  for await (const { id, guard } of collection.scan()) all.set(id, guard);
  return all;
}
