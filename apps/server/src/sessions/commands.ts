import type { AccessScope, OpenSessionBody, ReasonBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Opens a session for the key's user. */
export class OpenSessionCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly body: OpenSessionBody,
  ) {}
}

export class CloseSessionCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: ReasonBody,
  ) {}
}
