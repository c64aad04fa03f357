import type { Ledger } from '@counterfoil/ledger';
import type { EngineState } from '@counterfoil/projections';
import { APPROVAL_INDEXES, RECEIPT_INDEXES } from '@counterfoil/read-models';

/** What the gauges show of the ledger, all workspaces together: numbers, and no user data. */
export interface LedgerSnapshot {
  /** What this process does for the projections; null where only projectors do something. */
  readonly state: EngineState | null;
  readonly head: number;
  readonly lagPositions: number;
  /** Age of the oldest event that isn't projected; 0 when all are. */
  readonly lagSeconds: number;
  readonly parked: number;
  /** Position of the generation that is being built; null when none is. */
  readonly rebuild: number | null;
  readonly openApprovals: number;
  readonly openLeases: number;
}

/** A scrape more often than this is answered from the last one. */
const FRESH_FOR_MS = 2000;

/**
 * @param now milliseconds since the epoch
 * @throws what the stores throw when they can't be reached
 */
export async function readSnapshot(
  ledger: Pick<Ledger, 'engine' | 'projectsHere' | 'readModels' | 'store'>,
  now: number,
): Promise<LedgerSnapshot> {
  const status = await ledger.engine.status();
  const models = await ledger.readModels(null, 0);
  const [lagSeconds, openApprovals, openLeases] = await Promise.all([
    status.lagPositions === 0n ? 0 : ageAfter(ledger.store, status.position, now),
    models.approvals.count(APPROVAL_INDEXES.due.name, { state: { eq: 'pending' }, expiresAt: { gt: now } }),
    // Calls that are not in flight hold null there, which no range contains.
    models.receipts.count(RECEIPT_INDEXES.lease.name, { leaseUntil: { gte: 0 } }),
  ]);
  return {
    state: ledger.projectsHere ? status.state : null,
    head: Number(status.head),
    lagPositions: Number(status.lagPositions),
    lagSeconds,
    parked: status.parkedCount,
    rebuild: status.rebuild === undefined ? null : Number(status.rebuild.position),
    openApprovals,
    openLeases,
  };
}

/** Seconds since the first event after a position was recorded; by our clock, which may have stepped back meanwhile. */
async function ageAfter(store: Pick<Ledger['store'], 'readStored'>, position: bigint, now: number): Promise<number> {
  for await (const { metadata } of store.readStored(position, { limit: 1 })) {
    return Math.max(0, (now - Date.parse(metadata.recordedAt)) / 1000);
  }
  return 0;
}

/** Keeps the last snapshot for a moment, and reads it once for all that ask at the same time: scrapes can't load the stores. */
export class SnapshotCache {
  private last: { readonly at: number; readonly snapshot: LedgerSnapshot | null } | null = null;
  private reading: Promise<LedgerSnapshot | null> | null = null;

  /** @param clock milliseconds of a clock that never steps back */
  constructor(
    private readonly read: () => Promise<LedgerSnapshot>,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Null when the ledger could not be read; that too is kept for a moment. */
  async get(): Promise<LedgerSnapshot | null> {
    if (this.last !== null && this.clock() - this.last.at < FRESH_FOR_MS) return this.last.snapshot;
    this.reading ??= this.readNow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(): Promise<LedgerSnapshot | null> {
    const snapshot = await this.read().catch(() => null);
    this.last = { at: this.clock(), snapshot };
    return snapshot;
  }
}
