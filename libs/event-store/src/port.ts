import type { NewEvent, RecordedEvent, StoredEvent } from '@counterfoil/contracts';

/**
 * What an append expects of its stream: `no_stream`, or the revision of its last event. There is no "any": every stream of ours is
 * decided upon a known state.
 */
export type ExpectedRevision = 'no_stream' | bigint;

export interface AppendRequest {
  /** Logical stream name, for example `session-default/s1`. */
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** At least one; all or none are stored. Event ids are the caller's, and make a retry of the same append recognisable. */
  readonly events: readonly NewEvent[];
}

export interface AppendResult {
  /** Revision of the last event appended. */
  readonly revision: bigint;
  /** Global position of the last event appended. */
  readonly position: bigint;
  /** True when the store already held exactly these event ids at this place: a retry, nothing was added. */
  readonly repeated: boolean;
  /** The events as stored, upcast to current: in order, so that a caller can fold them. */
  readonly events: readonly RecordedEvent[];
}

export interface ReadStreamOptions {
  /** First revision wanted (inclusive); default 0 forwards, the end backwards. */
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  /** At most so many stored events. */
  readonly limit?: number;
}

export interface StreamHead {
  readonly revision: bigint;
  readonly position: bigint;
  readonly hash: string;
}

/** A stored event that can't be upcast: delivered beside the others, so that one poison event stops nobody else's (promise 27). */
export interface UnreadableEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly reason: string;
}

/** A batch of a subscription: every stored event after the last batch, in order of position. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** Everything up to here was delivered (of ours or not): what a checkpoint stores. */
  readonly position: bigint;
  /** True when the batch ended at the head of the store. */
  readonly caughtUp: boolean;
}

export interface SubscribeOptions {
  /** Position of the last event that was handled; null from the beginning. */
  readonly after: bigint | null;
  readonly batchSize?: number;
  readonly signal: AbortSignal;
}

/**
 * The port to the log of events (design §5, Ports). All reads give events upcast to their current version by the one registry that
 * the adapter was made with (promise 25); only `readStored` gives them as they stand, for `verify` and copies.
 * Positions grow with commit order and are never reused; a reader that has seen position p never later sees a smaller one appear.
 */
export interface EventStore {
  /** Drawn when the store was created, restored or copied; the first half of every position token. `[a-z0-9]{1,32}`. */
  readonly epoch: string;
  /** @throws WrongExpectedRevisionError, StoreUnavailableError (nothing stored), OutcomeUnknownError (may be stored), EventTooLargeError */
  append(request: AppendRequest): Promise<AppendResult>;
  /** @throws UpcastError when an event of the stream can't be read. A stream that doesn't exist has no events. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;
  /** The last event's revision, position and hash; null for a stream that doesn't exist. Reads the newest state, never a cache. */
  streamHead(stream: string): Promise<StreamHead | null>;
  /** All events after a position, upcast, in order; ends at the head. */
  readAll(after: bigint | null, options?: { readonly batchSize?: number }): AsyncIterable<EventBatch>;
  /** As readAll, and then waits for more until the signal aborts. Wakes at once on appends of this process, polls for others'. */
  subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch>;
  /** Stored events as they stand, in order of position, or of one stream. */
  readStored(after: bigint | null, options?: { readonly stream?: string; readonly limit?: number }): AsyncIterable<StoredEvent>;
  /** Position of the newest event; 0n when there is none (positions begin at 1). */
  head(): Promise<bigint>;
  /** Calls back after each commit that this process makes or sees; returns an unsubscribe function. */
  onAppended(listener: (position: bigint) => void): () => void;
  close(): Promise<void>;
}
