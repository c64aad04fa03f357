import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ObservedCallBody, type CallAnswer } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { ObserveToolCallCommand } from './commands.js';
import { OBSERVED_RAW } from './raw-members.js';

@Controller('v1/sessions/:s/observed-calls')
export class ObservedCallsController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  /** A finished call that ran without the ledger: 201 when it was recorded now, 200 when the same was recorded before (promise 31). */
  @Post()
  async observe(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(ObservedCallBody, OBSERVED_RAW)) body: ObservedCallBody,
  ): Promise<unknown> {
    const command = new ObserveToolCallCommand(scopeOf(request), originOf(request, body.occurredAt ?? null), sessionId, body);
    return created(reply, await this.commands.execute<ObserveToolCallCommand, CallAnswer & { added: number }>(command));
  }
}
