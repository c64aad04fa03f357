import { randomUUID } from 'node:crypto';
import type { EventStore } from '@counterfoil/event-store';
import type { DocumentStore, ProjectionSet } from '@counterfoil/read-models';
import { monotonic, type Monotonic } from './timing.js';

/** What an engine and a rebuild are given. All times are in milliseconds. */
export interface ProjectionOptions {
  readonly events: EventStore;
  readonly docs: DocumentStore;
  readonly set: ProjectionSet;
  /**
   * Over so many partitions the streams of the set are spread, each projected by one process at a time; 1 to 256. Every process of a set
   * version must be given the same number. Default 1: one process projects everything.
   */
  readonly partitions?: number;
  /** Stored events per batch; default 500. */
  readonly batchSize?: number;
  /** How long a lease holds without a beat; default 3000. A killed owner is replaced after it. */
  readonly leaseMs?: number;
  /** How long an old generation is kept after a switch; default five minutes. */
  readonly graceMs?: number;
  /** How long an engine believes that nothing was appended, while the head says otherwise, before it subscribes anew; default 30000. */
  readonly stallMs?: number;
  /** With more parked streams than this the engine fails, since then the fault is in the program; default 10000. */
  readonly mostParked?: number;
  /** The pause after the first failure; doubled with each further one. Default 100. */
  readonly retryMs?: number;
  readonly clock?: Monotonic;
  /** Wall clock, milliseconds since 1970; only the grace period uses it. */
  readonly now?: () => number;
}

export interface Settings extends Required<ProjectionOptions> {
  /** Names this engine or rebuild in leases. */
  readonly owner: string;
}

/** @throws RangeError for a number of partitions that there can't be */
export function settingsOf(options: ProjectionOptions): Settings {
  const { events, docs, set, partitions = 1 } = options;
  return {
    events,
    docs,
    set,
    partitions: checkedPartitions(partitions),
    batchSize: options.batchSize ?? 500,
    leaseMs: options.leaseMs ?? 3000,
    graceMs: options.graceMs ?? 300_000,
    stallMs: options.stallMs ?? 30_000,
    mostParked: options.mostParked ?? 10_000,
    retryMs: options.retryMs ?? 100,
    clock: options.clock ?? monotonic,
    now: options.now ?? (() => Date.now()),
    owner: `${process.pid}-${randomUUID()}`,
  };
}

const MOST_PARTITIONS = 256;

/** @throws RangeError */
export function checkedPartitions(partitions: number): number {
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= MOST_PARTITIONS) return partitions;
  throw new RangeError(`there can be 1 to ${MOST_PARTITIONS} partitions`);
}

/** Time between beats: often enough to keep the lease through a few failures, and to notice a switch within a second. */
export function beatMs({ leaseMs }: Settings): number {
  return Math.min(500, Math.ceil(leaseMs / 4));
}

/** Id of the event at which a batch ends, if that event could be read. */
export function lastEventId(batch: {
  readonly events: readonly { position: bigint; id: string }[];
  readonly position: bigint;
}): string | null {
  const last = batch.events.at(-1);
  return last?.position === batch.position ? last.id : null;
}
