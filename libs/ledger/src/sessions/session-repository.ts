import { uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS, DomainError, type Actor, type NewEvent, type SessionEvent } from '@counterfoil/contracts';
import {
  EventTooLargeError,
  OutcomeUnknownError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
} from '@counterfoil/event-store';
import { decide, isoTime, type Call, type SessionCommand, type SessionIdentity, type SessionState } from '@counterfoil/session';
import type { KeyRing } from '../keys/key-ring.js';
import { foldRecorded, readCall } from './fold-recorded.js';
import { Serial } from './serial.js';
import { SessionChanges } from './session-changes.js';
import { SessionCache, type CachedSession } from './session-cache.js';

export interface SessionRef {
  readonly workspaceId: string;
  readonly sessionId: string;
}

/** Who sends a command and what it says of itself; goes into the metadata of every event that it leads to. */
export interface CommandOrigin {
  readonly actor: Actor;
  readonly occurredAt: string | null;
  readonly correlationId: string | null;
  readonly traceparent: string | null;
}

export interface SessionAnswer {
  readonly session: SessionIdentity;
  readonly closed: boolean;
  /** The call that was asked for, if one was. */
  readonly call: Call | null;
  readonly revision: bigint;
  readonly position: bigint;
  /** How many events the command added. */
  readonly added: number;
}

/** Names the call to answer with, in the state that the command led to; null for none. */
export type CallOf = (state: SessionState) => string | null;

export interface RepositoryOptions {
  readonly store: EventStore;
  readonly keys: KeyRing;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly cachedCalls?: number;
}

/** Tries of one command against other writers, and of one append whose answer was lost. */
const TRIES = 12;
const APPEND_TRIES = 4;

export const sessionStream = (ref: SessionRef): string => `session-${ref.workspaceId}/${ref.sessionId}`;

/**
 * Load, decide, append, and on a conflict read on and decide again (design §4). Commands for one session run one after another in a
 * process; those of other processes are met by the expected revision.
 */
export class SessionRepository {
  private readonly serial = new Serial();
  private readonly cache: SessionCache;
  private readonly now: () => number;
  private readonly changes = new SessionChanges();

  constructor(private readonly options: RepositoryOptions) {
    this.cache = new SessionCache(options.cachedCalls);
    this.now = options.now ?? Date.now;
  }

  /**
   * Decides a command on a session and appends what it leads to.
   *
   * @param reach throws when the caller may not reach this session; called before anything is decided on an existing one
   * @param callOf the receipt id of the call to answer with
   * @throws DomainError: the refusals of `decide`, `contention`, `store_unavailable`, `outcome_unknown`, `event_too_large`
   */
  async handle(
    ref: SessionRef,
    command: SessionCommand,
    origin: CommandOrigin,
    reach: (session: SessionIdentity) => void,
    callOf: CallOf,
  ): Promise<SessionAnswer> {
    const stream = sessionStream(ref);
    return this.using(stream, async (cached) => {
      const added = await this.decideAndAppend(stream, cached, command, origin, reach);
      return this.answer(stream, cached, callOf, added);
    });
  }

  /** The newest state of a session, or of one of its calls. @throws DomainError `not_found`, `store_unavailable` */
  async read(ref: SessionRef, reach: (session: SessionIdentity) => void, callOf: CallOf): Promise<SessionAnswer> {
    const stream = sessionStream(ref);
    return this.using(stream, async (cached) => {
      await this.readOn(stream, cached);
      reach(requireIdentity(cached));
      return this.answer(stream, cached, callOf, 0);
    });
  }

  /** Waits until this process appends to the session, for `ms` at most (others' appends are not seen), or until the signal aborts. */
  async changed(ref: SessionRef, ms: number, signal: AbortSignal): Promise<void> {
    await this.changes.wait(sessionStream(ref), ms, signal);
  }

  private async using<T>(stream: string, task: (cached: CachedSession) => Promise<T>): Promise<T> {
    return this.serial.run(stream, async () => {
      const cached = this.cache.take(stream);
      try {
        const result = await task(cached);
        this.cache.put(stream, cached);
        return result;
      } catch (error) {
        // A refusal leaves the state as good as it was; after anything else it is folded afresh.
        if (error instanceof DomainError) this.cache.put(stream, cached);
        throw toDomainError(error);
      }
    });
  }

