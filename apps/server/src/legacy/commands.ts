import type { AccessScope, LegacyExecutionBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Records what an old runtime says that it ran. */
export class ReportLegacyExecutionCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: LegacyExecutionBody,
  ) {}
}
