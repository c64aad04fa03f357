import type { CallStatus, CounterfoilEvent, SideEffectClass } from '@counterfoil/contracts';
import * as build from './events.js';
import { historyStream, importedPair } from './imported.js';
import { LOG_BEGINS, testLog, type TestLog } from './log.js';
import { plannedTask, workingPlanActivated } from './plan-events.js';
import { attemptOf, outcomeOf, receiptNamed, verificationOf } from './values.js';

/** Lease end of the calls of manyCalls that are in flight: a second later for each call. */
export const leaseOf = (n: number): string => new Date(LOG_BEGINS + (3600 + n) * 1000).toISOString();

/** The plan of each session of manyCalls, with the tasks t0, t1 and t2. */
export const MANY_CALLS_PLAN = 'p1';

const CLASSES: readonly SideEffectClass[] = ['read_only', 'filesystem', 'process', 'remote', 'destructive', 'internal'];
const WORKSPACES = ['w1', 'w1', 'w1', 'w2'];
/** Every tenth record is imported; the other states take turns. */
const LIVES: readonly (readonly [CallStatus, (call: Call) => readonly CounterfoilEvent[]])[] = [
  ['requested', () => []],
  ['awaiting_approval', (call) => [call.asks]],
  ['approved', (call) => [call.asks, build.approvalGranted(call.approval)]],
  ['dispatched', (call) => [call.runs]],
  ['succeeded', (call) => [call.runs, call.reports('succeeded')]],
  ['failed', (call) => [call.runs, call.reports('failed')]],
  ['timed_out', (call) => [call.runs, call.reports('timed_out')]],
  ['interrupted', (call) => [call.runs, call.reports('interrupted')]],
  ['cancelled', (call) => [build.toolCallCancelled({ receiptId: call.receiptId })]],
  ['unknown', (call) => [call.runs, build.toolOutcomeLost({ receiptId: call.receiptId })]],
  ['rejected', (call) => [build.toolCallRejected({ receiptId: call.receiptId })]],
  ['denied', (call) => [call.asks, build.approvalDenied(call.approval)]],
  ['expired', (call) => [call.asks, build.approvalExpired(call.approval)]],
];

interface Call {
  readonly receiptId: string;
  readonly approval: { readonly receiptId: string; readonly approvalId: string };
  readonly asks: CounterfoilEvent;
  readonly runs: CounterfoilEvent;
  reports(status: 'succeeded' | 'failed' | 'timed_out' | 'interrupted'): CounterfoilEvent;
}

/**
 * A log with many calls of all states, tools, users and sessions, some of them imported, over two workspaces: for specs of queries. Each
 * session has a plan, to whose tasks every fourth call is bound.
 * Every seventh event was recorded by a clock that was an hour behind.
 *
 * @param from number of the first call; logs that go on from one another share sessions
 */
export function manyCalls(count: number, log: TestLog = testLog(), from = 0): TestLog {
  for (let n = from; n < from + count; n++) {
    if (n % 10 === 9) appendImported(log, n);
    else appendLive(log, n);
  }
  return log;
}

function appendLive(log: TestLog, n: number): void {
  const workspaceId = WORKSPACES[n % WORKSPACES.length] ?? 'w1';
  const session = (n * 5) % 23;
  const sessionId = `s${session}`;
  const stream = `session-${workspaceId}/${sessionId}`;
  const userId = `u${session % 3}`;
  // Every fifth session is a subagent's, of the one before it.
  const rootSessionId = session % 5 === 4 ? `s${session - 1}` : sessionId;
  const append = (event: CounterfoilEvent): unknown => log.appendParts(stream, [event], clockOf(log));
  if (!log.has(stream)) {
    append(build.sessionOpened({ workspaceId, sessionId, userId, rootSessionId }));
    append(workingPlanActivated({ planId: MANY_CALLS_PLAN, userId, tasks: ['t0', 't1', 't2'].map((taskId) => plannedTask(taskId)) }));
  }
  const taskId = n % 4 === 0 ? `t${n % 3}` : null;
  const planId = taskId === null ? null : MANY_CALLS_PLAN;
  const call = callOf(n, sessionId, { planId, taskId });
  append(
    build.toolCallRequested({
      receiptId: call.receiptId,
      workspaceId,
      userId,
      sessionId,
      turn: `turn ${n % 6}`,
      callId: `call_${n}`,
      rootSessionId,
      planId,
      taskId,
      association: { kind: taskId === null ? 'none' : 'task', taskId },
      operationId: `k1:operation-${n % 17}`.padEnd(46, '0'),
      tool: {
        source: `mcp:${n % 2}`,
        name: `tool ${(n * 7) % 5}`,
        version: null,
        specDigest: null,
        sideEffects: CLASSES[(n * 11) % CLASSES.length] ?? 'destructive',
        declared: null,
      },
    }),
  );
  for (const event of LIVES[(n * 3) % LIVES.length]?.[1](call) ?? []) append(event);
}

function callOf(n: number, sessionId: string, bound: { readonly planId: string | null; readonly taskId: string | null }): Call {
  const receiptId = receiptNamed(`call-${n}-`);
  const approval = { receiptId, approvalId: `apr_${sessionId}_${n}` };
  return {
    receiptId,
    approval,
    asks: build.approvalRequested({ ...approval, expiresAt: leaseOf(n) }),
    runs: build.toolDispatched({ receiptId, leaseUntil: leaseOf(n), ...bound, outdates: bound.taskId === null ? 'session' : 'task' }),
    reports: (status) =>
      build.toolExecuted({
        receiptId,
        attempt: attemptOf(1),
        outcome: outcomeOf(status),
        verification: verificationOf(n % 3 === 0 ? 'verified' : n % 3 === 1 ? 'failed' : 'unavailable'),
      }),
  };
}

function appendImported(log: TestLog, n: number): void {
  // Two records of each old receipt, in two streams.
  const coordinates = { workspace: `source-${n % 20}`, eventId: `evt_${n}`, receiptId: `receipt_${Math.floor(n / 20)}` };
  const status = n % 3 === 0 ? 'failed' : 'succeeded';
  const parts = importedPair(`old-${n}-`, {
    provenance: { coordinates },
    requested: { userId: n % 20 === 9 ? 'u1' : null, association: { kind: 'recorded', taskId: `task_${n % 7}` } },
    observed: { status, outcome: outcomeOf(status) },
  });
  log.appendParts(historyStream(`old-${n}`), parts, {
    ...clockOf(log),
    occurredAt: `2026-08-20T09:15:${(n % 60).toString().padStart(2, '0')}Z`,
  });
}

function clockOf(log: TestLog): { readonly behindSeconds?: number } {
  return log.events.length % 7 === 0 ? { behindSeconds: 3600 } : {};
}
