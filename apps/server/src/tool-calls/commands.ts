import type {
  AccessScope,
  DispatchBody,
  HeartbeatBody,
  ObservedCallBody,
  ReasonBody,
  RequestToolCallBody,
  ResultBody,
} from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';

/** Where a command about a call goes. */
export interface CallTarget {
  readonly scope: AccessScope;
  readonly origin: CommandOrigin;
  readonly sessionId: string;
  readonly receiptId: string;
}

export class RequestToolCallCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: RequestToolCallBody,
  ) {}
}

/** Records a finished call that ran without the ledger. */
export class ObserveToolCallCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: ObservedCallBody,
  ) {}
}

export class DispatchToolCallCommand {
  constructor(
    readonly target: CallTarget,
    readonly body: DispatchBody,
  ) {}
}

export class ReportResultCommand {
  constructor(
    readonly target: CallTarget,
    readonly body: ResultBody,
  ) {}
}

export class CancelToolCallCommand {
  constructor(
    readonly target: CallTarget,
    readonly body: ReasonBody,
  ) {}
}

export class ExtendLeaseCommand {
  constructor(
    readonly target: CallTarget,
    readonly body: HeartbeatBody,
  ) {}
}
