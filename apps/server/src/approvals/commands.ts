import type { AccessScope, DenyBody, GrantBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

export class GrantApprovalCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly approvalId: string,
    readonly body: GrantBody,
  ) {}
}

export class DenyApprovalCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly approvalId: string,
    readonly body: DenyBody,
  ) {}
}
