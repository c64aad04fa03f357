import type { AllStreamSubscription, Filter, Position } from '@eventstore/db-client';
import type { ExpectedRevision } from '../port.js';
import type { ClientLease } from './client-pool.js';
import type { Connection } from './connection-string.js';
import { NoAnswerError } from './failures.js';
import { takePage } from './page.js';
import type { PageSource } from './page.js';
import { exact, positionOf } from './positions.js';
import { rawWireEvent, wireEventOf } from './wire-event.js';
import type { ProposedEvent, Recorded, WireEvent } from './wire-event.js';

export interface AppendAnswer {
  /** Revision of the last event, as the server says. */
  readonly revision: bigint;
  /** Null: a repeated append may be answered without one (stack.md, EventStoreDB row 1). */
  readonly position: bigint | null;
}

export interface StreamPage {
  readonly from: bigint | 'start' | 'end';
  readonly direction: 'forwards' | 'backwards';
  readonly count: number;
  /** Ends the page after this event. */
  readonly until: (event: WireEvent) => boolean;
}

export interface AllPage {
  readonly from: bigint | Position | 'end';
  readonly direction: 'forwards' | 'backwards';
  readonly count: number;
  /** Ends the page after this record. */
  readonly until?: (record: AnyRecord) => boolean;
}

/** A record of `$all`, whoever wrote it. */
export interface AnyRecord {
  readonly position: bigint;
  /** As the server has it: another program's may have been written in a transaction, where several share one commit position. */
  readonly place: Position;
  /** Null for another program's, and for the ledger's own. */
  readonly ours: WireEvent | null;
}

export interface CallLimits {
  readonly appendMs: number;
  readonly readMs: number;
}

/** The calls to the server, one each, with a deadline of our own. What goes wrong comes as the client's error, or NoAnswerError. */
export class Calls {
  constructor(
    private readonly lease: ClientLease,
    private readonly credentials: Connection['appendCredentials'],
    private readonly limits: CallLimits,
    private readonly prefix: string,
    /** Aborts when the store is closed. */
    readonly closing: AbortSignal,
  ) {}

  /** One try of an append. An error other than the server's own refusal says nothing about whether it is stored. */
  async append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendAnswer> {
    const { appendMs } = this.limits;
    const options = { expectedRevision: expected, requiresLeader: true, deadline: appendMs };
    const send = () => this.lease.client.appendToStream(stream, [...events], { ...options, ...this.callCredentials() });
    const answer = await (this.credentials === null ? oneAtATime(() => withDeadline(send(), appendMs)) : withDeadline(send(), appendMs));
    const { nextExpectedRevision, position } = answer;
    return { revision: exact(nextExpectedRevision, 'revision'), position: position === undefined ? null : positionOf(position) };
  }

  /** Events of a stream, by its logical name. From the leader: decisions rest on what is read here. */
  streamPage(stream: string, page: StreamPage, signal: AbortSignal): Promise<readonly WireEvent[]> {
    const { from, direction, count, until } = page;
    const name = this.prefix + stream;
    const source = (): PageSource =>
      this.lease.client.readStream(name, { fromRevision: from, direction, maxCount: count, requiresLeader: true });
    return takePage(source, { silenceMs: this.limits.readMs, signal, keep: (record) => rawWireEvent(record, stream), until });
  }

  /** Records of `$all`: this client can't filter here. From the leader: checkpoints are judged by what is found. */
  allPage(page: AllPage, signal: AbortSignal): Promise<readonly AnyRecord[]> {
    const { from, direction, count, until } = page;
    const fromPosition = typeof from === 'bigint' ? at(from) : from;
    const source = (): PageSource => this.lease.client.readAll({ fromPosition, direction, maxCount: count, requiresLeader: true });
    const keep = (record: Recorded): AnyRecord => {
      const commit = exact(record.position?.commit, 'commit position');
      const prepare = exact(record.position?.prepare, 'prepare position');
      return { position: commit, place: { commit, prepare }, ours: wireEventOf(record, this.prefix) };
    };
    return takePage(source, { silenceMs: this.limits.readMs, signal, keep, ...(until === undefined ? {} : { until }) });
  }

  /** Everything in streams of ours after a position, and whatever comes. */
  subscribe(after: bigint | 'start', onCheckpoint: (position: unknown) => void): AllStreamSubscription {
    const filter: Filter = {
      filterOn: 'streamName',
      prefixes: [this.prefix],
      checkpointInterval: CHECKPOINT_INTERVAL,
      // The client awaits it and has no handler for its failure: it must not throw.
      checkpointReached: (_subscription, { commit }) => {
        onCheckpoint(commit);
      },
    };
    return this.lease.client.subscribeToAll({ fromPosition: after === 'start' ? after : at(after), filter });
  }

  private callCredentials(): { readonly credentials?: { username: string; password: string } } {
    return this.credentials === null ? {} : { credentials: { ...this.credentials } };
  }
}

/** Checkpoints come every so many times 32 records that the server looks through. */
const CHECKPOINT_INTERVAL = 8;

const at = (position: bigint): Position => ({ commit: position, prepare: position });

async function withDeadline<T>(answer: Promise<T>, ms: number): Promise<T> {
  // Whoever has given up no longer hears of it; an answer that comes later must not end the process.
  answer.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new NoAnswerError(ms));
    }, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Batched appends one after the other, over all connections of the process: with one of them on its way, no other's bookkeeping can be
 * hit when the connection breaks, and the client has nothing queued whose rejection nobody hears.
 */
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work, work);
  turn = mine.catch(() => undefined);
  return mine;
}
