import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { CompleteTask } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { unmetOf } from '../criteria.js';
import { saidFingerprint } from '../fingerprints.js';
import type { SessionState } from '../state.js';
import { requireOpen, requireTask } from './plan-support.js';
import { event, redact, refuseSecretIdentifiers } from './support.js';

/**
 * Completes a task: by evidence for each criterion, one for one, or, without criteria, by an explicit acceptance with its reason. Nothing
 * else ever does, whatever succeeded (promise 15).
 *
 * @throws DomainError `completion_unmet` with what is unmet and why, `not_found`, `session_closed`, `plan_not_active`, `task_state`
 */
export function completeTask(state: SessionState, command: CompleteTask, context: DecisionContext): SessionEvent[] {
  const { plan, task } = requireTask(state, command);
  const met = command.met
    .map(({ criterionId, evidenceId }) => ({ criterionId, evidenceId }))
    .sort((a, b) => (a.criterionId < b.criterionId ? -1 : Number(a.criterionId > b.criterionId)));
  const acceptance = command.acceptance === null ? null : JSON.stringify(command.acceptance.text);
  const fingerprint = saidFingerprint(context.key, ['complete', plan.planId, task.taskId, met, acceptance]);
  if (task.changedBy === fingerprint) return [];
  requireOpen(state);
  if (task.status !== 'running') {
    throw new DomainError('task_state', `The task is ${task.status}; only a running one is completed.`, {
      status: task.status,
      allowed: ['running'],
    });
  }
  // The answer names what was named: it must not be what one would hide (promise 21).
  refuseSecretIdentifiers(
    context,
    state.known,
    Object.fromEntries(met.map(({ criterionId }, at) => [`met.${String(at)}.criterionId`, criterionId])),
  );
  const unmet = unmetOf(state, task, command);
  if (unmet.length > 0) throw new DomainError('completion_unmet', 'Not every criterion is met; `unmet` says which, and why.', { unmet });
  const { payloads, secrets } = redact(state, context, { acceptance: command.acceptance });
  return [event('TaskSucceeded', { planId: plan.planId, taskId: task.taskId, met, acceptance: payloads.acceptance, fingerprint, secrets })];
}
