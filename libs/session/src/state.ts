import type { KnownSecret } from '@counterfoil/contracts';
import { ApprovalNumbers } from './approval-numbers.js';
import type { Call } from './call.js';
import { EndedCalls } from './ended-calls.js';
import type { ActivePlan, ClosedTask, Evidence } from './task.js';

/** So many known secrets a session remembers; more are still redacted by their rules where they stand. */
export const KNOWN_SECRETS_LIMIT = 1000;
/** So many tasks of closed plans the legacy adapter still finds by their ids; the oldest are forgotten. */
const CLOSED_TASKS_LIMIT = 2000;
/** So many ended calls stay at hand, so that the answer to a command, and to a quick retry, needs no reading back. */
const RECENT = 64;

export interface SessionIdentity {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agent: string | null;
  readonly parent: { readonly sessionId: string; readonly receiptId: string } | null;
  readonly fingerprintKeyId: string;
  /** The session in which the work began; null where that was not recorded. */
  readonly rootSessionId: string | null;
}

/**
 * A folded session. `evolve` changes it in place and so owns what it is given: a session of 100,000 calls could not be copied for
 * each event. Whoever folds feeds it committed events only (docs/decisions/0002).
 */
export class SessionState {
  identity: SessionIdentity | null = null;
  closed = false;
  /** Revision of the last event folded; -1 for none. */
  revision = -1;
  /** Calls that have not ended, by receipt id. */
  readonly open = new Map<string, Call>();
  readonly ended = new EndedCalls();
  readonly recent = new Map<string, Call>();
  readonly approvals = new ApprovalNumbers();
  /** The Working Plan; null while none is active. */
  plan: ActivePlan | null = null;
  /** What each plan of the session was activated with, by plan id. */
  readonly planFingerprints = new Map<string, string>();
  /** Evidence of the active plan, by its id. */
  readonly evidence = new Map<string, Evidence>();
  /** Evidence of plans that are closed: an id is used once, and a retry is still answered. */
  readonly closedEvidence = new Map<string, Evidence>();
  /** Tasks of plans that are closed, by task id: an old runtime may still name one. */
  readonly closedTasks = new Map<string, ClosedTask>();
  /** Revision of the last state-changing run that was bound to no task; -1 for none. */
  outdatedAt = -1;
  /** How many dispatched calls have not ended, by operation and turn, and by operation alone (see `flightKey`). */
  readonly inFlight = new Map<string, number>();
  readonly known: KnownSecret[] = [];
  /** Macs of `known`, so that one value is kept once. */
  readonly knownMacs = new Set<string>();

  get calls(): number {
    return this.open.size + this.ended.size;
  }

  /** The call if it is open or ended a short while ago; null: ask `ended`. */
  find(receiptId: string): Call | null {
    return this.open.get(receiptId) ?? this.recent.get(receiptId) ?? null;
  }

  remember(call: Call): void {
    putLast(this.recent, call.receiptId, call, RECENT);
  }

  /** The active plan is over: what its tasks were about is kept a while. */
  shelve({ planId, tasks }: ActivePlan): void {
    for (const { taskId, contract, criteria } of tasks.values())
      putLast(this.closedTasks, taskId, { planId, contract, criteria }, CLOSED_TASKS_LIMIT);
  }

  learn(secrets: readonly KnownSecret[]): void {
    for (const secret of secrets) {
      if (this.known.length >= KNOWN_SECRETS_LIMIT || this.knownMacs.has(secret.mac)) continue;
      this.known.push(secret);
      this.knownMacs.add(secret.mac);
    }
  }
}

/** Puts an entry last, in place of what stood under its key, and drops the first one of a map that is over its limit. */
function putLast<V>(map: Map<string, V>, key: string, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** One operation in one turn, or (null) in any. A keyed digest holds no space, so the two can't run together. */
export const flightKey = (operationId: string, turn: string | null): string => (turn === null ? operationId : `${operationId} ${turn}`);
