import { Body, Controller, Get, Inject, Put, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { SetPolicyBody } from '@counterfoil/contracts';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { GetPolicyQuery, SetPolicyCommand } from './handlers.js';

@Controller('v1/policy')
export class PolicyController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** A new version, unless it says the same as the one in force. */
  @Put()
  async set(@Req() request: LedgerRequest, @Body(new JsonBodyPipe(SetPolicyBody)) body: SetPolicyBody): Promise<unknown> {
    return this.commands.execute(new SetPolicyCommand(scopeOf(request), originOf(request), body));
  }

  @Get()
  async get(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new GetPolicyQuery(scopeOf(request), query));
  }
}
