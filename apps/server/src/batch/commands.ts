import type { AccessScope, BatchBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Several commands about calls of one session, in order. */
export class BatchCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: BatchBody,
  ) {}
}
