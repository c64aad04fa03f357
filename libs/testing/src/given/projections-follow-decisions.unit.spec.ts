import {
  CallView,
  SESSION_EVENTS,
  type LedgerEvent,
  type ReceiptDocument,
  type SessionDocument,
  type TaskDocument,
} from '@counterfoil/contracts';
import {
  approvalsProjection,
  plansProjection,
  receiptsProjection,
  sessionsProjection,
  taskReading,
  tasksProjection,
} from '@counterfoil/read-models';
import { callView, evidenceView, isEnded, isUndispatched, planView, taskView, type SessionState } from '@counterfoil/session';
import fc from 'fast-check';
import { anySteps, playSteps } from './any-session.js';
import { projecting } from './projecting.js';

type Log = readonly LedgerEvent[];

function expectReceipts(log: Log, state: SessionState): readonly ReceiptDocument[] {
  const receipts = [
    ...projecting(receiptsProjection)
      .given(...log)
      .docs.values(),
  ];
  for (const doc of receipts) {
    const call = state.find(doc.receiptId);
    expect(CallView.parse(doc)).toEqual(call && callView(call));
    expect(doc.planId).toBe(call?.planId);
    // Nothing that the ledger did not let run looks as if it had.
    const wasDispatched = log.some(
      ({ type, data }) => type === 'ToolDispatched' && 'receiptId' in data && data.receiptId === doc.receiptId,
    );
    expect(['policy', 'approval'].includes(doc.authorisation.kind)).toBe(wasDispatched);
    expect(doc.authorisation.kind === 'observed').toBe(call?.isObserved);
  }
  expect(receipts).toHaveLength(state.calls);
  return receipts;
}

function expectApprovals(log: Log, receipts: readonly ReceiptDocument[]): void {
  const approvals = [
    ...projecting(approvalsProjection)
      .given(...log)
      .docs.values(),
  ];
  const ofReceipts = receipts
    .flatMap(({ approval }) => (approval === null ? [] : [approval]))
    .map(({ approvalId, state: is, operationId }) => [approvalId, is, operationId]);
  expect(approvals.map(({ approvalId, state: is, operationId }) => [approvalId, is, operationId]).sort()).toEqual(ofReceipts.sort());
}

function expectSession(log: Log, state: SessionState, receipts: readonly ReceiptDocument[]): SessionDocument {
  const count = (test: (status: ReceiptDocument['status']) => boolean): number => receipts.filter((doc) => test(doc.status)).length;
  const doc = projecting(sessionsProjection)
    .given(...log)
    .doc('w1/s1');
  expect(doc).toMatchObject({
    state: state.closed ? 'closed' : 'open',
    activePlanId: state.plan?.planId ?? null,
    outdatedAt: revisionOf(state.outdatedAt),
    calls: {
      total: receipts.length,
      undispatched: count(isUndispatched),
      inFlight: count((status) => status === 'dispatched'),
      ended: count(isEnded),
    },
  });
  return doc;
}

const revisionOf = (revision: number): string | null => (revision < 0 ? null : String(revision));

function expectPlans(log: Log, state: SessionState, tasks: readonly TaskDocument[]): void {
  const plans = [
    ...projecting(plansProjection)
      .given(...log)
      .docs.values(),
  ];
  expect(plans.map(({ planId }) => planId).sort()).toEqual([...state.planFingerprints.keys()].sort());
  for (const doc of plans) {
    const ofPlan = new Map(tasks.filter(({ planId }) => planId === doc.planId).map(({ taskId, status }) => [taskId, status]));
    expect(new Map(doc.tasks.map(({ taskId, status }) => [taskId, status]))).toEqual(ofPlan);
    const view = planView(state, doc.planId);
    expect(doc.state).toBe(view?.state);
    if (view?.state === 'active') expect(doc.tasks).toEqual(view.tasks.map(({ taskId, status }) => ({ taskId, status })));
  }
}

function expectTasks(
  log: Log,
  state: SessionState,
  session: SessionDocument,
  receipts: readonly ReceiptDocument[],
): readonly TaskDocument[] {
  const tasks = [
    ...projecting(tasksProjection)
      .given(...log)
      .docs.values(),
  ];
  for (const doc of tasks) {
    const calls = receipts.filter(({ planId, association }) => planId === doc.planId && association.taskId === doc.taskId);
    expect(doc.receiptCount).toBe(calls.length);
    if (doc.planId !== state.plan?.planId) continue;
    const criteria = doc.criteria.map(({ criterion: { id, kind }, metBy }) => ({ id, kind, metBy }));
    expect({ planId: doc.planId, taskId: doc.taskId, status: doc.status, criteria }).toEqual(taskView(state, doc.taskId));
    expect(doc.outdatedAt).toBe(revisionOf(state.plan.tasks.get(doc.taskId)?.outdatedAt ?? -1));
    const { evidence } = taskReading(doc, { state: 'active' }, session, receipts);
    expect(evidence.map(({ evidenceId, stale }) => ({ evidenceId, stale }))).toEqual(
      evidence.map(({ evidenceId }) => ({ evidenceId, stale: evidenceView(state, evidenceId)?.stale })),
    );
  }
  return tasks;
}

describe('whatever a session decides', () => {
  it('projects: every read model says what commands answer, and they agree with each other', () => {
    const seen = new Map<string, number>();
    const amount = { stale: 0, fresh: 0 };
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { log, state } = playSteps(steps);
        for (const { type } of log.events) seen.set(type, (seen.get(type) ?? 0) + 1);
        for (const { evidenceId } of state.evidence.values()) amount[evidenceView(state, evidenceId)?.stale === true ? 'stale' : 'fresh']++;
        const receipts = expectReceipts(log.events, state);
        expectApprovals(log.events, receipts);
        const session = expectSession(log.events, state, receipts);
        expectPlans(log.events, state, expectTasks(log.events, state, session, receipts));
      }),
      { numRuns: 250 },
    );
    // The commands lead to every event, and to both kinds of evidence, or the property would say little.
    expect([...seen.keys()].sort()).toEqual(Object.keys(SESSION_EVENTS).sort());
    expect(Math.min(amount.stale, amount.fresh)).toBeGreaterThan(10);
  });
});
