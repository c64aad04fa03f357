import type { Criterion, EvidenceFacts, EvidenceSource, EvidenceView, PlanView, TaskStatus, TaskView } from '@counterfoil/contracts';
import type { Contracted } from './legacy/report.js';
import type { SessionState } from './state.js';

/** A task of the active plan. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly criteria: readonly Criterion[];
  /** What was planned, keyed: the same task added again is recognised by it. */
  readonly fingerprint: string;
  /** What led to the present state, keyed: the same command again adds nothing. Null while nothing has. */
  readonly changedBy: string | null;
  /** What rests on less than this revision is stale (promise 15); -1 for never. */
  readonly outdatedAt: number;
  readonly evidence: number;
  readonly met: readonly { readonly criterionId: string; readonly evidenceId: string }[];
  /** For the legacy adapter alone: what a call of an old runtime is matched with, and at which kinds of work the task's words hint. */
  readonly contract: Contracted['contract'];
  readonly hints: number;
}

/** What the legacy adapter still knows of a task whose plan is closed. */
export interface ClosedTask extends Contracted {
  readonly planId: string;
}

export interface ActivePlan {
  readonly planId: string;
  readonly tasks: ReadonlyMap<string, Task>;
}

/** Evidence of the active plan. */
export interface Evidence {
  readonly evidenceId: string;
  readonly planId: string;
  readonly taskId: string;
  readonly criterionId: string | null;
  readonly fingerprint: string;
  readonly kind: EvidenceSource['kind'];
  /** The receipt that it rests on, if it does: one run is one piece of evidence, under however many ids it was recorded. */
  readonly receiptId: string | null;
  /** Of an attestation: the roles of the key that attested. */
  readonly roles: readonly string[];
  readonly facts: EvidenceFacts;
  /** The revision on which it rests. */
  readonly since: number;
}

const ELIGIBLE: readonly TaskStatus[] = ['pending', 'running'];
const TERMINAL: readonly TaskStatus[] = ['succeeded', 'failed', 'cancelled'];

/** True while calls may be bound to it (promise 14). */
export const isEligible = (status: TaskStatus): boolean => ELIGIBLE.includes(status);
/** True once only a reopening leads on (promise 16). */
export const isTerminal = (status: TaskStatus): boolean => TERMINAL.includes(status);

/** True when what it rests on came before a change that may have undone it, or before the task was reopened. */
export function isStale(state: SessionState, task: Task | null, evidence: Evidence): boolean {
  return evidence.since < Math.max(state.outdatedAt, task?.outdatedAt ?? -1);
}

/** A task of the active plan as commands answer it; null if there is none. */
export function taskView(state: SessionState, taskId: string): TaskView | null {
  const task = state.plan?.tasks.get(taskId);
  return state.plan === null || task === undefined ? null : viewOf(state.plan.planId, task);
}

/** A plan of the session as commands answer it; null if there never was one. Of one that is closed the tasks are not kept. */
export function planView(state: SessionState, planId: string): PlanView | null {
  if (state.plan?.planId === planId) {
    return { planId, state: 'active', tasks: [...state.plan.tasks.values()].map((task) => viewOf(planId, task)) };
  }
  return state.planFingerprints.has(planId) ? { planId, state: 'closed', tasks: [] } : null;
}

/** Evidence as commands answer it; null if there never was any. That of a closed plan proves nothing any more. */
export function evidenceView(state: SessionState, evidenceId: string): EvidenceView | null {
  const evidence = state.evidence.get(evidenceId) ?? state.closedEvidence.get(evidenceId);
  if (evidence === undefined) return null;
  const { planId, taskId, criterionId, kind } = evidence;
  const task = state.plan?.planId === planId ? (state.plan.tasks.get(taskId) ?? null) : null;
  return { evidenceId, planId, taskId, criterionId, kind, stale: task === null || isStale(state, task, evidence) };
}

function viewOf(planId: string, { taskId, status, criteria, met }: Task): TaskView {
  const metBy = new Map(met.map(({ criterionId, evidenceId }) => [criterionId, evidenceId]));
  return { planId, taskId, status, criteria: criteria.map(({ id, kind }) => ({ id, kind, metBy: metBy.get(id) ?? null })) };
}
