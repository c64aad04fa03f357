import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { Shutdown } from '../runtime/shutdown.js';

/** For whoever runs the process: facts about it, and none about its users. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {}

  @Get('live')
  live(): { readonly status: 'live' } {
    return { status: 'live' };
  }

  /** 200 while commands can be taken and read models follow; else 503 with what is the matter. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const health = await this.ledger.health();
    const ready = health.ready && !this.shutdown.signal.aborted;
    void reply.status(ready ? 200 : 503);
    return { status: ready ? 'ready' : 'not_ready', ...health.facts };
  }
}
