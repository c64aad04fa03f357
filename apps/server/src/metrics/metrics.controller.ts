import { Controller, Get, Header, Inject, type OnModuleDestroy } from '@nestjs/common';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { StreamLimit } from '../stream/stream-limit.js';
import { ledgerGauges } from './ledger-gauges.js';
import { readSnapshot, SnapshotCache } from './ledger-snapshot.js';
import { Metrics } from './metrics.js';

/** Prometheus' text exposition format. */
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

@Controller('metrics')
export class MetricsController implements OnModuleDestroy {
  private readonly snapshots: SnapshotCache;
  private readonly stopObserving: () => void;

  constructor(
    @Inject(LEDGER) ledger: Ledger,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(StreamLimit) private readonly streams: StreamLimit,
  ) {
    this.snapshots = new SnapshotCache(() => readSnapshot(ledger, Date.now()));
    this.stopObserving = ledger.observe(metrics);
  }

  onModuleDestroy(): void {
    this.stopObserving();
  }

  @Get()
  @Header('content-type', TEXT_FORMAT)
  async page(): Promise<string> {
    const ledger = await ledgerGauges(await this.snapshots.get());
    return `${await this.metrics.text(this.streams.open)}${ledger}`;
  }
}
