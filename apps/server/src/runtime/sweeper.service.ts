import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LEDGER, sweepOnce, type Ledger } from '@counterfoil/ledger';
import { Background } from './background.js';
import { LOGGER, type Logger } from './logger.js';
import { Shutdown } from './shutdown.js';

const EVERY_MS = 500;

/** Looks for expired approvals and lost leases, twice a second; several servers may (see sweepOnce). */
@Injectable()
export class SweeperService implements OnApplicationBootstrap, OnModuleDestroy {
  private background: Background | null = null;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.background = new Background('sweeper', this.logger, this.shutdown.signal, EVERY_MS);
    this.background.start(() => sweepOnce(this.ledger, Date.now(), this.shutdown.signal));
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.begin();
    await this.background?.stopped();
  }
}
