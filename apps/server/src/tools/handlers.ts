import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ToolSpec } from '@counterfoil/contracts';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { registryAnswer, type RegistryAnswer } from '../runtime/registry-answer.js';
import { RegisterToolCommand, RetireToolCommand } from './commands.js';

export interface RegisteredAnswer extends RegistryAnswer {
  readonly tool: ToolSpec;
  readonly added: number;
}

export interface RetiredAnswer extends RegistryAnswer {
  readonly tool: { readonly source: string; readonly name: string };
}

@CommandHandler(RegisterToolCommand)
export class RegisterToolHandler implements ICommandHandler<RegisterToolCommand> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope, origin, body }: RegisterToolCommand): Promise<RegisteredAnswer> {
    const answer = await this.ledger.tools.register(scope.workspaceId, body, origin);
    return { tool: answer.tool, ...registryAnswer(this.ledger, answer), added: answer.added };
  }
}

@CommandHandler(RetireToolCommand)
export class RetireToolHandler implements ICommandHandler<RetireToolCommand> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope, origin, body }: RetireToolCommand): Promise<RetiredAnswer> {
    const answer = await this.ledger.tools.retire(scope.workspaceId, body, origin);
    return { tool: answer.tool, ...registryAnswer(this.ledger, answer) };
  }
}
