import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PlanAnswer } from '@counterfoil/contracts';
import { planView, type SessionCommand } from '@counterfoil/session';
import { SessionDesk } from '../sessions/session-desk.js';
import { toTaskPlan } from '../tasks/domain-commands.js';
import { textInput } from '../tool-calls/domain-commands.js';
import { ActivatePlanCommand, ClosePlanCommand } from './commands.js';

@CommandHandler(ActivatePlanCommand)
export class ActivatePlanHandler implements ICommandHandler<ActivatePlanCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, body }: ActivatePlanCommand): Promise<PlanAnswer & { readonly added: number }> {
    const { planId, title, tasks } = body;
    const command: SessionCommand = { type: 'ActivatePlan', planId, title: title ?? null, tasks: tasks.map(toTaskPlan) };
    const { view, ...answer } = await this.desk.onState(scope, origin, sessionId, command, (state) => planView(state, planId));
    return { plan: view, ...answer };
  }
}

@CommandHandler(ClosePlanCommand)
export class ClosePlanHandler implements ICommandHandler<ClosePlanCommand> {
  constructor(@Inject(SessionDesk) private readonly desk: SessionDesk) {}

  async execute({ scope, origin, sessionId, planId, body }: ClosePlanCommand): Promise<PlanAnswer> {
    const command: SessionCommand = { type: 'ClosePlan', planId, reason: textInput(body.reason) };
    const found = await this.desk.onState(scope, origin, sessionId, command, (state) => planView(state, planId));
    const { view, added: _added, ...answer } = found;
    return { plan: view, ...answer };
  }
}
