import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import { DomainError } from '@counterfoil/contracts';
import { CloseSessionCommand, OpenSessionCommand } from './commands.js';
import { SessionDesk, type OpenedAnswer } from './session-desk.js';

@CommandHandler(OpenSessionCommand)
export class OpenSessionHandler implements ICommandHandler<OpenSessionCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, body }: OpenSessionCommand): Promise<OpenedAnswer & { readonly added: number }> {
    if (scope.userId === null || (body.userId !== undefined && body.userId !== scope.userId)) {
      throw new DomainError('not_found', 'This key acts for no such user.');
    }
    const { parent } = body;
    const started = parent === undefined ? null : await this.desk.parentOf(scope, parent.sessionId, parent.receiptId);
    return this.desk.onSession(scope, origin, body.sessionId, {
      type: 'OpenSession',
      workspaceId: scope.workspaceId,
      sessionId: body.sessionId,
      userId: scope.userId,
      agent: body.agent ?? null,
      parent: parent ?? null,
      parentRootSessionId: started?.rootSessionId ?? null,
    });
  }
}

@CommandHandler(CloseSessionCommand)
export class CloseSessionHandler implements ICommandHandler<CloseSessionCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  /** Repeats the command until nothing is left to end: one append takes so many calls only. */
  async execute({ scope, origin, sessionId, body }: CloseSessionCommand): Promise<OpenedAnswer> {
    const reason = body.reason === undefined ? null : ({ kind: 'text', text: body.reason } as const);
    for (;;) {
      const { added, ...answer } = await this.desk.onSession(scope, origin, sessionId, { type: 'CloseSession', reason });
      if (added === 0) return answer;
    }
  }
}
