import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { StreamDesk } from './stream-desk.js';

@Controller('v1/stream')
export class StreamController {
  constructor(@Inject(StreamDesk) private readonly desk: StreamDesk) {}

  /** Server-sent events: receipts, approvals and tasks as they change. The answer ends when the client, its key or the server does. */
  @Get()
  async open(@Req() request: LedgerRequest, @Res() reply: FastifyReply, @Query() query: unknown): Promise<void> {
    const lastEventId = request.headers['last-event-id'];
    const stream = await this.desk.open(scopeOf(request), query, typeof lastEventId === 'string' ? lastEventId : undefined);
    // From here on the answer is written by hand: Fastify would read ahead of a slow client.
    reply.hijack();
    await stream.run(reply.raw, { 'counterfoil-correlation-id': request.id });
  }
}
