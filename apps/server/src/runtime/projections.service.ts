import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { Background } from './background.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { Shutdown } from './shutdown.js';

/**
 * Runs the projections in this process, for as long as it holds their lease; starts them again when they fail. Where read models are in
 * MongoDB, projectors do that.
 */
@Injectable()
export class ProjectionsService implements OnApplicationBootstrap, OnModuleDestroy {
  private background: Background | null = null;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.ledger.projectsHere) return;
    this.background = new Background('projections', this.logger, this.shutdown.signal, 1000);
    this.background.start(() => this.ledger.engine.run(this.shutdown.signal));
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.begin();
    await this.background?.stopped();
  }
}
