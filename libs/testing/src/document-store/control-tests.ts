import type { DocumentStore } from '@counterfoil/read-models';
import {
  eachTest,
  NOTES,
  note,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Stores,
  type Note,
} from './fixture.js';

/** Control documents: compare-and-set, races, and a switch of generations under load. */
export function controlTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  describe('control documents', () => {
    const stores = eachTest(factory);
    compareAndSetTests(stores);
    controlRaceTests(stores, traits);
  });
}

function compareAndSetTests(stores: Stores): void {
  it('are made when absent, and only then', async () => {
    const store = await stores.open();
    expect(await store.control('a')).toBeNull();
    expect(await store.compareAndSet('a', 1n, { n: 1 })).toBe(false);
    expect(await store.compareAndSet('a', null, { n: 1 })).toBe(true);
    expect(await store.compareAndSet('a', null, { n: 2 })).toBe(false);
    expect(await store.control('a')).toMatchObject({ key: 'a', value: { n: 1 } });
  });

  it('are changed at the revision that was read, and only then', async () => {
    const store = await stores.open();
    await store.compareAndSet('a', null, { n: 1 });
    const first = await store.control('a');
    expect(await store.compareAndSet('a', first?.revision ?? null, { n: 2 })).toBe(true);
    expect(await store.compareAndSet('a', first?.revision ?? null, { n: 3 })).toBe(false);
    const second = await store.control('a');
    expect(second?.value).toEqual({ n: 2 });
    expect([first?.revision, second?.revision]).toEqual([1n, 2n]);
  });

  it('a write of the same value takes a new revision', async () => {
    const store = await stores.open();
    await store.compareAndSet('a', null, { n: 1 });
    const before = await store.control('a');
    await store.compareAndSet('a', before?.revision ?? null, { n: 1 });
    expect((await store.control('a'))?.revision).toBe(2n);
  });

  it('hold texts, numbers and nulls under any key', async () => {
    const store = await stores.open();
    const value = { text: 'nul \u0000 and \u{1F600}', number: 9007199254740991, nothing: null, empty: '' };
    for (const key of ['parked/main/v1/g2/ab', 'a"b', 'a\u0000b', 'a.b', '$x']) {
      expect(await store.compareAndSet(key, null, value)).toBe(true);
      expect(await store.control(key)).toMatchObject({ key, value });
    }
  });

  it('are read together by their keys, those that there are', async () => {
    const store = await stores.open();
    const keys = ['a', 'b/c', 'a\u0000b', '$x', '__proto__'];
    for (const [n, key] of keys.entries()) await store.compareAndSet(key, null, { n });
    await store.compareAndSet('a', 1n, { n: 'second' });
    const found = await store.controls(['$x', 'nowhere', ...keys, 'a']);
    expect([...found.keys()].sort()).toEqual([...keys].sort());
    for (const key of keys) expect(found.get(key)).toEqual(await store.control(key));
    expect(found.get('a')).toEqual({ key: 'a', revision: 2n, value: { n: 'second' } });
    expect((await store.controls([])).size).toBe(0);
    expect((await store.controls(['nowhere'])).size).toBe(0);
  });

  it('are read together in any number', async () => {
    const store = await stores.open();
    const keys = Array.from({ length: 1200 }, (_, n) => `many/${n}`);
    for (const key of ['many/0', 'many/700', 'many/1199']) await store.compareAndSet(key, null, { key });
    expect([...(await store.controls(keys)).keys()].sort()).toEqual(['many/0', 'many/1199', 'many/700']);
  });
}

function controlRaceTests(stores: Stores, traits: DocumentStoreTraits): void {
  const race = tagged('races', traits);
  race('of several writers exactly one wins each revision', async () => {
    const connections = await Promise.all([0, 1, 2, 3].map(() => stores.open()));
    await Promise.all(connections.map((store) => increments(store, 25)));
    expect((await connections[0]?.control('counter'))?.value).toEqual({ n: 100 });
  });

  race('a pointer switches all readers to whole generations, with writers under way', async () => {
    const [builder, live, reader] = await Promise.all([stores.open(), stores.open(), stores.open()]);
    await fill(builder, 1);
    await builder.compareAndSet('pointer', null, { generation: 1 });
    const end = new AbortController();
    const load = (async () => {
      const collection = await live.collection<Note>({ ...NOTES, name: 'kit_v1_g1_notes' });
      for (let guard = 2n; !end.signal.aborted; guard++) await collection.bulkWrite([writeOf('n0', guard - 1n, guard, note({ rank: 1 }))]);
    })();
    const reads = (async () => {
      const seen: unknown[] = [];
      while (!end.signal.aborted) seen.push(await readActive(reader));
      return seen;
    })();
    for (let generation = 2; generation <= 4; generation++) {
      await fill(builder, generation);
      const before = await builder.control('pointer');
      const rivals = [builder, live].map((store) => store.compareAndSet('pointer', before?.revision ?? null, { generation }));
      expect((await Promise.all(rivals)).filter(Boolean)).toHaveLength(1);
    }
    end.abort();
    await load;
    expect((await reads).filter((read) => read !== 'whole')).toEqual([]);
    expect((await reader.control('pointer'))?.value).toEqual({ generation: 4 });
  });
}

async function increments(store: DocumentStore, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const before = await store.control('counter');
    const n = Number(before?.value.n ?? 0) + 1;
    if (await store.compareAndSet('counter', before?.revision ?? null, { n })) done++;
  }
}

const SIZE = 300;

async function fill(store: DocumentStore, generation: number): Promise<void> {
  const collection = await store.collection<Note>({ ...NOTES, name: `kit_v1_g${generation}_notes` });
  const writes = Array.from({ length: SIZE }, (_, n) => writeOf(`n${n}`, null, 1n, note({ rank: generation })));
  for (let from = 0; from < SIZE; from += 50) await collection.bulkWrite(writes.slice(from, from + 50));
}

/** Reads the pointer and then the collection it names: `whole` when all its documents are there. */
async function readActive(store: DocumentStore): Promise<string> {
  const generation = (await store.control('pointer'))?.value.generation;
  const collection = await store.collection<Note>({ ...NOTES, name: `kit_v1_g${String(generation)}_notes` });
  const count = await collection.count('by_rank', { rank: { eq: Number(generation) } });
  return count === SIZE ? 'whole' : `${count} documents in generation ${String(generation)}`;
}
