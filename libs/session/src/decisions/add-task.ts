import { DomainError, TASKS_PER_PLAN, type SessionEvent } from '@counterfoil/contracts';
import type { AddTask } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { planTasks, requireOpen, requirePlan, taskFingerprint } from './plan-support.js';
import { event, requireSession } from './support.js';

/**
 * Adds a task to the active plan; the same task again adds nothing.
 *
 * @throws DomainError `not_found`, `session_closed`, `plan_not_active`, `task_conflict`, `plan_full`, `identifier_is_secret`
 */
export function addTask(state: SessionState, command: AddTask, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const plan = requirePlan(state, command.planId);
  const before = plan.tasks.get(command.task.taskId);
  if (before !== undefined) {
    if (before.fingerprint === taskFingerprint(context, command.task)) return [];
    throw new DomainError('task_conflict', 'The plan has another task under this id.');
  }
  requireOpen(state);
  if (plan.tasks.size >= TASKS_PER_PLAN) throw new DomainError('plan_full', 'The plan has taken all its tasks.');
  const { tasks, secrets } = planTasks(state, context, [command.task], null);
  const [task] = tasks;
  if (task === undefined) throw new TypeError('one task went in');
  return [event('TaskAdded', { planId: plan.planId, userId: session.userId, task, secrets })];
}
