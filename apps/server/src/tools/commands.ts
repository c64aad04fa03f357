import type { AccessScope, RegisterToolBody, RetireToolBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Registers a tool, or its newest spec. */
export class RegisterToolCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly body: RegisterToolBody,
  ) {}
}

/** Retires a tool: from then on it is treated as one that nobody registered. */
export class RetireToolCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly body: RetireToolBody,
  ) {}
}
