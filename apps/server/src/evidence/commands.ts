import type { AccessScope, EvidenceBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Records a reason to believe that a criterion of a task is met; changes no task. */
export class RecordEvidenceCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: EvidenceBody,
  ) {}
}
