import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CallAnswer } from '@counterfoil/contracts';
import { legacyReceiptIdOf } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import { ReportLegacyExecutionCommand } from './commands.js';
import { toLegacyReport } from './domain-command.js';

@CommandHandler(ReportLegacyExecutionCommand)
export class ReportLegacyExecutionHandler implements ICommandHandler<ReportLegacyExecutionCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: ReportLegacyExecutionCommand): Promise<CallAnswer & { readonly added: number }> {
    const command = toLegacyReport(body);
    return this.desk.onCall(scope, origin, sessionId, command, ({ identity }, key) =>
      identity === null ? null : legacyReceiptIdOf(identity, command, key),
    );
  }
}
