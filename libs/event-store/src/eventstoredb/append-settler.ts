import { Backoff } from '../backoff.js';
import { EventTooLargeError, StoreUnavailableError, StreamIntegrityError, WrongExpectedRevisionError } from '../errors.js';
import type { ExpectedRevision } from '../port.js';
import type { AppendAnswer, Calls } from './calls.js';
import { actualVersionOf, failureOf, labelOf, outcomeUnknown } from './failures.js';
import type { Timing } from './options.js';
import { exact } from './positions.js';
import type { ProposedEvent } from './wire-event.js';

/** An append as it goes over the wire: the same again at each try. */
export interface WireAppend {
  /** Logical name. */
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
}

export interface Settled extends AppendAnswer {
  /** Whether an earlier try may have been the one that was stored. */
  readonly resent: boolean;
}

export interface SettlerParts {
  readonly calls: Calls;
  readonly prefix: string;
  readonly timing: Pick<Timing, 'settleMs' | 'firstPauseMs' | 'longestPauseMs'>;
  /** Whether these ids stand in the stream after the expected revision. */
  readonly isStored: (append: WireAppend) => Promise<boolean>;
  readonly onPassing: (error: unknown) => void;
  /** Aborts when the store is about to be closed: what is on its way may still be answered, and is not sent again. */
  readonly stopping: AbortSignal;
}

/**
 * Sends an append until the server says what became of it. No answer proves nothing, and neither does finding nothing: it may land later
 * (stack.md, EventStoreDB row 2). The same event ids at the same revision are stored once, however often they are sent (row 1).
 */
export class AppendSettler {
  constructor(private readonly parts: SettlerParts) {}

  /**
   * @throws WrongExpectedRevisionError, EventTooLargeError, StreamIntegrityError: the server refused it, and it is not stored
   * @throws StoreUnavailableError: it was never sent to where it could be stored
   * @throws OutcomeUnknownError when the time is over, or the store is closed, with a try that got no answer
   */
  async settle(append: WireAppend): Promise<Settled> {
    const { calls, prefix, timing, stopping } = this.parts;
    const until = performance.now() + timing.settleMs;
    const backoff = new Backoff(timing.firstPauseMs, timing.longestPauseMs);
    let unanswered: { readonly error: unknown } | null = null;
    for (;;) {
      try {
        const answer = await calls.append(prefix + append.stream, append.expected, append.events);
        return { ...answer, resent: unanswered !== null };
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'conflict') return await this.conflict(append, error, unanswered !== null);
        if (failure !== 'not_leader') unanswered = await this.refusedOr(append, error, unanswered);
        this.parts.onPassing(error);
        if (performance.now() >= until || stopping.aborted) throw gaveUp(unanswered, error);
      }
      await backoff.pause(stopping);
    }
  }

  /** A conflict with our own earlier try is none, should a server not see that by itself. */
  private async conflict(append: WireAppend, error: unknown, resent: boolean): Promise<Settled> {
    if (resent && (await this.isStored(append))) return { revision: lastRevision(append), position: null, resent };
    const actual = actualVersionOf(error);
    throw new WrongExpectedRevisionError(append.stream, actual === 'no_stream' ? null : exact(actual, 'revision'));
  }

  private async isStored(append: WireAppend): Promise<boolean> {
    try {
      return await this.parts.isStored(append);
    } catch (error) {
      throw outcomeUnknown(error);
    }
  }

  /** After a try with no answer not even a refusal says that nothing is stored. */
  private async refusedOr(
    append: WireAppend,
    error: unknown,
    unanswered: { readonly error: unknown } | null,
  ): Promise<{ readonly error: unknown }> {
    const failure = failureOf(error);
    if (failure === 'passing' || failure === 'not_found') return { error };
    if (unanswered !== null) throw outcomeUnknown(unanswered.error);
    if (failure === 'too_large') throw new EventTooLargeError('the event store is set up to take less than an append may hold');
    if (failure === 'deleted') throw new StreamIntegrityError(append.stream, 'it was deleted for good');
    throw new StoreUnavailableError(`the event store refuses the append (${labelOf(error)})`, { cause: error });
  }
}

/** The revision of the last event, if the append is stored where it belongs. */
export const lastRevision = (append: Pick<WireAppend, 'expected'> & { readonly events: { readonly length: number } }): bigint =>
  (append.expected === 'no_stream' ? -1n : append.expected) + BigInt(append.events.length);

function gaveUp(unanswered: { readonly error: unknown } | null, last: unknown): Error {
  if (unanswered !== null) return outcomeUnknown(unanswered.error);
  return new StoreUnavailableError(`no leader of the event store took the append (${labelOf(last)})`, { cause: last });
}
