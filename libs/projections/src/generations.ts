import type { Collection, DocumentStore, ProjectionSet } from '@counterfoil/read-models';
import { LeaseLostError } from './errors.js';
import { buildingKey, collectionSpec, generationOf, generationsPrefix, pointerKey, type SetName } from './names.js';

/** The pointer of a set: which generation queries read. */
export interface Pointer {
  readonly generation: number;
  /** Wall clock of the switch, milliseconds since 1970; 0 for the first generation. */
  readonly switchedAt: number;
  readonly revision: bigint;
}

/** The pointer; made for generation 1 by whoever asks first. */
export async function readPointer(docs: DocumentStore, set: SetName): Promise<Pointer> {
  for (;;) {
    const found = await docs.control(pointerKey(set));
    if (found !== null) {
      const { generation, switchedAt } = found.value;
      return { generation: Number(generation), switchedAt: Number(switchedAt), revision: found.revision };
    }
    await docs.compareAndSet(pointerKey(set), null, { generation: 1, switchedAt: 0 });
  }
}

/**
 * Makes another generation the active one, in one write.
 * @throws LeaseLostError when the pointer isn't as it was read
 */
export async function switchPointer(docs: DocumentStore, set: SetName, from: Pointer, generation: number, now: number): Promise<void> {
  const done = await docs.compareAndSet(pointerKey(set), from.revision, { generation, switchedAt: now, previous: from.generation });
  if (!done) throw new LeaseLostError(pointerKey(set));
}

/** Collections of a generation, in the order of the set's projections; made where absent. */
export function openGeneration(docs: DocumentStore, set: ProjectionSet, generation: number): Promise<readonly Collection<unknown>[]> {
  return Promise.all(set.projections.map((projection) => docs.collection<unknown>(collectionSpec(set, generation, projection))));
}

/** The generation that a rebuild is making, or made last. */
export interface Building {
  readonly generation: number;
  readonly state: 'building' | 'failed' | 'done';
  readonly revision: bigint | null;
}

export async function readBuilding(docs: DocumentStore, set: SetName): Promise<Building> {
  const found = await docs.control(buildingKey(set));
  if (found === null) return { generation: 0, state: 'done', revision: null };
  const { generation, state } = found.value;
  return { generation: Number(generation), state: state === 'building' || state === 'failed' ? state : 'done', revision: found.revision };
}

/** @throws LeaseLostError when another rebuild has written it since */
export async function writeBuilding(
  docs: DocumentStore,
  set: SetName,
  before: Building,
  next: Pick<Building, 'generation' | 'state'>,
): Promise<Building> {
  const value = { generation: next.generation, state: next.state };
  if (!(await docs.compareAndSet(buildingKey(set), before.revision, value))) throw new LeaseLostError(buildingKey(set));
  return { ...value, revision: (before.revision ?? 0n) + 1n };
}

/** Generations of which there are collections. */
async function existingCollections(docs: DocumentStore, set: SetName): Promise<readonly { name: string; generation: number }[]> {
  const names = await docs.collections(generationsPrefix(set));
  return names.flatMap((name) => {
    const generation = generationOf(set, name);
    return generation === null ? [] : [{ name, generation }];
  });
}

/** A number that no generation has had. */
export async function nextGeneration(docs: DocumentStore, set: SetName): Promise<number> {
  const existing = (await existingCollections(docs, set)).map(({ generation }) => generation);
  return Math.max((await readPointer(docs, set)).generation, (await readBuilding(docs, set)).generation, ...existing) + 1;
}

/** Drops all collections of one generation. */
export async function dropGeneration(docs: DocumentStore, set: SetName, generation: number): Promise<void> {
  for (const collection of await existingCollections(docs, set)) {
    if (collection.generation === generation) await docs.drop(collection.name);
  }
}

/**
 * Drops what neither queries nor a rebuild use any more, once the last switch is `graceMs` past: until then a query that began before
 * it may still read the old generation. The grace is by wall clocks, the one thing that outlives a restart; a clock that is off makes
 * it longer or shorter, and a reader that comes too late is told that the collection is gone.
 */
export async function dropRetired(docs: DocumentStore, set: SetName, graceMs: number, now: number, signal: AbortSignal): Promise<void> {
  // In this order: a generation is listed only after it was recorded as building, and stops building only after the pointer names it.
  const existing = await existingCollections(docs, set);
  const building = await readBuilding(docs, set);
  const pointer = await readPointer(docs, set);
  if (now - pointer.switchedAt < graceMs) return;
  for (const { name, generation } of existing) {
    if (signal.aborted) return;
    const isUsed = generation === pointer.generation || (building.state === 'building' && generation === building.generation);
    if (!isUsed) await docs.drop(name);
  }
}
