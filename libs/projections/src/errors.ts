import { CheckpointAheadOfStoreError } from '@counterfoil/event-store';
import { CollectionSpecMismatchError, InvalidCollectionSpecError } from '@counterfoil/read-models';

/** A read that was to see a position would have waited too long (promise 28). Ask again. */
export class ProjectionLaggingError extends Error {
  readonly code = 'projection_lagging';
  constructor(
    readonly wanted: bigint,
    readonly reached: bigint,
  ) {
    super(`the read models have reached position ${reached.toString()}, not yet ${wanted.toString()}`);
    this.name = 'ProjectionLaggingError';
  }
}

/** A read was to see a position of a stream that isn't projected any more, since one of its events can't be (promises 27, 28). */
export class StreamParkedError extends Error {
  readonly code = 'stream_parked';
  constructor(
    readonly stream: string,
    /** Of the event that can't be projected. */
    readonly position: bigint,
  ) {
    super(`the stream is parked since position ${position.toString()}`);
    this.name = 'StreamParkedError';
  }
}

/**
 * The read models were made from another history than the store holds: a store that was restored or replaced, or one with fewer
 * events. Nothing goes on by itself; a rebuild makes them anew.
 */
export class CheckpointAheadError extends Error {
  readonly code = 'checkpoint_ahead_of_store';
  constructor(detail: string) {
    super(`${detail}; rebuild the read models`);
    this.name = 'CheckpointAheadError';
  }
}

/** A generation's partitions were cut by another number than this process was given. A rebuild cuts them anew. */
export class PartitionCountError extends Error {
  readonly code = 'partition_count_mismatch';
  constructor(
    readonly found: number,
    readonly given: number,
  ) {
    super(`the read models are in ${found} partitions, not in ${given}; give every process the same number, or rebuild the read models`);
    this.name = 'PartitionCountError';
  }
}

/** Another process took the lease over. What this one was doing is fenced off. */
export class LeaseLostError extends Error {
  readonly code = 'lease_lost';
  constructor(readonly lease: string) {
    super(`the lease ${lease} was taken over`);
    this.name = 'LeaseLostError';
  }
}

/** Somebody is rebuilding this set already. */
export class RebuildInProgressError extends Error {
  readonly code = 'rebuild_in_progress';
  constructor() {
    super('another process is rebuilding this projection set');
    this.name = 'RebuildInProgressError';
  }
}

/** Other processes kept writing the same documents: a retryable fault. */
export class ProjectionConflictError extends Error {
  readonly code = 'projection_conflicts';
  constructor(readonly attempts: number) {
    super(`documents were written by others in each of ${attempts} attempts`);
    this.name = 'ProjectionConflictError';
  }
}

/** So many streams can't be projected that the fault must be in the program, not in the streams. */
export class TooManyParkedError extends Error {
  readonly code = 'too_many_parked_streams';
  constructor(readonly count: number) {
    super(`${count} streams are parked; this is a fault of the projections`);
    this.name = 'TooManyParkedError';
  }
}

/** Where an event that can't be projected stands, and why: codes and names only, never content (promise 27). */
export interface Poison {
  readonly stream: string;
  readonly position: bigint;
  readonly type: string;
  /** `unreadable`, or the code or name of the error that a projection threw. */
  readonly reason: string;
  /** Name of the projection; null where the event itself is unreadable. */
  readonly projection: string | null;
  /** What the event store says of an unreadable event; never its data. */
  readonly detail: string | null;
}

/** A rebuild met an event that can't be projected. The live generation stands as it was. */
export class RebuildError extends Error {
  readonly code = 'rebuild_failed';
  constructor(readonly poison: Poison) {
    const { position, type, stream, reason, projection, detail } = poison;
    const by = projection === null ? '' : ` in projection ${projection}`;
    super(
      `position ${position.toString()}, type ${type}, stream ${stream}${by}: ${reason}${detail === null ? '' : ` (${detail})`}. ` +
        'The live read models are unchanged.',
    );
    this.name = 'RebuildError';
  }
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The code of an error, else its name: what may be kept and shown of an error whose message could quote a payload. */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'error';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && NAME.test(code)) return code;
  const name = 'name' in error ? error.name : undefined;
  return typeof name === 'string' && NAME.test(name) ? name : 'error';
}

/** What no second try can mend. The messages of these errors are ours, and hold no payload. */
export function isFatal(error: unknown): error is Error {
  const kinds = [
    CheckpointAheadError,
    CheckpointAheadOfStoreError,
    TooManyParkedError,
    PartitionCountError,
    CollectionSpecMismatchError,
    InvalidCollectionSpecError,
  ];
  return kinds.some((kind) => error instanceof kind);
}
