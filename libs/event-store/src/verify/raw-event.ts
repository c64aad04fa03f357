/** An event as its store holds it, in text: what a chain is verified on. Only the position is certain to be what it should. */
export interface RawEvent {
  readonly position: bigint;
  readonly stream: unknown;
  readonly revision: unknown;
  readonly id: unknown;
  readonly type: unknown;
  readonly version: unknown;
  /** RFC 8785 text, if nobody touched it. */
  readonly data: unknown;
  /** RFC 8785 text with `integrity.prev` and without `integrity.hash`. */
  readonly metadata: unknown;
  readonly hash: unknown;
}

/** The end of a chain as far as it is known. */
export interface ChainLink {
  readonly revision: bigint;
  readonly hash: string;
}

/** What a store must give to be verified. */
export interface VerifiableStore {
  /** True where each position from 1 on is given to one event, so that a hole is a loss. */
  readonly densePositions: boolean;
  /** Everything after a position, in order of position, in pages that fit into memory. Ends at the head. */
  readRaw(after: bigint | null): AsyncIterable<readonly RawEvent[]>;
  /** The newest link of a stream at or before a position, or null. */
  linkAt(stream: string, position: bigint): Promise<ChainLink | null>;
  /** Newest position that an event has, and newest that was ever given out (the same where a store doesn't know): 0n for none. */
  extent(): Promise<{ readonly newest: bigint; readonly issued: bigint }>;
}
