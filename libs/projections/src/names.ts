import { createHash } from 'node:crypto';
import type { CollectionSpec, Projection, ProjectionSet } from '@counterfoil/read-models';

/** A set at one version: what names need. */
export type SetName = Pick<ProjectionSet, 'name' | 'version'>;

const place = ({ name, version }: SetName): string => `${name}/v${version}`;

/** Which generation queries read: the one document that a switch writes (design §5, Ports). */
export const pointerKey = (set: SetName): string => `set/${place(set)}`;
export const checkpointKey = (set: SetName, generation: number): string => `checkpoint/${place(set)}/g${generation}`;
export const leaseKey = (set: SetName): string => `lease/${place(set)}`;
export const rebuildLeaseKey = (set: SetName): string => `lease/${place(set)}/rebuild`;
/** Which generation is being built, so that a killed rebuild is found again. */
export const buildingKey = (set: SetName): string => `building/${place(set)}`;
/** First of the parked streams' list; each entry names the next. */
export const parkedListKey = (set: SetName, generation: number): string => `parked/${place(set)}/g${generation}`;

export function parkedKey(set: SetName, generation: number, streamDigest: string): string {
  return `${parkedListKey(set, generation)}/${streamDigest}`;
}

/** SHA-256 of a stream's name in hex: keys have no room for any name. */
export function streamDigest(stream: string): string {
  return createHash('sha256').update(stream).digest('hex');
}

/** Collections of all generations of a set begin so. */
export const generationsPrefix = ({ name, version }: SetName): string => `${name}_v${version}_g`;

export function collectionSpec(set: SetName, generation: number, projection: Projection<unknown>): CollectionSpec {
  return { name: `${generationsPrefix(set)}${generation}_${projection.name}`, indexes: projection.indexes };
}

/** The generation of a collection that `generationsPrefix` found; null if the name only looks alike. */
export function generationOf(set: SetName, collection: string): number | null {
  const match = /^([1-9][0-9]*)_/.exec(collection.slice(generationsPrefix(set).length));
  return match === null ? null : Number(match[1]);
}
