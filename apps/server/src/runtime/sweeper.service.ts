import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DomainError } from '@counterfoil/contracts';
import { LEDGER, sweepOnce, type Ledger } from '@counterfoil/ledger';
import { Background } from './background.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { Shutdown } from './shutdown.js';

const EVERY_MS = 500;

/** Looks for expired approvals and lost leases, twice a second; several servers may (see sweepOnce). */
@Injectable()
export class SweeperService implements OnApplicationBootstrap, OnModuleDestroy {
  private background: Background | null = null;
  /** The ledger was sealed: nothing can be made of what time decides any more. */
  private hasEnded = false;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.background = new Background('sweeper', this.logger, this.shutdown.signal, EVERY_MS);
    this.background.start(() => this.round());
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.begin();
    await this.background?.stopped();
  }

  private async round(): Promise<void> {
    if (this.hasEnded) return;
    try {
      await sweepOnce(this.ledger, Date.now(), this.shutdown.signal);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'ledger_sealed') throw error;
      this.hasEnded = true;
      this.logger.info('the ledger has ended: nothing is swept any more, and queries go on');
    }
  }
}
