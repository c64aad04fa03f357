import { CollectionDroppedError, type Collection, type DocumentStore, type Loaded, type ProjectionSet } from '@counterfoil/read-models';
import { collectionSpec } from './names.js';
import { leastOf, readPositions } from './positions.js';

/** One generation of a set. */
export interface GenerationRef {
  readonly set: ProjectionSet;
  readonly generation: number;
  /** In how many partitions it is kept; default 1. */
  readonly partitions?: number;
}

export interface DocumentDifference {
  readonly projection: string;
  readonly id: string;
  readonly kind: 'only_in_a' | 'only_in_b' | 'different';
}

export interface Comparison {
  readonly isEqual: boolean;
  /** Documents that were compared, over all projections. */
  readonly compared: number;
  /** Documents that one side alone has brought further than the other's checkpoint. */
  readonly newer: number;
  readonly differenceCount: number;
  /** The first hundred. */
  readonly differences: readonly DocumentDifference[];
}

const MOST_SHOWN = 100;
const CHUNK = 200;

/**
 * Compares two generations document by document, by JSON text (promise 26), as far as both have come: what an engine writes meanwhile
 * is counted as newer. A tombstone counts as no document.
 * @throws CollectionDroppedError when a generation is gone
 */
export async function compareGenerations(docs: DocumentStore, a: GenerationRef, b: GenerationRef): Promise<Comparison> {
  const [left, right] = [await reachedBy(docs, a), await reachedBy(docs, b)];
  const comparer = new Comparer(left < right ? left : right);
  for (const name of new Set([...a.set.projections, ...b.set.projections].map((projection) => projection.name))) {
    const [inA, inB] = [await open(docs, a, name), await open(docs, b, name)];
    await comparer.compare(name, inA, inB);
    await comparer.findMissing(name, inB, inA);
  }
  return comparer.result();
}

/** Compares two generations of one set, which is kept in so many partitions. */
export function compareSets(docs: DocumentStore, set: ProjectionSet, a: number, b: number, partitions = 1): Promise<Comparison> {
  return compareGenerations(docs, { set, generation: a, partitions }, { set, generation: b, partitions });
}

async function reachedBy(docs: DocumentStore, { set, generation, partitions = 1 }: GenerationRef): Promise<bigint> {
  const found = await readPositions(docs, set, generation, partitions);
  return found === null ? 0n : leastOf(found).position;
}

/** A projection that a set doesn't have has no documents there. */
async function open(docs: DocumentStore, { set, generation }: GenerationRef, name: string): Promise<Collection<unknown> | null> {
  const projection = set.projections.find((candidate) => candidate.name === name);
  if (projection === undefined) return null;
  const spec = collectionSpec(set, generation, projection);
  // Asked first, since to open a collection makes it.
  if (!(await docs.collections(spec.name)).includes(spec.name)) throw new CollectionDroppedError(spec.name);
  return docs.collection<unknown>(spec);
}

class Comparer {
  private compared = 0;
  private newer = 0;
  private differenceCount = 0;
  private readonly differences: DocumentDifference[] = [];

  /** @param limit the position that both sides have reached */
  constructor(private readonly limit: bigint) {}

  /** Every document of `a` with what `b` has in its place. */
  async compare(projection: string, a: Collection<unknown> | null, b: Collection<unknown> | null): Promise<void> {
    for await (const chunk of chunks(a)) {
      const others = await b?.getMany(chunk.map(({ id }) => id));
      for (const document of chunk) {
        const other = others?.get(document.id);
        if (this.isNewer(document, other)) continue;
        const [text, otherText] = [textOf(document), textOf(other)];
        if (text === null && otherText === null) continue;
        this.compared++;
        if (text !== otherText) this.add({ projection, id: document.id, kind: kindOf(text, otherText) });
      }
    }
  }

  /** What `b` has and `a` has not even as a tombstone. */
  async findMissing(projection: string, b: Collection<unknown> | null, a: Collection<unknown> | null): Promise<void> {
    for await (const chunk of chunks(b)) {
      const others = await a?.getMany(chunk.map(({ id }) => id));
      for (const document of chunk) {
        if (others?.has(document.id) === true || document.doc === null || this.isNewer(document, undefined)) continue;
        this.compared++;
        this.add({ projection, id: document.id, kind: 'only_in_b' });
      }
    }
  }

  result(): Comparison {
    const { compared, newer, differenceCount, differences } = this;
    return { isEqual: differenceCount === 0, compared, newer, differenceCount, differences };
  }

  private isNewer(document: Loaded<unknown>, other: Loaded<unknown> | undefined): boolean {
    const isNewer = document.guard > this.limit || (other !== undefined && other.guard > this.limit);
    if (isNewer) this.newer++;
    return isNewer;
  }

  private add(difference: DocumentDifference): void {
    this.differenceCount++;
    if (this.differences.length < MOST_SHOWN) this.differences.push(difference);
  }
}

const textOf = (document: Loaded<unknown> | undefined): string | null =>
  document === undefined || document.doc === null ? null : JSON.stringify(document.doc);

function kindOf(text: string | null, otherText: string | null): DocumentDifference['kind'] {
  if (otherText === null) return 'only_in_a';
  return text === null ? 'only_in_b' : 'different';
}

async function* chunks(collection: Collection<unknown> | null): AsyncIterable<readonly Loaded<unknown>[]> {
  if (collection === null) return;
  let chunk: Loaded<unknown>[] = [];
  for await (const document of collection.scan()) {
    chunk.push(document);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}
