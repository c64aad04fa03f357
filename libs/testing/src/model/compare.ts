import type { PlanView } from '@counterfoil/contracts';
import { callView, evidenceView, planView, taskView, type Call } from '@counterfoil/session';
import { isStale } from './reference/evidence.js';
import { sideEffectsOf } from './reference/registry.js';
import { activePlan, type Call as ReferenceCall, type Plan, type Session, type Task } from './reference/shapes.js';
import type { Side } from './side.js';

/** The decider's names of what the reference calls otherwise. */
export interface Names {
  receiptOf(turn: string, id: string): string | undefined;
  operation(operation: string): string;
}

/** @throws Error naming the first thing that is another one than the reference says */
export function mustAgree(expected: Session, side: Side, names: Names): void {
  if (side.warm.calls !== expected.calls.length)
    throw new Error(`${expected.calls.length} calls were expected, there are ${side.warm.calls}`);
  for (const call of expected.calls) {
    const receiptId = names.receiptOf(call.turn, call.id);
    const found = receiptId === undefined ? null : side.find(receiptId);
    mustBe(`${call.turn}/${call.id}`, visible(call, names), found === null ? null : visibleOf(found));
  }
  for (const plan of expected.plans) mustBe(plan.id, viewOf(plan), planView(side.warm, plan.id));
  mustBe('the active plan', activePlan(expected)?.id ?? null, side.warm.plan?.planId ?? null);
  mustAgreeOnTasks(expected, side);
}

function mustAgreeOnTasks(expected: Session, side: Side): void {
  const plan = activePlan(expected);
  const statuses = Object.fromEntries((plan?.tasks ?? []).map(({ id, status }) => [id, status]));
  mustBe('what the events of tasks say', statuses, side.watch.taskStatuses);
  for (const task of plan?.tasks ?? []) mustBe(task.id, plan && taskViewOf(plan, task), taskView(side.warm, task.id));
  for (const evidence of expected.evidence) {
    const task = evidence.plan === plan?.id ? plan.tasks.find(({ id }) => id === evidence.task) : undefined;
    const view = {
      evidenceId: evidence.id,
      planId: evidence.plan,
      taskId: evidence.task,
      criterionId: evidence.criterion,
      kind: evidence.source.kind,
      // That of a plan that is closed proves nothing any more.
      stale: plan === undefined || task === undefined || isStale(expected, plan, task, evidence),
    };
    mustBe(evidence.id, view, evidenceView(side.warm, evidence.id));
  }
}

function mustBe(what: string, expected: unknown, actual: unknown): void {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (want !== have) throw new Error(`${what} should be ${want} and is ${have}`);
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const visible = (call: ReferenceCall, names: Names): object => {
  const named = (operation: string | null): string | null => (operation === null ? null : names.operation(operation));
  const { approval, outcome } = call;
  return {
    status: call.status,
    operation: named(call.operation),
    amendedFrom: named(call.amendedFrom),
    approval:
      approval === null
        ? null
        : { state: approval.state, expires: iso(approval.expires), by: approval.by, operation: named(call.operation) },
    why: call.why,
    attempt: call.ran === null || call.isObserved ? null : call.attempt,
    leaseUntil: iso(call.leaseUntil),
    cancelAsked: call.cancelAsked,
    tool: [call.spec?.version ?? null, sideEffectsOf(call.spec)],
    task: [call.task, call.plan],
    expected: call.expected.kind === 'file' ? 'file_write' : call.expected.kind,
    isObserved: call.isObserved,
    result: outcome === null ? null : [outcome.exitCode, outcome.verified.state],
  };
};

function visibleOf(call: Call): object {
  const view = callView(call);
  const { approval } = view;
  return {
    status: view.status,
    operation: view.operationId,
    amendedFrom: view.amendedFrom,
    approval:
      approval === null
        ? null
        : { state: approval.state, expires: approval.expiresAt, by: call.approval?.by ?? null, operation: approval.operationId },
    why: view.reason?.code ?? null,
    attempt: view.attempt?.toLowerCase() ?? null,
    leaseUntil: view.leaseUntil,
    cancelAsked: view.cancelRequested,
    tool: [view.tool.version, view.tool.sideEffects],
    task: [view.taskId, call.planId],
    expected: call.expectation.kind,
    isObserved: call.isObserved,
    result: call.result === null ? null : [call.result.exitCode, call.result.verification],
  };
}

function taskViewOf(plan: Plan, task: Task): PlanView['tasks'][number] {
  const metBy = (id: string): string | null => task.met.find(([criterion]) => criterion === id)?.[1] ?? null;
  const criteria = task.criteria.map(({ id, kind }) => ({ id, kind, metBy: metBy(id) }));
  return { planId: plan.id, taskId: task.id, status: task.status, criteria };
}

/** Of a plan that is closed the tasks are not kept. */
const viewOf = (plan: Plan): PlanView =>
  plan.isActive
    ? { planId: plan.id, state: 'active', tasks: plan.tasks.map((task) => taskViewOf(plan, task)) }
    : { planId: plan.id, state: 'closed', tasks: [] };
