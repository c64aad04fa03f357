import { createHash } from 'node:crypto';
import type { CollectionSpec, Projection, ProjectionSet } from '@counterfoil/read-models';

/** A set at one version: what names need. */
export type SetName = Pick<ProjectionSet, 'name' | 'version'>;

const place = ({ name, version }: SetName): string => `${name}/v${version}`;

/** Which generation queries read: the one document that a switch writes (design §5, Ports). */
export const pointerKey = (set: SetName): string => `set/${place(set)}`;
export const checkpointKey = (set: SetName, generation: number): string => `checkpoint/${place(set)}/g${generation}`;
/** How far one partition of a generation is; until somebody has had the partition, the generation's own checkpoint holds for it. */
export const partitionCheckpointKey = (set: SetName, generation: number, partition: number): string =>
  `${checkpointKey(set, generation)}/p${partition}`;
/** A place among the processes that share a set's partitions; held by lease. */
export const slotKey = (set: SetName, slot: number): string => `slot/${place(set)}/${slot}`;
/** Which slot has a partition. */
export const partitionKey = (set: SetName, partition: number): string => `partition/${place(set)}/${partition}`;
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

/**
 * The partition of a stream: the first byte of the SHA-256 of its logical name, modulo their number. Fixed, since checkpoints rest on it.
 * @param partitions 1 to 256
 */
export function partitionOf(stream: string, partitions: number): number {
  if (partitions === 1) return 0;
  return (createHash('sha256').update(stream).digest()[0] ?? 0) % partitions;
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
