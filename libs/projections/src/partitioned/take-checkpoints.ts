import type { ControlDocument } from '@counterfoil/read-models';
import { assertNotFenced, assertOfStore, Checkpoint, type Takeover } from '../checkpoint.js';
import { partitionCheckpointKey } from '../names.js';
import { checkpointKeys, latestOf } from '../positions.js';
import type { Settings } from '../settings.js';
import { allOf } from '../timing.js';

/**
 * Takes the checkpoints of partitions over, each with a write under the epoch at which its partition was taken. One that nobody has had in
 * this generation yet begins where the generation's own does, which a rebuild wrote.
 * @param epochs by partition
 * @throws LeaseLostError when a later owner has one; CheckpointAheadError when one doesn't belong to what the event store holds;
 * PartitionCountError
 */
export async function takeCheckpoints(
  settings: Settings,
  generation: number,
  epochs: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, Checkpoint>> {
  const { docs, events, partitions } = settings;
  const taken = new Map<number, Checkpoint>();
  for (let left = new Map(epochs); left.size > 0; left = new Map([...left].filter(([partition]) => !taken.has(partition)))) {
    const takeovers = await readTakeovers(settings, generation, left);
    await allOf(
      [...takeovers].map(async ([partition, takeover]) => {
        const fence = { by: 'live', epoch: left.get(partition) ?? 0, partitions } as const;
        const checkpoint = await Checkpoint.claim(docs, events.epoch, takeover, fence);
        if (checkpoint !== null) taken.set(partition, checkpoint);
      }),
    );
  }
  return taken;
}

async function readTakeovers(
  settings: Settings,
  generation: number,
  epochs: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, Takeover>> {
  const { docs, set, partitions } = settings;
  const documents = await docs.controls(checkpointKeys(set, generation, epochs.keys()));
  const takeovers = new Map<number, Takeover>();
  for (const [partition, epoch] of epochs) {
    const key = partitionCheckpointKey(set, generation, partition);
    const found = documents.get(key) ?? null;
    if (found !== null) assertNotFenced(found, { by: 'live', epoch });
    takeovers.set(partition, { key, found, from: latestOf(documents, set, generation, partition, partitions) });
  }
  await assertAllOfStore(
    [...takeovers.values()].map(({ from }) => from),
    settings,
  );
  return takeovers;
}

/** Most of them stand at the same event: each is asked about once. */
async function assertAllOfStore(checkpoints: readonly (ControlDocument | null)[], { events }: Settings): Promise<void> {
  const distinct = new Map<string, ControlDocument>();
  for (const checkpoint of checkpoints) {
    if (checkpoint === null) continue;
    const { epoch, position, eventId } = checkpoint.value;
    distinct.set(JSON.stringify([epoch, position, eventId]), checkpoint);
  }
  for (const checkpoint of distinct.values()) await assertOfStore(checkpoint, events);
}
