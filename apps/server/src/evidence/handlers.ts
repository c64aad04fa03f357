import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EvidenceAnswer } from '@counterfoil/contracts';
import { evidenceView } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import { RecordEvidenceCommand } from './commands.js';
import { toEvidence } from './domain-commands.js';

@CommandHandler(RecordEvidenceCommand)
export class RecordEvidenceHandler implements ICommandHandler<RecordEvidenceCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: RecordEvidenceCommand): Promise<EvidenceAnswer & { readonly added: number }> {
    const { view, ...answer } = await this.desk.onState(scope, origin, sessionId, toEvidence(body), (state) =>
      evidenceView(state, body.evidenceId),
    );
    return { evidence: view, ...answer };
  }
}
