import { readReached } from './checkpoint.js';
import { readBuilding, readPointer } from './generations.js';
import { ParkedStreams, type ParkedStream } from './parked.js';
import { readPartitions, type PartitionStatus } from './partitioned/partition-status.js';
import { leastOf } from './positions.js';
import type { RebuildProgress } from './rebuild.js';
import type { Settings } from './settings.js';

export type EngineState = 'contending' | 'running' | 'stopped' | 'failed';

/** Why an engine doesn't go on, or went on only after a pause. */
export interface EngineFault {
  readonly code: string;
  readonly message: string;
}

export interface ProjectionStatus {
  readonly set: string;
  readonly version: number;
  readonly state: EngineState;
  readonly generation: number;
  /** Everything up to here is in the active generation. */
  readonly position: bigint;
  readonly head: bigint;
  readonly lagPositions: bigint;
  /** Recorded time of the last event that this engine applied. */
  readonly lastEventAt?: string;
  /** Streams that the active generation doesn't project any more, at most a hundred, and how many there are. */
  readonly parked: readonly ParkedStream[];
  readonly parkedCount: number;
  /** A generation that is being built, by this process or another. */
  readonly rebuild?: { readonly generation: number; readonly position: bigint } | RebuildProgress;
  readonly fault?: EngineFault;
  /** Each partition by itself, where there is more than one; `position` and `lagPositions` are those of the one that is furthest behind. */
  readonly partitions?: readonly PartitionStatus[];
}

/** What an engine knows of itself. */
export interface OwnState {
  readonly state: EngineState;
  readonly lastEventAt: string | null;
  readonly fault: EngineFault | null;
  readonly rebuild: RebuildProgress | null;
}

const MOST_SHOWN = 100;

/** Reads the status of a set: right in every process, whoever runs the engine. */
export async function readStatus(settings: Settings, own: OwnState): Promise<ProjectionStatus> {
  const { docs, events, set } = settings;
  const { generation } = await readPointer(docs, set);
  // The head first: a position that is read later may only make the lag look smaller, never the head look behind.
  const head = await events.head();
  const { position, partitions } = await readPosition(settings, generation, head);
  const parked = await ParkedStreams.load(docs, set, generation, settings.mostParked);
  const rebuild = own.rebuild ?? (await buildingElsewhere(settings));
  return {
    set: set.name,
    version: set.version,
    state: own.state,
    generation,
    position,
    head,
    lagPositions: head > position ? head - position : 0n,
    ...(own.lastEventAt === null ? {} : { lastEventAt: own.lastEventAt }),
    parked: parked.list(MOST_SHOWN),
    parkedCount: parked.count,
    ...(rebuild === null ? {} : { rebuild }),
    ...(own.fault === null ? {} : { fault: own.fault }),
    ...(partitions === null ? {} : { partitions }),
  };
}

async function readPosition(
  settings: Settings,
  generation: number,
  head: bigint,
): Promise<{ readonly position: bigint; readonly partitions: readonly PartitionStatus[] | null }> {
  const { docs, set } = settings;
  if (settings.partitions === 1) return { position: (await readReached(docs, set, generation))?.position ?? 0n, partitions: null };
  const { reached, partitions } = await readPartitions(settings, generation, head);
  return { position: reached === null ? 0n : leastOf(reached).position, partitions };
}

async function buildingElsewhere({ docs, set }: Settings): Promise<{ generation: number; position: bigint } | null> {
  const { generation, state } = await readBuilding(docs, set);
  if (state !== 'building') return null;
  return { generation, position: (await readReached(docs, set, generation))?.position ?? 0n };
}
