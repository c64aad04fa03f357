import { DomainError } from '@counterfoil/contracts';
import { closedWithLeftovers, dueApprovals, lostLeases } from '@counterfoil/read-models';
import type { Ledger, ReadModels } from './ledger.js';
import type { CommandOrigin, SessionRef } from './sessions/session-repository.js';

/** So many of each kind are looked for in one round. */
const PER_ROUND = 200;
/** So many sessions are swept at once, so that their appends are committed together. */
const AT_ONCE = 16;

const ORIGIN: CommandOrigin = {
  actor: { principal: 'service:sweeper', keyId: 'internal' },
  roles: [],
  occurredAt: null,
  correlationId: null,
  traceparent: null,
};

/**
 * Makes events of what time has decided: expired approvals, lost leases, leftovers of closed sessions. The read models only say where
 * to look; each session decides for itself, under its expected revision, so any number of processes may sweep at once.
 *
 * @param now milliseconds since the epoch
 * @returns how many events were added
 * @throws DomainError `ledger_sealed` when there is something to say, and the ledger has ended
 */
export async function sweepOnce(ledger: Pick<Ledger, 'sessions' | 'readModels'>, now: number, signal: AbortSignal): Promise<number> {
  const due = [...(await dueSessions(await ledger.readModels(null, 0), now))];
  let added = 0;
  while (due.length > 0 && !signal.aborted) {
    const counts = await Promise.all(due.splice(0, AT_ONCE).map((ref) => sweepSession(ledger, ref)));
    added += counts.reduce((sum, count) => sum + count, 0);
  }
  return added;
}

async function dueSessions(models: ReadModels, now: number): Promise<Iterable<SessionRef>> {
  const [approvals, leases, leftovers] = await Promise.all([
    dueApprovals(models.approvals, now, PER_ROUND),
    lostLeases(models.receipts, now, PER_ROUND),
    closedWithLeftovers(models.sessions, PER_ROUND),
  ]);
  const refs = new Map<string, SessionRef>();
  for (const { workspaceId, sessionId } of [...approvals, ...leases, ...leftovers]) {
    if (sessionId !== null) refs.set(`${workspaceId}/${sessionId}`, { workspaceId, sessionId });
  }
  return refs.values();
}

async function sweepSession(ledger: Pick<Ledger, 'sessions'>, ref: SessionRef): Promise<number> {
  const anybody = (): void => undefined;
  try {
    const answer = await ledger.sessions.handle(ref, { type: 'Sweep' }, ORIGIN, anybody, () => null);
    return answer.added;
  } catch (error) {
    // Another writer won, or the store is away: the next round finds the session again if anything is left to say.
    // A ledger that has ended stays so.
    if (error instanceof DomainError && error.code !== 'ledger_sealed') return 0;
    throw error;
  }
}
