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
} from '@counterfoil/ledger';
import { callView, nextFor, type SessionCommand, type SessionIdentity } from '@counterfoil/session';

/** What a session command answers: the session as it is now. */
export interface OpenedAnswer {
  readonly session: Pick<SessionDocument, 'sessionId' | 'userId' | 'agent' | 'parent' | 'state'>;
  readonly revision: string;
  readonly position: string;
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
    return { ...this.toCallAnswer(answer), added: answer.added };
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

  /** The newest state of a call. @throws DomainError */
  async readCall(scope: AccessScope, sessionId: string, receiptId: string): Promise<CallAnswer> {
    return this.toCallAnswer(await this.ledger.sessions.read(this.refOf(scope, sessionId), reachOf(scope, null), () => receiptId));
  }

  /** Waits for a change of the session, for a second at most: other processes' changes are only found by looking. */
  async changed(scope: AccessScope, sessionId: string, ms: number, signal: AbortSignal): Promise<void> {
    await this.ledger.sessions.changed(this.refOf(scope, sessionId), Math.min(ms, 1000), signal);
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

/**
 * Another user's session answers as a missing one (design §6). Roles that read the whole workspace read and decide in all of it; what an
 * agent does, it does for its own user, whatever other roles its key has.
 */
function reachOf(scope: AccessScope, command: SessionCommand | null): (session: SessionIdentity) => void {
  const isAgents = command !== null && command.type !== 'GrantApproval' && command.type !== 'DenyApproval';
  return (session) => {
    const isReached = isAgents ? scope.userId === session.userId : reachesUser(scope, session.userId);
    if (!isReached) throw new DomainError('not_found', 'There is no such session.');
  };
}
