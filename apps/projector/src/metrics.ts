import type { Applied, OwnershipChange, ProjectionStatus } from '@counterfoil/projections';
import { Counter, Gauge, Registry } from 'prom-client';

const STATES = ['contending', 'running', 'stopped', 'failed'] as const;

/** How each number of a status is called; those that the server shows, too, are called as there. */
const NUMBERS = {
  counterfoil_head_position: ['Position of the newest event.', ({ head }) => Number(head)],
  counterfoil_projection_lag_positions: [
    'Distance of the newest event from what the read models surely hold.',
    ({ lagPositions }) => Number(lagPositions),
  ],
  counterfoil_parked_streams: [
    'Streams that are left out since one of their events could not be projected.',
    ({ parkedCount }) => parkedCount,
  ],
  counterfoil_rebuild_running: ['1 while a new generation of the read models is built.', ({ rebuild }) => (rebuild === undefined ? 0 : 1)],
  counterfoil_unowned_partitions: [
    'Partitions that no process has, as far as their leases say.',
    ({ partitions }) => partitions?.filter(({ owner }) => owner === null).length ?? 0,
  ],
} as const satisfies Readonly<Record<string, readonly [string, (status: ProjectionStatus) => number]>>;

/** What this process has done, and what holds of the projections. Labels are words and numbers of ours (promise 21). */
export class Metrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly batches = new Counter({
    name: 'counterfoil_applied_batches_total',
    help: 'Batches of events that this process has applied.',
    registers: this.registers,
  });
  private readonly documents = new Counter({
    name: 'counterfoil_touched_documents_total',
    help: 'Documents that these batches touched, by projection.',
    labelNames: ['projection'],
    registers: this.registers,
  });
  private readonly faults = new Counter({
    name: 'counterfoil_projection_faults_total',
    help: 'Faults after which this process tried again, or stopped.',
    registers: this.registers,
  });
  private readonly takeovers = new Counter({
    name: 'counterfoil_taken_partitions_total',
    help: 'Partitions that this process took.',
    registers: this.registers,
  });
  private readonly owned = new Gauge({
    name: 'counterfoil_owned_partitions',
    help: 'Partitions that this process has.',
    registers: this.registers,
  });

  applied({ touched }: Applied): void {
    this.batches.inc();
    for (const [projection, ids] of touched) if (ids.size > 0) this.documents.inc({ projection }, ids.size);
  }

  ownership({ kind, partitions, owned }: OwnershipChange): void {
    if (kind === 'taken') this.takeovers.inc(partitions.length);
    this.owned.set(owned);
  }

  fault(): void {
    this.faults.inc();
  }

  /**
   * Everything in Prometheus' text format.
   * @param status null when it could not be read: then its numbers are missing, and no old one looks like a good one
   */
  async text(status: ProjectionStatus | null): Promise<string> {
    return `${await this.registry.metrics()}\n${await statusText(status)}`;
  }
}

async function statusText(status: ProjectionStatus | null): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const help = '1 if the stores could be read for the gauges beside it.';
  new Gauge({ name: 'counterfoil_ledger_read', help, registers }).set(status === null ? 0 : 1);
  if (status === null) return registry.metrics();
  for (const [name, [text, valueOf]] of Object.entries(NUMBERS)) new Gauge({ name, help: text, registers }).set(valueOf(status));
  const state = new Gauge({
    name: 'counterfoil_projection_state',
    help: 'What the projections of this process do.',
    labelNames: ['state'],
    registers,
  });
  for (const one of STATES) state.set({ state: one }, one === status.state ? 1 : 0);
  const lag = new Gauge({
    name: 'counterfoil_partition_lag_positions',
    help: 'The same distance by partition, where there is more than one.',
    labelNames: ['partition'],
    registers,
  });
  for (const { partition, lagPositions } of status.partitions ?? []) lag.set({ partition }, Number(lagPositions));
  return registry.metrics();
}
