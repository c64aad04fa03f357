import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ActivatePlanBody, PlanId, ReasonBody, type PlanAnswer } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { minPosition } from '../http/min-position.js';
import { pathId } from '../http/path-id.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { ActivatePlanCommand, ClosePlanCommand } from './commands.js';
import { FindPlansQuery, GetPlanQuery } from './queries.js';

@Controller('v1')
export class PlansController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** 201 when it was activated now, 200 when the same plan was activated before (also when it is closed by now). */
  @Post('sessions/:s/plans')
  async activate(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(ActivatePlanBody)) body: ActivatePlanBody,
  ): Promise<unknown> {
    const command = new ActivatePlanCommand(scopeOf(request), originOf(request), sessionId, body);
    return created(reply, await this.commands.execute<ActivatePlanCommand, PlanAnswer & { added: number }>(command));
  }

  @Post('sessions/:s/plans/:p/close')
  @HttpCode(200)
  async close(
    @Req() request: LedgerRequest,
    @Param('s') sessionId: string,
    @Param('p') plan: string,
    @Body(new JsonBodyPipe(ReasonBody)) body: ReasonBody,
  ): Promise<unknown> {
    const planId = pathId(PlanId, plan, 'There is no such plan.');
    return this.commands.execute(new ClosePlanCommand(scopeOf(request), originOf(request), sessionId, planId, body));
  }

  @Get('plans')
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindPlansQuery(scopeOf(request), minPosition(request), query));
  }

  @Get('sessions/:s/plans/:p')
  async get(@Req() request: LedgerRequest, @Param('s') sessionId: string, @Param('p') planId: string): Promise<unknown> {
    return this.queries.execute(new GetPlanQuery(scopeOf(request), minPosition(request), sessionId, planId));
  }
}