  private async decideAndAppend(
    stream: string,
    cached: CachedSession,
    command: SessionCommand,
    origin: CommandOrigin,
    reach: (session: SessionIdentity) => void,
  ): Promise<number> {
    if (cached.state.identity === null) await this.readOn(stream, cached);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      let events: SessionEvent[];
      try {
        if (cached.state.identity !== null && command.type !== 'OpenSession') reach(cached.state.identity);
        await this.recall(stream, cached, command);
        events = this.decideOnce(cached, command, origin);
      } catch (error) {
        // A stale state never answers: what appends nothing is decided at the stream's end (design §4).
        if (error instanceof DomainError && (await this.readOn(stream, cached))) continue;
        throw error;
      }
      if (events.length === 0) {
        if (await this.readOn(stream, cached)) continue;
        return 0;
      }
      if (await this.append(stream, cached, this.toNewEvents(events, origin))) return events.length;
      await pause(attempt);
    }
    throw new DomainError('contention', 'Other writers were faster each time; nothing was recorded.');
  }

  /** A call that ended long ago is compared by its arguments with its tool, which only its own events still name. */
  private async recall(stream: string, cached: CachedSession, command: SessionCommand): Promise<void> {
    if (command.type !== 'DispatchToolCall' || !('arguments' in command.named)) return;
    if (cached.state.ended.get(command.receiptId) !== null) await readCall(this.options.store, stream, cached.state, command.receiptId);
  }

  private decideOnce(cached: CachedSession, command: SessionCommand, origin: CommandOrigin): SessionEvent[] {
    const { identity } = cached.state;
    const key = identity === null ? this.options.keys.current : this.options.keys.fingerprintKey(identity.fingerprintKeyId);
    return decide(cached.state, command, { now: this.now(), principal: origin.actor.principal, key });
  }

  /** False when another writer was faster; the state is then read on. */
  private async append(stream: string, cached: CachedSession, events: readonly NewEvent[]): Promise<boolean> {
    const { revision } = cached.state;
    try {
      const result = await this.appendUntilAnswered({ stream, expected: revision < 0 ? 'no_stream' : BigInt(revision), events });
      foldRecorded(cached, result.events);
      this.changes.tell(stream);
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      await this.readOn(stream, cached);
      return false;
    }
  }

  /** An append whose answer was lost is sent again, with the same ids, until the store answers (design §4). */
  private async appendUntilAnswered(request: Parameters<EventStore['append']>[0]): Promise<AppendResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.options.store.append(request);
      } catch (error) {
        if (!(error instanceof OutcomeUnknownError) || attempt >= APPEND_TRIES) throw error;
        await pause(attempt);
      }
    }
  }

  private toNewEvents(events: readonly SessionEvent[], origin: CommandOrigin): NewEvent[] {
    const now = this.now();
    const { actor, occurredAt, correlationId, traceparent } = origin;
    return events.map(({ type, data }) => ({
      id: uuidV7(now),
      type,
      version: CURRENT_VERSIONS[type],
      data,
      metadata: { recordedAt: isoTime(now), occurredAt, actor, correlationId, causationId: null, traceparent },
    }));
  }

  /** Folds what was appended since; true if there was anything. */
  private async readOn(stream: string, cached: CachedSession): Promise<boolean> {
    const before = cached.state.revision;
    for await (const event of this.options.store.readStream(stream, { from: BigInt(before + 1) })) foldRecorded(cached, [event]);
    return cached.state.revision > before;
  }

  private async answer(stream: string, cached: CachedSession, callOf: CallOf, added: number): Promise<SessionAnswer> {
    const session = requireIdentity(cached);
    const receiptId = callOf(cached.state);
    const call = receiptId === null ? null : await readCall(this.options.store, stream, cached.state, receiptId);
    return { session, closed: cached.state.closed, call, revision: BigInt(cached.state.revision), position: cached.position, added };
  }
}

function requireIdentity(cached: CachedSession): SessionIdentity {
  if (cached.state.identity === null) throw new DomainError('not_found', 'There is no such session.');
  return cached.state.identity;
}

function toDomainError(error: unknown): unknown {
  if (error instanceof OutcomeUnknownError) return new DomainError('outcome_unknown', 'The store did not say whether it recorded this.');
  if (error instanceof StoreUnavailableError)
    return new DomainError('store_unavailable', 'The store cannot be reached; nothing was recorded.');
  if (error instanceof EventTooLargeError) return new DomainError('event_too_large', error.message);
  return error;
}

/** Backs off with jitter: up to 2, 4, 8 … 64 ms. */
async function pause(attempt: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(64, 2 ** (attempt + 1))));
}
