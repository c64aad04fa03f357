import { Inject, Injectable } from '@nestjs/common';
import { DomainError, SessionId, type AccessScope, type CallAnswer, type SessionDocument } from '@counterfoil/contracts';
import {
  LEDGER,
  reachesUser,
  type CallOf,
  type CommandOrigin,
  type Ledger,
  type SessionAnswer,
  type SessionRef,
  type StateView,
} from '@counterfoil/ledger';
import { callView, nextFor, type SessionCommand, type SessionIdentity } from '@counterfoil/session';

/** What a session command answers: the session as it is now. */
export interface OpenedAnswer {
  readonly session: Pick<SessionDocument, 'sessionId' | 'userId' | 'agent' | 'parent' | 'state'>;
  readonly revision: string;
  readonly position: string;
}

/** What a command about plans, tasks or evidence leads to. */
export interface StateAnswer<T> {
  readonly view: T;
  readonly revision: string;
  readonly position: string;
  readonly added: number;
}

/** Where handlers meet the session repository: scope goes in, answers in the API's shape come out. */
@Injectable()
export class SessionDesk {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /** Handles a command about one call and answers with the call. @throws DomainError */
  async onCall(
    scope: AccessScope,
    origin: CommandOrigin,
    sessionId: string,
    command: SessionCommand,
    callOf: CallOf,
  ): Promise<CallAnswer & { readonly added: number }> {
    const answer = await this.ledger.sessions.handle(this.refOf(scope, sessionId), command, origin, reachOf(scope, command), callOf);
    // What was approved is not what the runner asked for: it is told what to run with (promise 8).
    const amended = command.type === 'DispatchToolCall' && answer.call?.revisions.dispatched != null ? answer.call.amendedArguments : null;
    return { ...this.toCallAnswer(answer), ...(amended === null ? {} : { amendedArguments: amended }), added: answer.added };
  }

  /** Handles a command about the session itself. @throws DomainError */
  async onSession(
    scope: AccessScope,
    origin: CommandOrigin,
    sessionId: string,
    command: SessionCommand,
  ): Promise<OpenedAnswer & { readonly added: number }> {
    const answer = await this.ledger.sessions.handle(this.refOf(scope, sessionId), command, origin, reachOf(scope, command), () => null);
    return { ...this.toSessionAnswer(answer), added: answer.added };
  }

  /** Handles a command about plans, tasks or evidence and answers with what `view` makes of the state. @throws DomainError */
  async onState<T>(
    scope: AccessScope,
    origin: CommandOrigin,
    sessionId: string,
    command: SessionCommand,
    view: StateView<T | null>,
  ): Promise<StateAnswer<T>> {
    const ref = this.refOf(scope, sessionId);
    const answer = await this.ledger.sessions.handle(ref, command, origin, reachOf(scope, command), () => null, view);
    if (answer.view === null) throw new TypeError('the state does not show what the command was about');
    return { view: answer.view, revision: answer.revision.toString(), position: this.ledger.token(answer.position), added: answer.added };
  }

  /**
   * A call of the caller's own user, with its session, for another session to begin from.
   *
   * @throws DomainError `not_found`, also for another user's
   */
  async parentOf(scope: AccessScope, sessionId: string, receiptId: string): Promise<SessionIdentity> {
    return (await this.ledger.sessions.read(this.refOf(scope, sessionId), ownUsers(scope), () => receiptId)).session;
  }

  /** @throws DomainError `not_found` unless the session is there and of the caller's own user */
  async requireOwn(scope: AccessScope, sessionId: string): Promise<void> {
    await this.ledger.sessions.read(this.refOf(scope, sessionId), ownUsers(scope), () => null);
  }

  /** The newest state of a call. @throws DomainError */
  async readCall(scope: AccessScope, sessionId: string, receiptId: string): Promise<CallAnswer> {
    return this.toCallAnswer(await this.ledger.sessions.read(this.refOf(scope, sessionId), reachOf(scope, null), () => receiptId));
  }

  private refOf(scope: AccessScope, sessionId: string): SessionRef {
    // An id that no session can have is a missing session, before it becomes part of a stream's name.
    if (!SessionId.safeParse(sessionId).success) throw new DomainError('not_found', 'There is no such session.');
    return { workspaceId: scope.workspaceId, sessionId };
  }

  private toCallAnswer(answer: SessionAnswer): CallAnswer {
    if (answer.call === null) throw new TypeError('the answer has no call');
    return {
      call: callView(answer.call),
      next: nextFor(answer.call.status),
      revision: answer.revision.toString(),
      position: this.ledger.token(answer.position),
    };
  }

  private toSessionAnswer(answer: SessionAnswer): OpenedAnswer {
    const { sessionId, userId, agent, parent } = answer.session;
    return {
      session: { sessionId, userId, agent, parent, state: answer.closed ? 'closed' : 'open' },
      revision: answer.revision.toString(),
      position: this.ledger.token(answer.position),
    };
  }
}

type Reach = (session: SessionIdentity) => void;

/** What a person with the role `approver` does in the whole workspace; everything else is an agent's own doing. */
const APPROVERS_TOO: ReadonlySet<SessionCommand['type']> = new Set([
  'GrantApproval',
  'DenyApproval',
  'ActivatePlan',
  'ClosePlan',
  'AddTask',
  'ChangeTask',
  'CompleteTask',
  'RecordEvidence',
]);

/**
 * Another user's session answers as a missing one (design §6). Approvers act in the whole workspace, and auditors read in it; what an
 * agent does, it does for its own user, whatever other roles its key has.
 */
function reachOf(scope: AccessScope, command: SessionCommand | null): Reach {
  if (command === null) return reaching((session) => reachesUser(scope, session.userId));
  return APPROVERS_TOO.has(command.type) && scope.roles.includes('approver') ? reaching(() => true) : ownUsers(scope);
}

const ownUsers = (scope: AccessScope): Reach => reaching((session) => scope.userId === session.userId);

function reaching(isReached: (session: SessionIdentity) => boolean): Reach {
  return (session) => {
    if (!isReached(session)) throw new DomainError('not_found', 'There is no such session.');
  };
}
