import type { AccessScope, ActivatePlanBody, ReasonBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Activates a Working Plan; the one that was active is superseded. */
export class ActivatePlanCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: ActivatePlanBody,
  ) {}
}

export class ClosePlanCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly planId: string,
    readonly body: ReasonBody,
  ) {}
}
