import type { Collection, DocumentStore } from '@counterfoil/read-models';
import {
  eachTest,
  insert,
  NOTES,
  note,
  tagged,
  writeOf,
  type DocumentStoreFactory,
  type DocumentStoreTraits,
  type Note,
} from './fixture.js';

const WRITERS = ['w0', 'w1', 'w2', 'w3'] as const;
const IDS = Array.from({ length: 200 }, (_, n) => `doc-${n}`);

/** Several connections write the same documents at the same time. */
export function raceTests(factory: DocumentStoreFactory, traits: DocumentStoreTraits): void {
  const race = tagged('races', traits);
  describe('racing writers', () => {
    const stores = eachTest(factory);
    const connections = (): Promise<DocumentStore[]> => Promise.all(WRITERS.map(() => stores.open()));
    const writers = async (): Promise<Collection<Note>[]> =>
      Promise.all((await connections()).map((store) => store.collection<Note>(NOTES)));

    race('each absent document is made by exactly one', async () => {
      await expectOneWinner(await writers(), null, 1n);
    });

    race('each document is changed by exactly one', async () => {
      const collections = await writers();
      const [first] = collections;
      if (first !== undefined) await insert(first, Object.fromEntries(IDS.map((id) => [id, {}])));
      await expectOneWinner(collections, 1n, 2n);
    });

    race('no update is lost when each goes on from what it read', async () => {
      const collections = await writers();
      const ids = IDS.slice(0, 10);
      await Promise.all(collections.map((collection) => countUp(collection, ids, 10)));
      const found = await collections[0]?.getMany(ids);
      expect(ids.map((id) => found?.get(id)?.doc?.rank)).toEqual(ids.map(() => WRITERS.length * 10));
    });

    race('a collection that all open at once is made once', async () => {
      const opened = await Promise.all(
        (await connections()).map((store, n) => store.collection<Note>({ ...NOTES, name: `kit_v1_g${n % 2}_notes` })),
      );
      const results = await Promise.all(opened.map((collection) => collection.bulkWrite([writeOf('a', null, 1n, note())])));
      expect(results.flatMap(({ conflicts }) => conflicts)).toEqual(['a', 'a']);
    });
  });
}

async function expectOneWinner(collections: readonly Collection<Note>[], expected: bigint | null, guard: bigint): Promise<void> {
  const lost = await Promise.all(
    collections.map(async (collection, n) => {
      const bulk = IDS.map((id) => writeOf(id, expected, guard, note({ text: WRITERS[n] ?? '' })));
      return new Set((await collection.bulkWrite(bulk)).conflicts);
    }),
  );
  const found = await collections[0]?.getMany(IDS);
  for (const id of IDS) {
    const winners = WRITERS.filter((_, n) => lost[n]?.has(id) === false);
    expect(winners).toEqual([found?.get(id)?.doc?.text]);
  }
}

/** Adds one to each document, `times` times, and tries again whatever lost. */
async function countUp(collection: Collection<Note>, ids: readonly string[], times: number): Promise<void> {
  for (let done = 0; done < times; done++) {
    let open = ids;
    while (open.length > 0) {
      const found = await collection.getMany(open);
      const bulk = open.map((id) => {
        const now = found.get(id);
        const rank = Number(now?.doc?.rank ?? 0) + 1;
        return writeOf(id, now?.guard ?? null, (now?.guard ?? 0n) + 1n, note({ rank }));
      });
      open = (await collection.bulkWrite(bulk)).conflicts;
    }
  }
}
