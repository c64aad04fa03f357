import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TaskAnswer } from '@counterfoil/contracts';
import { taskView, type SessionCommand } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import { textInput } from '../tool-calls/domain-commands.js';
import { AddTaskCommand, ChangeTaskCommand, CompleteTaskCommand, type TaskTarget } from './commands.js';
import { toTaskPlan } from './domain-commands.js';

@CommandHandler(AddTaskCommand)
export class AddTaskHandler implements ICommandHandler<AddTaskCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: AddTaskCommand): Promise<TaskAnswer & { readonly added: number }> {
    const command: SessionCommand = { type: 'AddTask', task: toTaskPlan(body), planId: body.planId ?? null };
    const { view, ...answer } = await this.desk.onState(scope, origin, sessionId, command, (state) => taskView(state, body.taskId));
    return { task: view, ...answer };
  }
}

@CommandHandler(ChangeTaskCommand)
export class ChangeTaskHandler implements ICommandHandler<ChangeTaskCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, change, body }: ChangeTaskCommand): Promise<TaskAnswer> {
    const { planId = null, reason } = body;
    return answer(this.desk, target, { type: 'ChangeTask', taskId: target.taskId, change, planId, reason: textInput(reason) });
  }
}

@CommandHandler(CompleteTaskCommand)
export class CompleteTaskHandler implements ICommandHandler<CompleteTaskCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ target, body }: CompleteTaskCommand): Promise<TaskAnswer> {
    const { met, acceptance, planId = null } = body;
    return answer(this.desk, target, { type: 'CompleteTask', taskId: target.taskId, planId, met, acceptance: textInput(acceptance) });
  }
}

async function answer(desk: SessionDesk, { scope, origin, sessionId, taskId }: TaskTarget, command: SessionCommand): Promise<TaskAnswer> {
  const { view, added: _added, ...rest } = await desk.onState(scope, origin, sessionId, command, (state) => taskView(state, taskId));
  return { task: view, ...rest };
}
