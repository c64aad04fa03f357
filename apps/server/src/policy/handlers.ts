import { Inject } from '@nestjs/common';
import { CommandHandler, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AccessScope, Policy, SetPolicyBody } from '@counterfoil/contracts';
import { LEDGER, type CommandOrigin, type Ledger, type PolicyAnswer as FoundPolicy } from '@counterfoil/ledger';
import { z } from 'zod';
import { validatedQuery } from '../http/validated-query.js';
import { registryAnswer, type RegistryAnswer } from '../runtime/registry-answer.js';

/** Sets the policy of a workspace as a whole. */
export class SetPolicyCommand {
  constructor(
    readonly scope: AccessScope,
    readonly origin: CommandOrigin,
    readonly body: SetPolicyBody,
  ) {}
}

export class GetPolicyQuery {
  constructor(
    readonly scope: AccessScope,
    readonly query: unknown,
  ) {}
}

export interface PolicyAnswer extends RegistryAnswer {
  /** Null while none was set: then everything is allowed. */
  readonly version: number | null;
  readonly policy: Policy;
  readonly setAt: string | null;
  readonly setBy: string | null;
}

@CommandHandler(SetPolicyCommand)
export class SetPolicyHandler implements ICommandHandler<SetPolicyCommand> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope, origin, body }: SetPolicyCommand): Promise<PolicyAnswer> {
    return toAnswer(this.ledger, await this.ledger.tools.setPolicy(scope.workspaceId, body, origin));
  }
}

/** `version=3`: one that was in force before. */
export const GetPolicyParams = z.strictObject({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, 'must be a whole number from 1 on')
    .transform(Number)
    .optional(),
});

/** Reads the registry itself, not a read model: what it answers is what decides. */
@QueryHandler(GetPolicyQuery)
export class GetPolicyHandler implements IQueryHandler<GetPolicyQuery> {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async execute({ scope, query }: GetPolicyQuery): Promise<PolicyAnswer> {
    const { version } = validatedQuery(GetPolicyParams, query);
    return toAnswer(this.ledger, await this.ledger.tools.policy(scope.workspaceId, version));
  }
}

function toAnswer(ledger: Ledger, found: FoundPolicy): PolicyAnswer {
  const { version, policy, setAt, setBy } = found;
  return { version, policy, setAt, setBy, ...registryAnswer(ledger, found) };
}
