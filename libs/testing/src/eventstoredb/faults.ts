import type { AppendOutcome } from './log.js';

/**
 * What goes wrong with an append:
 * - `drop_before`, `drop_after`: the connection breaks before, or after, it is applied
 * - `lose_answer`: applied, and never answered
 * - `late`: not answered, and applied only after `ms` (stack.md, EventStoreDB row 2)
 * - `drop_late`: the connection breaks, and it is applied only after `ms`
 * - `not_ready`: not applied; the server's own timeout answers after `ms`
 * - `delay`: applied at once, answered after `ms`
 * - `not_leader`: refused with the address of the leader
 * - `no_position`: applied, and answered without a position (row 1)
 * - `odd_revision`: applied, and answered with a revision that can't be
 * - `cancelled`, `unavailable`: applied, and answered with that gRPC status
 * - `denied`: refused
 * - `answer_twice`: applied once, answered twice
 */
export type AppendFaultKind =
  | 'drop_before'
  | 'drop_after'
  | 'lose_answer'
  | 'late'
  | 'drop_late'
  | 'not_ready'
  | 'delay'
  | 'not_leader'
  | 'no_position'
  | 'odd_revision'
  | 'cancelled'
  | 'unavailable'
  | 'denied'
  | 'answer_twice';

export interface AppendFault {
  readonly kind: AppendFaultKind;
  readonly ms?: number;
}

/** What goes wrong with a read or a subscription at its begin; `stall`: it is never answered; `none`: nothing, in its turn. */
export type ReadFault = 'drop' | 'stall' | 'not_leader' | 'denied' | 'unavailable' | 'none';

/** An append as the server got it. */
export interface SeenAppend {
  readonly rpc: 'Append' | 'BatchAppend';
  readonly stream: string;
  readonly expected: string;
  readonly ids: readonly string[];
  /** Data and metadata of all its events, as sent. */
  readonly content: string;
  readonly requiresLeader: boolean;
  /** Whether the call gave up by itself after a time. */
  readonly hasDeadline: boolean;
  /** What was done about it. */
  fault: AppendFaultKind | null;
  /** What the log made of it; null as long as it wasn't applied. */
  outcome: AppendOutcome['kind'] | null;
}

/** A read as the server got it. */
export interface SeenRead {
  readonly of: 'stream' | 'all' | 'subscription';
  readonly requiresLeader: boolean;
  readonly maxCount: bigint;
  /** A revision or commit position, `start` or `end`. */
  readonly from: string;
}

/** The switches of a test server. All are off in a new one. */
export class Faults {
  /** A subscription sends each event twice. */
  repeatEvents = false;
  noCaughtUp = false;
  noCheckpoints = false;
  /** Decides about each append for which no fault was queued. */
  decide: ((append: SeenAppend) => AppendFault | AppendFaultKind | null) | null = null;
  private readonly appends: AppendFault[] = [];
  private readonly reads: ReadFault[] = [];

  /** The next appends go wrong in these ways, one each. */
  nextAppends(...faults: readonly (AppendFault | AppendFaultKind)[]): void {
    this.appends.push(...faults.map(faultOf));
  }

  /** The next reads and subscriptions go wrong in these ways, one each. */
  nextReads(...faults: readonly ReadFault[]): void {
    this.reads.push(...faults);
  }

  /** All switches off again. */
  reset(): void {
    this.repeatEvents = false;
    this.noCaughtUp = false;
    this.noCheckpoints = false;
    this.decide = null;
    this.appends.length = 0;
    this.reads.length = 0;
  }

  forAppend(append: SeenAppend): AppendFault | null {
    const decided = this.appends.shift() ?? this.decide?.(append) ?? null;
    const fault = decided === null ? null : faultOf(decided);
    append.fault = fault?.kind ?? null;
    return fault;
  }

  forRead(): ReadFault | null {
    return this.reads.shift() ?? null;
  }
}

const faultOf = (fault: AppendFault | AppendFaultKind): AppendFault => (typeof fault === 'string' ? { kind: fault } : fault);
