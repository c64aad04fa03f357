import { uuidV7, type FingerprintKey } from '@counterfoil/canonical';
import { CURRENT_VERSIONS, DomainError, type Actor, type NewEvent, type Role, type SessionEvent } from '@counterfoil/contracts';
import { WrongExpectedRevisionError, type EventStore } from '@counterfoil/event-store';
import {
  decide,
  EMPTY_DIRECTORY,
  isoTime,
  type Call,
  type SessionCommand,
  type SessionIdentity,
  type SessionState,
  type ToolDirectory,
} from '@counterfoil/session';
import type { KeyRing } from '../keys/key-ring.js';
import type { LedgerObserver } from '../observers.js';
import { appendUntilAnswered, asDomainError, pause } from '../store-answers.js';
import { foldRecorded, readCall } from './fold-recorded.js';
import { observed } from './observed.js';
import { recall } from './recall.js';
import { Serial } from './serial.js';
import { SessionCache, type CachedSession } from './session-cache.js';

export interface SessionRef {
  readonly workspaceId: string;
  readonly sessionId: string;
}

/** Who sends a command and what it says of itself; goes into the metadata of every event that it leads to. */
export interface CommandOrigin {
  readonly actor: Actor;
  /** Of the actor's key; not recorded, but for an attestation (promise 15). */
  readonly roles: readonly Role[];
  readonly occurredAt: string | null;
  readonly correlationId: string | null;
  readonly traceparent: string | null;
}

export interface SessionAnswer<T = unknown> {
  readonly session: SessionIdentity;
  readonly closed: boolean;
  /** The call that was asked for, if one was. */
  readonly call: Call | null;
  /** What the view that was asked for made of the state; null without one. */
  readonly view: T | null;
  readonly revision: bigint;
  readonly position: bigint;
  /** How many events the command added. */
  readonly added: number;
}

/** Names the call to answer with, in the state that the command led to; null for none. Ids that we make up are made with the session's key. */
export type CallOf = (state: SessionState, key: FingerprintKey) => string | null;

/** Makes an answer of the state that the command led to, before another command of the session can change it. */
export type StateView<T> = (state: SessionState) => T;

/** Where the tools and the policy of a workspace are read. */
export interface ToolDirectories {
  /** As they stand now: the registry is read to its end first. */
  directory(workspaceId: string): Promise<ToolDirectory>;
}

export interface RepositoryOptions {
  readonly store: EventStore;
  readonly keys: KeyRing;
  readonly tools: ToolDirectories;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly cachedCalls?: number;
  readonly observer?: LedgerObserver;
}

/** Tries of one command against other writers. */
const TRIES = 12;

/** What these decide rests on the tools and the policy as they are now (promise 11). */
const ASKS_THE_REGISTRY: ReadonlySet<SessionCommand['type']> = new Set([
  'RequestToolCall',
  'DispatchToolCall',
  'GrantApproval',
  'ObserveToolCall',
  'ReportLegacyExecution',
]);

export const sessionStream = (ref: SessionRef): string => `session-${ref.workspaceId}/${ref.sessionId}`;

/**
 * Load, decide, append, and on a conflict read on and decide again (design §4). Commands for one session run one after another in a
 * process; those of other processes are met by the expected revision.
 */
export class SessionRepository {
  private readonly serial = new Serial();
  private readonly cache: SessionCache;
  private readonly now: () => number;

  constructor(private readonly options: RepositoryOptions) {
    this.cache = new SessionCache(options.cachedCalls);
    this.now = options.now ?? Date.now;
  }

  /**
   * Decides a command on a session and appends what it leads to.
   *
   * @param reach throws when the caller may not reach this session; called before anything is decided on an existing one
   * @param callOf the receipt id of the call to answer with
   * @param view makes whatever else is to be answered
   * @throws DomainError: the refusals of `decide`, `contention`, `store_unavailable`, `outcome_unknown`, `event_too_large`
   */
  async handle<T = null>(
    ref: SessionRef,
    command: SessionCommand,
    origin: CommandOrigin,
    reach: (session: SessionIdentity) => void,
    callOf: CallOf,
    view?: StateView<T>,
  ): Promise<SessionAnswer<T>> {
    const stream = sessionStream(ref);
    const answer = this.using(stream, async (cached) => {
      const added = await this.decideAndAppend(stream, cached, ref, command, origin, reach);
      return this.answer(stream, cached, callOf, view, added);
    });
    return observed(this.options.observer, command.type, answer);
  }

  /** The newest state of a session, or of one of its calls. @throws DomainError `not_found`, `store_unavailable` */
  async read<T = null>(
    ref: SessionRef,
    reach: (session: SessionIdentity) => void,
    callOf: CallOf,
    view?: StateView<T>,
  ): Promise<SessionAnswer<T>> {
    const stream = sessionStream(ref);
    return this.using(stream, async (cached) => {
      await this.readOn(stream, cached);
      reach(requireIdentity(cached));
      return this.answer(stream, cached, callOf, view, 0);
    });
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
        throw asDomainError(error);
      }
    });
  }

  private async decideAndAppend(
    stream: string,
    cached: CachedSession,
    ref: SessionRef,
    command: SessionCommand,
    origin: CommandOrigin,
    reach: (session: SessionIdentity) => void,
  ): Promise<number> {
    if (cached.state.identity === null) await this.readOn(stream, cached);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      let events: SessionEvent[];
      try {
        if (cached.state.identity !== null && command.type !== 'OpenSession') reach(cached.state.identity);
        const registry = await this.directoryFor(ref, command);
        await recall(this.options.store, stream, cached.state, command);
        events = this.decideOnce(cached, command, origin, registry);
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

  private async directoryFor(ref: SessionRef, command: SessionCommand): Promise<ToolDirectory> {
    return ASKS_THE_REGISTRY.has(command.type) ? this.options.tools.directory(ref.workspaceId) : EMPTY_DIRECTORY;
  }

  private decideOnce(cached: CachedSession, command: SessionCommand, origin: CommandOrigin, registry: ToolDirectory): SessionEvent[] {
    const { identity } = cached.state;
    const key = identity === null ? this.options.keys.current : this.options.keys.fingerprintKey(identity.fingerprintKeyId);
    const { actor, roles } = origin;
    return decide(cached.state, command, { now: this.now(), principal: actor.principal, key, roles, registry });
  }

  /** False when another writer was faster; the state is then read on. */
  private async append(stream: string, cached: CachedSession, events: readonly NewEvent[]): Promise<boolean> {
    const { revision } = cached.state;
    try {
      const result = await appendUntilAnswered(this.options.store, {
        stream,
        expected: revision < 0 ? 'no_stream' : BigInt(revision),
        events,
      });
      foldRecorded(cached, result.events);
      this.options.observer?.appended(events.map(({ type }) => type));
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      await this.readOn(stream, cached);
      return false;
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

  private async answer<T>(
    stream: string,
    cached: CachedSession,
    callOf: CallOf,
    view: StateView<T> | undefined,
    added: number,
  ): Promise<SessionAnswer<T>> {
    const session = requireIdentity(cached);
    const { state, position } = cached;
    const receiptId = callOf(state, this.options.keys.fingerprintKey(session.fingerprintKeyId));
    const call = receiptId === null ? null : await readCall(this.options.store, stream, state, receiptId);
    return { session, closed: state.closed, call, view: view?.(state) ?? null, revision: BigInt(state.revision), position, added };
  }
}

function requireIdentity(cached: CachedSession): SessionIdentity {
  if (cached.state.identity === null) throw new DomainError('not_found', 'There is no such session.');
  return cached.state.identity;
}
