import { Injectable } from '@nestjs/common';
import type { FateCounts } from '@counterfoil/contracts';
import type { LedgerObserver } from '@counterfoil/ledger';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds: from a millisecond to the longest long-poll. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/**
 * What this process has done. Labels are words of ours: routes as they are declared, commands, event types, codes. Nothing that anybody
 * sent ever becomes one (promise 21). The registry is our own, so that several servers can live in one process.
 */
@Injectable()
export class Metrics implements LedgerObserver {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly appends = new Counter({
    name: 'counterfoil_events_appended_total',
    help: 'Events that this process appended, by type.',
    labelNames: ['type'],
    registers: this.registers,
  });
  private readonly decisions = new Counter({
    name: 'counterfoil_decisions_total',
    help: 'Commands on sessions and registries that this process decided: accepted, same (nothing to add), or the code of the problem.',
    labelNames: ['command', 'code'],
    registers: this.registers,
  });
  private readonly requests = new Counter({
    name: 'counterfoil_http_requests_total',
    help: 'Requests answered, by declared route; a stream counts when it ends.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  });
  private readonly durations = new Histogram({
    name: 'counterfoil_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer; streams and imports are not in it.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: this.registers,
  });
  private readonly imports = new Counter({
    name: 'counterfoil_imported_records_total',
    help: 'Records of old systems that this process read over HTTP, by what became of them.',
    labelNames: ['fate'],
    registers: this.registers,
  });
  private readonly streams = new Gauge({
    name: 'counterfoil_open_streams',
    help: 'Event streams that are open at this process.',
    registers: this.registers,
  });

  appended(types: readonly string[]): void {
    for (const type of types) this.appends.inc({ type });
  }

  decided(command: string, code: string): void {
    this.decisions.inc({ command, code });
  }

  imported({ imported, duplicate, derivedCopy, notAReceipt, quarantined }: FateCounts): void {
    const fates = { imported, duplicate, derived_copy: derivedCopy, not_a_receipt: notAReceipt, quarantined };
    for (const [fate, count] of Object.entries(fates)) this.imports.inc({ fate }, count);
  }

  /**
   * @param route as declared, for example `/v1/sessions/:s`; null for none: then the method is not ours either
   * @param seconds null for an answer whose end says nothing about speed
   */
  answered(method: string, route: string | null, status: number, seconds: number | null): void {
    const labels = route === null ? { method: 'any', route: 'none' } : { method, route };
    this.requests.inc({ ...labels, status: String(status) });
    if (seconds !== null) this.durations.observe(labels, seconds);
  }

  /** Everything in Prometheus' text format. */
  async text(openStreams: number): Promise<string> {
    this.streams.set(openStreams);
    return this.registry.metrics();
  }
}
