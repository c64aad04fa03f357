import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { reachedOf, readReached, type Reached } from './checkpoint.js';
import { PartitionCountError } from './errors.js';
import { checkpointKey, partitionCheckpointKey, type SetName } from './names.js';

/** How far a generation is, by partition. */
export interface Positions {
  readonly positions: readonly bigint[];
  /** Epoch of the event store that the positions belong to. */
  readonly epoch: string;
}

/** The keys of all checkpoints of a generation: its own, and those of these partitions. */
export function checkpointKeys(set: SetName, generation: number, partitions: Iterable<number>): readonly string[] {
  return [checkpointKey(set, generation), ...Array.from(partitions, (partition) => partitionCheckpointKey(set, generation, partition))];
}

/**
 * From where a partition is gone on with: its checkpoint, or that of its generation, which a rebuild wrote, when that is further.
 * @param found by key
 * @throws PartitionCountError
 */
export function latestOf(
  found: ReadonlyMap<string, ControlDocument>,
  set: SetName,
  generation: number,
  partition: number,
  partitions: number,
): ControlDocument | null {
  const own = found.get(partitionCheckpointKey(set, generation, partition)) ?? null;
  const base = found.get(checkpointKey(set, generation)) ?? null;
  if (own === null) return base;
  if (own.value.partitions !== partitions) throw new PartitionCountError(Number(own.value.partitions), partitions);
  const isBaseFurther = base !== null && base.value.epoch === own.value.epoch && reachedOf(base).position > reachedOf(own).position;
  return isBaseFurther ? base : own;
}

/**
 * Reads how far a generation is; null when nobody has begun it.
 * @throws PartitionCountError when it is cut by another number
 */
export async function readPositions(docs: DocumentStore, set: SetName, generation: number, partitions: number): Promise<Positions | null> {
  if (partitions === 1) {
    const reached = await readReached(docs, set, generation);
    return reached === null ? null : { positions: [reached.position], epoch: reached.epoch };
  }
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const found = await docs.controls(checkpointKeys(set, generation, all));
  return positionsOf(found, set, generation, partitions);
}

/** As readPositions, of documents that were read. */
export function positionsOf(
  found: ReadonlyMap<string, ControlDocument>,
  set: SetName,
  generation: number,
  partitions: number,
): Positions | null {
  const latest = Array.from({ length: partitions }, (_, partition) => latestOf(found, set, generation, partition, partitions));
  const begun = latest.find((document) => document !== null) ?? null;
  if (begun === null) return null;
  const positions = latest.map((document) => (document === null ? 0n : reachedOf(document).position));
  return { positions, epoch: reachedOf(begun).epoch };
}

/** Everything up to here is in all partitions. */
export function leastOf({ positions, epoch }: Positions): Reached {
  return { position: positions.reduce((least, position) => (position < least ? position : least)), epoch };
}
