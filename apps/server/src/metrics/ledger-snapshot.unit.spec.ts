import { ledgerGauges } from './ledger-gauges.js';
import { SnapshotCache, type LedgerSnapshot } from './ledger-snapshot.js';

const SNAPSHOT: LedgerSnapshot = {
  state: 'running',
  head: 12,
  lagPositions: 3,
  lagSeconds: 1.5,
  parked: 1,
  rebuild: null,
  openApprovals: 4,
  openLeases: 5,
};

describe('the gauges of the ledger', () => {
  it('show its numbers', async () => {
    const text = await ledgerGauges({ ...SNAPSHOT, rebuild: 7 });
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual([
      'counterfoil_ledger_read 1',
      'counterfoil_head_position 12',
      'counterfoil_projection_lag_positions 3',
      'counterfoil_projection_lag_seconds 1.5',
      'counterfoil_parked_streams 1',
      'counterfoil_rebuild_running 1',
      'counterfoil_rebuild_position 7',
      'counterfoil_open_approvals 4',
      'counterfoil_open_leases 5',
      'counterfoil_projection_state{state="contending"} 0',
      'counterfoil_projection_state{state="running"} 1',
      'counterfoil_projection_state{state="stopped"} 0',
      'counterfoil_projection_state{state="failed"} 0',
    ]);
  });

  it('say nothing of projections that other processes run', async () => {
    const text = await ledgerGauges({ ...SNAPSHOT, state: null });
    expect(text).not.toContain('counterfoil_projection_state');
    expect(text).toContain('\ncounterfoil_projection_lag_positions 3\n');
  });

  it('no rebuild is a zero', async () => {
    const text = await ledgerGauges(SNAPSHOT);
    expect(text).toContain('\ncounterfoil_rebuild_running 0\n');
    expect(text).toContain('\ncounterfoil_rebuild_position 0\n');
  });

  it('are missing when the ledger could not be read: an old number would look like a good one', async () => {
    const text = await ledgerGauges(null);
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['counterfoil_ledger_read 0']);
  });
});

describe('many scrapes', () => {
  it('at the same time read the ledger once, and so do those soon after', async () => {
    let reads = 0;
    let now = 0;
    const cache = new SnapshotCache(
      async () => {
        reads++;
        await new Promise((resolve) => setImmediate(resolve));
        return SNAPSHOT;
      },
      () => now,
    );
    await Promise.all(Array.from({ length: 50 }, () => cache.get()));
    now += 1999;
    await cache.get();
    expect(reads).toBe(1);
    now += 1;
    await cache.get();
    expect(reads).toBe(2);
  });

  it('of a ledger that cannot be read try again only after a while', async () => {
    let reads = 0;
    let now = 0;
    const cache = new SnapshotCache(
      () => {
        reads++;
        return Promise.reject(new Error('away'));
      },
      () => now,
    );
    expect([await cache.get(), await cache.get()]).toEqual([null, null]);
    expect(reads).toBe(1);
    now += 2000;
    await cache.get();
    expect(reads).toBe(2);
  });
});
