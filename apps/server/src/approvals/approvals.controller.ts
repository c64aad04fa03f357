import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { DenyBody, GrantBody } from '@counterfoil/contracts';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { minPosition } from '../http/min-position.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { DenyApprovalCommand, GrantApprovalCommand } from './commands.js';
import { FindApprovalsQuery, GetApprovalQuery } from './queries.js';

@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindApprovalsQuery(scopeOf(request), minPosition(request), query));
  }

  /** What the approver is shown: the approval with the operation and its arguments as they would run. */
  @Get(':id')
  async get(@Req() request: LedgerRequest, @Param('id') id: string): Promise<unknown> {
    return this.queries.execute(new GetApprovalQuery(scopeOf(request), minPosition(request), id));
  }

  @Post(':id/grant')
  @HttpCode(200)
  async grant(
    @Req() request: LedgerRequest,
    @Param('id') id: string,
    @Body(new JsonBodyPipe(GrantBody, ['arguments'])) body: GrantBody,
  ): Promise<unknown> {
    return this.commands.execute(new GrantApprovalCommand(scopeOf(request), originOf(request), id, body));
  }

  @Post(':id/deny')
  @HttpCode(200)
  async deny(@Req() request: LedgerRequest, @Param('id') id: string, @Body(new JsonBodyPipe(DenyBody)) body: DenyBody): Promise<unknown> {
    return this.commands.execute(new DenyApprovalCommand(scopeOf(request), originOf(request), id, body));
  }
}
