import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { OpenSessionBody, ReasonBody } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { minPosition } from '../http/min-position.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { CloseSessionCommand, OpenSessionCommand } from './commands.js';
import { FindSessionsQuery, GetSessionQuery } from './queries.js';

@Controller('v1/sessions')
export class SessionsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** 201 when it was opened now, 200 when the same was opened before. */
  @Post()
  async open(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body(new JsonBodyPipe(OpenSessionBody)) body: OpenSessionBody,
  ): Promise<unknown> {
    const command = new OpenSessionCommand(scopeOf(request), originOf(request), body);
    return created(reply, await this.commands.execute<OpenSessionCommand, { added: number }>(command));
  }

  @Post(':s/close')
  @HttpCode(200)
  async close(
    @Req() request: LedgerRequest,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(ReasonBody)) body: ReasonBody,
  ): Promise<unknown> {
    return this.commands.execute(new CloseSessionCommand(scopeOf(request), originOf(request), sessionId, body));
  }

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindSessionsQuery(scopeOf(request), minPosition(request), query));
  }

  @Get(':s')
  async get(@Req() request: LedgerRequest, @Param('s') sessionId: string): Promise<unknown> {
    return this.queries.execute(new GetSessionQuery(scopeOf(request), minPosition(request), sessionId));
  }
}
