import type { CounterfoilEvent, TaskStatus } from '@counterfoil/contracts';
import { sessionOpened, toolCallRequested, toolDispatched, toolExecuted } from './events.js';
import { testLog, type TestLog } from './log.js';
import * as build from './plan-events.js';
import { toolRegistered, toolRetired } from './registry-events.js';
import { receiptNamed } from './values.js';

const WORKSPACES = ['w1', 'w1', 'w1', 'w2'];
const STATES: readonly TaskStatus[] = ['pending', 'running', 'blocked', 'succeeded', 'failed', 'cancelled'];
const SESSIONS = 7;

/**
 * A log with many plans over some sessions of two workspaces, for specs of queries: each supersedes the one before it in its session,
 * every third is closed. Their tasks are in all states; those that run have a call and evidence that rests on it, and every fifth plan
 * was followed by a call that outdates the evidence of its whole session.
 */
export function manyPlans(count: number, log: TestLog = testLog()): TestLog {
  const active = new Map<string, string>();
  for (let n = 0; n < count; n++) {
    const workspaceId = WORKSPACES[n % WORKSPACES.length] ?? 'w1';
    const sessionId = `s${n % SESSIONS}`;
    const userId = `u${(n % SESSIONS) % 3}`;
    const stream = `session-${workspaceId}/${sessionId}`;
    // Plan ids repeat from session to session.
    const planId = `p${Math.floor(n / SESSIONS)}`;
    if (!log.has(stream)) log.append(stream, sessionOpened({ workspaceId, sessionId, userId, rootSessionId: sessionId }));
    const before = active.get(stream) ?? null;
    if (before !== null) log.append(stream, build.workingPlanClosed({ planId: before, cause: 'superseded', by: planId }));
    const tasks = Array.from({ length: 1 + (n % 5) }, (_, i) => `t${i}`);
    log.append(
      stream,
      build.workingPlanActivated({ planId, userId, supersedes: before, tasks: tasks.map((taskId) => build.plannedTask(taskId)) }),
    );
    active.set(stream, planId);
    for (const [i, taskId] of tasks.entries()) {
      log.append(stream, ...livesOf(STATES[(n + i) % STATES.length] ?? 'pending', { workspaceId, sessionId, userId, planId, taskId }));
    }
    if (n % 5 === 4) log.append(stream, ...callOf({ workspaceId, sessionId, userId, planId: null, taskId: null }, `loose-${n}`));
    if (n % 3 === 2) {
      log.append(stream, build.workingPlanClosed({ planId }));
      active.delete(stream);
    }
  }
  return log;
}

interface Bound {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly planId: string | null;
  readonly taskId: string | null;
}

function livesOf(status: TaskStatus, task: Bound & { readonly planId: string; readonly taskId: string }): readonly CounterfoilEvent[] {
  const ofTask = { planId: task.planId, taskId: task.taskId };
  switch (status) {
    case 'pending':
      return [];
    case 'running': {
      const label = `${task.workspaceId}-${task.sessionId}-${task.planId}-${task.taskId}-`;
      const source = { kind: 'receipt', receiptId: receiptNamed(label) } as const;
      const evidence = build.evidenceRecorded({ ...ofTask, evidenceId: `e-${task.planId}-${task.taskId}`, source });
      return [build.taskStarted(ofTask), ...callOf(task, label), evidence];
    }
    case 'blocked':
      return [build.taskBlocked(ofTask)];
    case 'succeeded':
      return [build.taskStarted(ofTask), build.taskSucceeded(ofTask)];
    case 'failed':
      return [build.taskFailed(ofTask)];
    case 'cancelled':
      return [build.taskCancelled(ofTask)];
  }
}

function callOf(task: Bound, label: string): readonly CounterfoilEvent[] {
  const receiptId = receiptNamed(label);
  const { planId, taskId } = task;
  const isBound = taskId !== null;
  return [
    toolCallRequested({
      ...task,
      receiptId,
      rootSessionId: task.sessionId,
      callId: label,
      association: { kind: isBound ? 'task' : 'none', taskId },
    }),
    toolDispatched({ receiptId, planId, taskId, outdates: isBound ? 'task' : 'session' }),
    toolExecuted({ receiptId }),
  ];
}

/** A log with many tools of five servers in two workspaces: every third retired, every fourth registered twice. */
export function manyTools(count: number, log: TestLog = testLog()): TestLog {
  for (let n = 0; n < count; n++) {
    const workspaceId = WORKSPACES[n % WORKSPACES.length] ?? 'w1';
    const tool = { workspaceId, source: `mcp:${n % 5}`, name: `tool ${n}` };
    const stream = `registry-${workspaceId}`;
    log.append(stream, toolRegistered(tool));
    if (n % 4 === 0) log.append(stream, toolRegistered({ ...tool, version: '2' }));
    if (n % 3 === 0) log.append(stream, toolRetired(tool));
  }
  return log;
}
