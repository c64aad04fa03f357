import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { parseApprovalId } from '@counterfoil/canonical';
import { DomainError, type AccessScope, type CallAnswer } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';
import type { SessionCommand } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import { textInput, toAmended } from '../tool-calls/domain-commands.js';
import { DenyApprovalCommand, GrantApprovalCommand } from './commands.js';

@CommandHandler(GrantApprovalCommand)
export class GrantApprovalHandler implements ICommandHandler<GrantApprovalCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, approvalId, body }: GrantApprovalCommand): Promise<CallAnswer> {
    const { operationId } = body;
    const [amended, note] = [toAmended(body), textInput(body.note)];
    return decideApproval(this.desk, scope, origin, approvalId, { type: 'GrantApproval', approvalId, operationId, amended, note });
  }
}

@CommandHandler(DenyApprovalCommand)
export class DenyApprovalHandler implements ICommandHandler<DenyApprovalCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, approvalId, body }: DenyApprovalCommand): Promise<CallAnswer> {
    const note = textInput(body.note);
    const operationId = body.operationId ?? null;
    return decideApproval(this.desk, scope, origin, approvalId, { type: 'DenyApproval', approvalId, operationId, note });
  }
}

/** An approval names its session in its id, so that a decision never waits for a read model (design §4). */
async function decideApproval(
  desk: SessionDesk,
  scope: AccessScope,
  origin: CommandOrigin,
  approvalId: string,
  command: SessionCommand,
): Promise<CallAnswer> {
  const parsed = parseApprovalId(approvalId);
  if (parsed === null) throw new DomainError('not_found', 'There is no such approval.');
  const { added: _added, ...answer } = await desk.onCall(scope, origin, parsed.sessionId, command, (state) => state.approvals.at(parsed.n));
  return answer;
}
