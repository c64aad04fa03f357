import { Body, Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { BatchBody } from '@counterfoil/contracts';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { originOf, scopeOf, type LedgerRequest } from '../http/request.js';
import { BatchCommand } from './commands.js';
import { BATCH_RAW } from './item-commands.js';

@Controller('v1/sessions/:s/batch')
export class BatchController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  /** 200 with one answer for each item, whatever they are. */
  @Post()
  @HttpCode(200)
  async run(
    @Req() request: LedgerRequest,
    @Param('s') sessionId: string,
    @Body(new JsonBodyPipe(BatchBody, BATCH_RAW)) body: BatchBody,
  ): Promise<unknown> {
    return this.commands.execute(new BatchCommand(scopeOf(request), originOf(request), sessionId, body));
  }
}
