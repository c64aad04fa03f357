import type { Metadata } from '@grpc/grpc-js';
import type { Faults, SeenAppend, SeenRead } from './faults.js';
import type { EventLog } from './log.js';
import type { Address } from './messages.js';

/**
 * Which servers' ways it takes where they differ (stack.md, EventStoreDB rows 3 and 6): `23.10` skips the first record at or after the
 * position that a subscription begins at, drops slow consumers and answers an invalid position with an unknown error.
 */
export type Generation = '23.10' | '24.10';

/** What the handlers see of their server. */
export interface TestNode {
  readonly log: EventLog;
  readonly faults: Faults;
  readonly generation: Generation;
  /** Null: this is the leader. */
  leader(): Address | null;
  /** Reads that don't ask for the leader see only so many records: what a node that was demoted still shows. */
  visible(): number;
  /** Breaks the connection that a call came over. */
  drop(call: { getPeer(): string }): void;
  readonly seenAppends: SeenAppend[];
  readonly seenReads: SeenRead[];
  /** Reads and subscriptions that the client hasn't ended, and that haven't ended by themselves. */
  readonly openReads: Set<object>;
  /** Live subscriptions, so that they can be stalled or dropped. */
  readonly subscriptions: Set<LiveSubscription>;
  /** After so long an append that was not replicated is answered with a timeout; 2 s in a real one. */
  readonly writeTimeoutMs: number;
  /** How many records a subscription looks through before a checkpoint, times the interval that the client asks for. */
  readonly searchWindow: number;
  /** Events that may wait for a slow consumer of a live subscription. */
  readonly liveBuffer: number;
  /** Runs later, unless the server is stopped before. */
  later(ms: number, work: () => void): void;
}

export interface LiveSubscription {
  stalled: boolean;
  readonly isLive: boolean;
  /** Looks whether there is something to send. */
  wake(): void;
}

export const asksForLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').includes('true');
