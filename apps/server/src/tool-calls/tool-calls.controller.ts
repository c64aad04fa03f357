import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  DispatchBody,
  DomainError,
  HeartbeatBody,
  ReasonBody,
  ReceiptId,
  RequestToolCallBody,
  ResultBody,
  type CallAnswer,
} from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import {
  CancelToolCallCommand,
  DispatchToolCallCommand,
  ExtendLeaseCommand,
  ReportResultCommand,
  RequestToolCallCommand,
  type CallTarget,
} from './commands.js';
import { DISPATCH_RAW, REQUEST_RAW, RESULT_RAW } from './raw-members.js';
import { GetToolCallQuery } from './queries.js';

@Controller('v1/sessions/:s/tool-calls')
export class ToolCallsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** 201 when it was recorded now (also a recorded rejection), 200 when the same request was recorded before. */
  @Post()
  async request(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(RequestToolCallBody, REQUEST_RAW)) body: RequestToolCallBody,
  ): Promise<unknown> {
    const command = new RequestToolCallCommand(scopeOf(request), originOf(request, body.occurredAt ?? null), sessionId, body);
    return created(reply, await this.commands.execute<RequestToolCallCommand, CallAnswer & { added: number }>(command));
  }

  @Post(':id/dispatch')
  @HttpCode(200)
  async dispatch(
    @Req() request: LedgerRequest,
    @Param() params: Params,
    @Body(new JsonBodyPipe(DispatchBody, DISPATCH_RAW)) body: DispatchBody,
  ): Promise<unknown> {
    return this.commands.execute(new DispatchToolCallCommand(targetOf(request, params), body));
  }

  @Post(':id/result')
  @HttpCode(200)
  async result(
    @Req() request: LedgerRequest,
    @Param() params: Params,
    @Body(new JsonBodyPipe(ResultBody, RESULT_RAW)) body: ResultBody,
  ): Promise<unknown> {
    return this.commands.execute(new ReportResultCommand(targetOf(request, params), body));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  async cancel(
    @Req() request: LedgerRequest,
    @Param() params: Params,
    @Body(new JsonBodyPipe(ReasonBody)) body: ReasonBody,
  ): Promise<unknown> {
    return this.commands.execute(new CancelToolCallCommand(targetOf(request, params), body));
  }

  @Post(':id/heartbeat')
  @HttpCode(200)
  async heartbeat(
    @Req() request: LedgerRequest,
    @Param() params: Params,
    @Body(new JsonBodyPipe(HeartbeatBody)) body: HeartbeatBody,
  ): Promise<unknown> {
    return this.commands.execute(new ExtendLeaseCommand(targetOf(request, params), body));
  }

  @Get(':id')
  async get(@Req() request: LedgerRequest, @Param() params: Params, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new GetToolCallQuery(targetOf(request, params), query, request.raw));
  }
}

interface Params {
  readonly s: string;
  readonly id: string;
}

function targetOf(request: LedgerRequest, params: Params): CallTarget {
  // An id that no receipt can have is a missing call.
  if (!ReceiptId.safeParse(params.id).success) throw new DomainError('not_found', 'There is no such call in this session.');
  return { scope: scopeOf(request), origin: originOf(request), sessionId: params.s, receiptId: params.id };
}
