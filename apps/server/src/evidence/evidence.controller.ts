import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EvidenceBody, type EvidenceAnswer } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { created } from '../http/created.js';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { RecordEvidenceCommand } from './commands.js';

@Controller('v1/sessions/:s/evidence')
export class EvidenceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  /** 201 when it was recorded now, 200 when the same evidence was recorded before. */
  @Post()
  async record(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(EvidenceBody)) body: EvidenceBody,
  ): Promise<unknown> {
    const command = new RecordEvidenceCommand(scopeOf(request), originOf(request), sessionId, body);
    return created(reply, await this.commands.execute<RecordEvidenceCommand, EvidenceAnswer & { added: number }>(command));
  }
}
