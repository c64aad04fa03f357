import { DomainError, type SessionEvent, type TaskStatus } from '@counterfoil/contracts';
import type { ChangeTask, TaskChange } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { saidFingerprint } from '../fingerprints.js';
import type { SessionState } from '../state.js';
import { requireOpen, requireTask } from './plan-support.js';
import { event, redact } from './support.js';

interface Transition {
  readonly from: readonly TaskStatus[];
  readonly type: 'TaskStarted' | 'TaskBlocked' | 'TaskUnblocked' | 'TaskFailed' | 'TaskCancelled' | 'TaskReopened';
}

/** What follows on what (design §4, States). A terminal state is left by a reopening alone (promise 16). */
const TRANSITIONS: Readonly<Record<TaskChange, Transition>> = {
  start: { from: ['pending'], type: 'TaskStarted' },
  block: { from: ['pending', 'running'], type: 'TaskBlocked' },
  unblock: { from: ['blocked'], type: 'TaskUnblocked' },
  fail: { from: ['pending', 'running', 'blocked'], type: 'TaskFailed' },
  cancel: { from: ['pending', 'running', 'blocked'], type: 'TaskCancelled' },
  reopen: { from: ['succeeded', 'failed', 'cancelled'], type: 'TaskReopened' },
};

/**
 * One transition of a task. What led to the present state, said again, adds nothing.
 *
 * @throws DomainError `not_found`, `session_closed`, `plan_not_active`, `task_state`
 */
export function changeTask(state: SessionState, command: ChangeTask, context: DecisionContext): SessionEvent[] {
  const { plan, task } = requireTask(state, command);
  const { from, type } = TRANSITIONS[command.change];
  const reason = command.reason === null ? null : JSON.stringify(command.reason.text);
  const fingerprint = saidFingerprint(context.key, [command.change, plan.planId, task.taskId, reason]);
  if (task.changedBy === fingerprint) return [];
  requireOpen(state);
  if (!from.includes(task.status)) {
    throw new DomainError('task_state', `The task is ${task.status}, so it can't be the subject of ${command.change}.`, {
      status: task.status,
      allowed: from,
    });
  }
  const { payloads, secrets } = redact(state, context, { reason: command.reason });
  return [event(type, { planId: plan.planId, taskId: task.taskId, reason: payloads.reason, fingerprint, secrets })];
}
