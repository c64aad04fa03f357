import type { EngineState } from '@counterfoil/projections';
import { Gauge, Registry } from 'prom-client';
import type { LedgerSnapshot } from './ledger-snapshot.js';

const STATES = ['contending', 'running', 'stopped', 'failed'] as const;

/** How each number of a snapshot is called. */
const NUMBERS = {
  counterfoil_head_position: ['Position of the newest event.', ({ head }) => head],
  counterfoil_projection_lag_positions: ['Events that the read models do not hold yet.', ({ lagPositions }) => lagPositions],
  counterfoil_projection_lag_seconds: ['Age of the oldest event that the read models do not hold yet.', ({ lagSeconds }) => lagSeconds],
  counterfoil_parked_streams: ['Streams that are left out since one of their events could not be projected.', ({ parked }) => parked],
  counterfoil_rebuild_running: ['1 while a new generation of the read models is built.', ({ rebuild }) => (rebuild === null ? 0 : 1)],
  counterfoil_rebuild_position: ['How far that generation is; 0 without one.', ({ rebuild }) => rebuild ?? 0],
  counterfoil_open_approvals: ['Approvals that wait for a decision and have not expired.', ({ openApprovals }) => openApprovals],
  counterfoil_open_leases: ['Calls that were dispatched and not reported on.', ({ openLeases }) => openLeases],
} as const satisfies Readonly<Record<string, readonly [string, (snapshot: LedgerSnapshot) => number]>>;

/**
 * A snapshot of the ledger in Prometheus' text format. Made anew each time, so that a number which could not be read is missing, and an
 * old one never looks like a good one.
 *
 * @param snapshot null when the ledger could not be read
 */
export async function ledgerGauges(snapshot: LedgerSnapshot | null): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({ name: 'counterfoil_ledger_read', help: '1 if the ledger could be read for the gauges beside it.', registers }).set(
    snapshot === null ? 0 : 1,
  );
  if (snapshot !== null) {
    for (const [name, [help, valueOf]] of Object.entries(NUMBERS)) new Gauge({ name, help, registers }).set(valueOf(snapshot));
    if (snapshot.state !== null) stateGauge(snapshot.state, registers);
  }
  return registry.metrics();
}

function stateGauge(state: EngineState, registers: Registry[]): void {
  const help = 'What the projections of this process do.';
  const gauge = new Gauge({ name: 'counterfoil_projection_state', help, labelNames: ['state'], registers });
  for (const one of STATES) gauge.set({ state: one }, one === state ? 1 : 0);
}
