import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { RegisterToolBody, RetireToolBody } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { minPosition } from '../http/min-position.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { RegisterToolCommand, RetireToolCommand } from './commands.js';
import type { RegisteredAnswer } from './handlers.js';
import { FindToolsQuery } from './queries.js';

const REGISTER_RAW = ['inputSchema'];

@Controller('v1/tools')
export class ToolsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** 201 when the tool, or a new spec of it, was registered now; 200 when it is registered just so. */
  @Post()
  async register(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body(new JsonBodyPipe(RegisterToolBody, REGISTER_RAW)) body: RegisterToolBody,
  ): Promise<unknown> {
    const command = new RegisterToolCommand(scopeOf(request), originOf(request), body);
    return created(reply, await this.commands.execute<RegisterToolCommand, RegisteredAnswer>(command));
  }

  @Post('retire')
  @HttpCode(200)
  async retire(@Req() request: LedgerRequest, @Body(new JsonBodyPipe(RetireToolBody)) body: RetireToolBody): Promise<unknown> {
    return this.commands.execute(new RetireToolCommand(scopeOf(request), originOf(request), body));
  }

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindToolsQuery(scopeOf(request), minPosition(request), query));
  }
}
