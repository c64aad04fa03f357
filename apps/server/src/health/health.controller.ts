import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { Shutdown } from '../runtime/shutdown.js';
import { Reachability } from './reachability.js';

/** For whoever runs the process: facts about it, and none about its users. */
@Controller('health')
export class HealthController {
  private readonly reachability: Reachability;

  constructor(
    @Inject(LEDGER) ledger: Ledger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {
    this.reachability = new Reachability(ledger);
  }

  @Get('live')
  live(): { readonly status: 'live' } {
    return { status: 'live' };
  }

  /** 200 while commands can be taken and read models follow; else 503 with what is the matter, within seconds also when a store hangs. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    const { health, unreachable } = await this.reachability.look();
    const ready = health?.ready === true && unreachable.length === 0 && !this.shutdown.signal.aborted;
    void reply.status(ready ? 200 : 503);
    const facts = health?.facts ?? { projections: null };
    return { status: ready ? 'ready' : 'not_ready', ...(unreachable.length === 0 ? {} : { unreachable }), ...facts };
  }
}
