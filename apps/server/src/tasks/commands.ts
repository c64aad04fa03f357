import type { AccessScope, AddTaskBody, ChangeTaskBody, CompleteTaskBody } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';
import type { TaskChange } from '@counterfoil/session';

/** Where a command about a task of the active plan goes. */
export interface TaskTarget {
  readonly scope: AccessScope;
  readonly origin: CommandOrigin;
  readonly sessionId: string;
  readonly taskId: string;
}

export class AddTaskCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly sessionId: string,
    readonly body: AddTaskBody,
  ) {}
}

export class ChangeTaskCommand {
  constructor(
    readonly target: TaskTarget,
    readonly change: TaskChange,
    readonly body: ChangeTaskBody,
  ) {}
}

export class CompleteTaskCommand {
  constructor(
    readonly target: TaskTarget,
    readonly body: CompleteTaskBody,
  ) {}
}
