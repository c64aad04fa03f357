import type { PlannedTask, TaskStatus } from '@counterfoil/contracts';
import { ImpossibleEventError, type FoldedEvent } from './evolve-call.js';
import { hintsOf } from './legacy/families.js';
import type { ActivePlan, Task } from './task.js';
import type { SessionState } from './state.js';

/** The events of plans, tasks and evidence. */
export type PlanEvent = Extract<FoldedEvent, { readonly data: { readonly planId: string; readonly receiptId?: never } }>;

const LEADS_TO = {
  TaskStarted: 'running',
  TaskBlocked: 'blocked',
  TaskUnblocked: 'pending',
  TaskSucceeded: 'succeeded',
  TaskFailed: 'failed',
  TaskCancelled: 'cancelled',
  TaskReopened: 'pending',
} as const satisfies Record<string, TaskStatus>;

/**
 * Folds an event of the Working Plan into the session, in place. Only these events change a task (promise 17).
 *
 * @throws ImpossibleEventError for an event that names another plan than the active one, or a task that it has not
 */
export function evolvePlan(state: SessionState, event: PlanEvent): void {
  if (event.type === 'WorkingPlanActivated') {
    activate(state, event);
    return;
  }
  const { plan } = state;
  if (plan?.planId !== event.data.planId) throw new ImpossibleEventError(event.type, event.revision);
  if (event.type === 'WorkingPlanClosed') {
    state.plan = null;
    state.shelve(plan);
    for (const evidence of state.evidence.values()) state.closedEvidence.set(evidence.evidenceId, evidence);
    state.evidence.clear();
  } else if (event.type === 'TaskAdded') {
    changeTask(state, plan, newTask(event.data.task));
  } else if (event.type === 'EvidenceRecorded') {
    recordEvidence(state, plan, event);
  } else {
    transition(state, plan, event);
  }
}

function activate(state: SessionState, event: Extract<PlanEvent, { type: 'WorkingPlanActivated' }>): void {
  const { planId, tasks, fingerprint } = event.data;
  if (state.plan !== null || state.planFingerprints.has(planId)) throw new ImpossibleEventError(event.type, event.revision);
  state.planFingerprints.set(planId, fingerprint);
  state.plan = { planId, tasks: new Map(tasks.map((task) => [task.taskId, newTask(task)])) };
}

const newTask = ({ taskId, criteria, fingerprint, contract, details }: PlannedTask): Task => ({
  taskId,
  status: 'pending',
  criteria,
  fingerprint,
  changedBy: null,
  outdatedAt: -1,
  evidence: 0,
  met: [],
  contract: contract ?? null,
  hints: hintsOf(details),
});

type Transition = Extract<PlanEvent, { type: keyof typeof LEADS_TO }>;

function transition(state: SessionState, plan: ActivePlan, event: Transition): void {
  const task = taskOf(plan, event);
  const isReopened = event.type === 'TaskReopened';
  changeTask(state, plan, {
    ...task,
    status: LEADS_TO[event.type],
    changedBy: event.data.fingerprint,
    // What was enough the first time is not taken again unseen: a reopened task begins a new round of evidence.
    outdatedAt: isReopened ? event.revision : task.outdatedAt,
    met: event.type === 'TaskSucceeded' ? event.data.met : isReopened ? [] : task.met,
  });
}

function recordEvidence(state: SessionState, plan: ActivePlan, event: Extract<PlanEvent, { type: 'EvidenceRecorded' }>): void {
  const { evidenceId, planId, taskId, criterionId, fingerprint, source, facts, since } = event.data;
  const task = taskOf(plan, event);
  state.evidence.set(evidenceId, {
    evidenceId,
    planId,
    taskId,
    criterionId,
    fingerprint,
    kind: source.kind,
    receiptId: source.kind === 'receipt' ? source.receiptId : null,
    roles: source.kind === 'attestation' ? source.roles : [],
    facts,
    since: since === null ? event.revision : Number(since),
  });
  changeTask(state, plan, { ...task, evidence: task.evidence + 1 });
}

/** A state-changing call ran: evidence of its own task, or of every task, rests on less now (promise 15). */
export function outdate(
  state: SessionState,
  outdates: 'nothing' | 'task' | 'session',
  bound: { readonly planId: string | null; readonly taskId: string | null },
  revision: number,
): void {
  if (outdates === 'session') state.outdatedAt = revision;
  const { plan } = state;
  if (outdates !== 'task' || plan?.planId !== bound.planId || bound.taskId === null) return;
  const task = plan.tasks.get(bound.taskId);
  if (task !== undefined) changeTask(state, plan, { ...task, outdatedAt: revision });
}

function taskOf(plan: ActivePlan, event: PlanEvent & { readonly data: { readonly taskId: string } }): Task {
  const task = plan.tasks.get(event.data.taskId);
  if (task === undefined) throw new ImpossibleEventError(event.type, event.revision);
  return task;
}

function changeTask(state: SessionState, plan: ActivePlan, task: Task): void {
  // In place, as all of the state (docs/decisions/0002): only `evolve` comes here.
  (plan.tasks as Map<string, Task>).set(task.taskId, task);
  state.plan = plan;
}
