import type { ControlDocument } from '@counterfoil/read-models';
import { partitionKey, slotKey } from '../names.js';
import { checkpointKeys, positionsOf, type Positions } from '../positions.js';
import type { Settings } from '../settings.js';
import { claimOf } from './ownership.js';
import { stateOf } from './slots.js';

/** One partition: who has it, and how far it is. */
export interface PartitionStatus {
  readonly partition: number;
  /** The slot and the name of the process that has it; null while nobody does. Who died is named until another has noticed it. */
  readonly owner: { readonly slot: number; readonly name: string } | null;
  /** Everything of its streams up to here is in the active generation. */
  readonly position: bigint;
  readonly lagPositions: bigint;
}

/** Where all partitions of a generation are, and who has them. */
export interface PartitionsRead {
  readonly reached: Positions | null;
  readonly partitions: readonly PartitionStatus[];
}

/**
 * Reads who has which partition and how far each is, in one round trip where the store can.
 * @param head of the event store, read before
 * @throws PartitionCountError
 */
export async function readPartitions({ docs, set, partitions }: Settings, generation: number, head: bigint): Promise<PartitionsRead> {
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const found = await docs.controls([
    ...checkpointKeys(set, generation, all),
    ...all.map((partition) => partitionKey(set, partition)),
    ...all.map((slot) => slotKey(set, slot)),
  ]);
  const reached = positionsOf(found, set, generation, partitions);
  return {
    reached,
    partitions: all.map((partition) => {
      const position = reached?.positions[partition] ?? 0n;
      const claim = found.get(partitionKey(set, partition));
      const owner = claim === undefined ? null : ownerOf(claim, (slot) => found.get(slotKey(set, slot)));
      return { partition, owner, position, lagPositions: head > position ? head - position : 0n };
    }),
  };
}

function ownerOf(document: ControlDocument, slotOf: (slot: number) => ControlDocument | undefined): PartitionStatus['owner'] {
  const { slot, slotEpoch } = claimOf(document);
  const held = slot === null ? undefined : slotOf(slot);
  if (slot === null || held === undefined) return null;
  const { owner, epoch, isHeld } = stateOf(held);
  return isHeld && epoch === slotEpoch ? { slot, name: owner } : null;
}
