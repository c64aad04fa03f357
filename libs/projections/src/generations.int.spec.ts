import type { DocumentStore } from '@counterfoil/read-models';
import { projectionFixture, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import {
  dropGeneration,
  dropRetired,
  nextGeneration,
  openGeneration,
  readBuilding,
  readPointer,
  switchPointer,
  writeBuilding,
} from './generations.js';

const set = tallySet();
const forever = new AbortController().signal;

describe('generations', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
  });
  afterEach(() => fixture.dispose());

  const switchTo = async (generation: number, now = 0) => switchPointer(docs, set, await readPointer(docs, set), generation, now);
  const existing = async () => [...new Set((await docs.collections('')).map((name) => name.replace(/_[a-z]+$/, '')))];

  it('begin with one, made by whoever asks first', async () => {
    const pointers = await Promise.all([0, 1, 2].map(() => readPointer(docs, set)));
    expect(pointers.map(({ generation, revision }) => [generation, revision])).toEqual(pointers.map(() => [1, 1n]));
  });

  it('are switched once, by who read the pointer last', async () => {
    const before = await readPointer(docs, set);
    await switchPointer(docs, set, before, 2, 5);
    await expect(switchPointer(docs, set, before, 3, 6)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await readPointer(docs, set)).toMatchObject({ generation: 2, switchedAt: 5 });
  });

  it('have numbers that are never used again', async () => {
    expect(await nextGeneration(docs, set)).toBe(2);
    await openGeneration(docs, set, 4);
    expect(await nextGeneration(docs, set)).toBe(5);
    const building = await writeBuilding(docs, set, await readBuilding(docs, set), { generation: 7, state: 'failed' });
    await dropGeneration(docs, set, 4);
    expect(await nextGeneration(docs, set)).toBe(8);
    await expect(writeBuilding(docs, set, { ...building, revision: 9n }, { generation: 8, state: 'building' })).rejects.toThrow();
  });

  it('that are neither active nor being built are dropped after the grace, and those of other sets stay', async () => {
    for (const generation of [1, 2, 3, 4, 11]) await openGeneration(docs, set, generation);
    await openGeneration(docs, tallySet(10), 1);
    await docs.collection({ name: 'tally_v1_gx_streams', indexes: [] });
    await switchTo(3, 1000);
    const building = await writeBuilding(docs, set, await readBuilding(docs, set), { generation: 4, state: 'building' });
    await dropRetired(docs, set, 500, 1499, forever);
    expect(await existing()).toHaveLength(7);
    await dropRetired(docs, set, 500, 1500, forever);
    expect(await existing()).toEqual(['tally_v10_g1', 'tally_v1_g3', 'tally_v1_g4', 'tally_v1_gx']);
    await writeBuilding(docs, set, building, { generation: 4, state: 'failed' });
    await dropRetired(docs, set, 500, 1500, forever);
    expect(await existing()).toEqual(['tally_v10_g1', 'tally_v1_g3', 'tally_v1_gx']);
  });
});
