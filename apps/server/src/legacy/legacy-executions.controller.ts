import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LegacyExecutionBody, type CallAnswer } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { ReportLegacyExecutionCommand } from './commands.js';
import { LEGACY_RAW } from './raw-members.js';

@Controller('v1/sessions/:s/legacy-executions')
export class LegacyExecutionsController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  /** What an old runtime ran: 201 when it was recorded now, 200 when the same was recorded before (promise 31). */
  @Post()
  async report(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(LegacyExecutionBody, LEGACY_RAW)) body: LegacyExecutionBody,
  ): Promise<unknown> {
    const command = new ReportLegacyExecutionCommand(scopeOf(request), originOf(request, body.occurredAt ?? null), sessionId, body);
    return created(reply, await this.commands.execute<ReportLegacyExecutionCommand, CallAnswer & { added: number }>(command));
  }
}
