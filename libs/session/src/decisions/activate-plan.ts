import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { ActivatePlan } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { saidFingerprint } from '../fingerprints.js';
import type { SessionState } from '../state.js';
import { planTasks, PLANS_PER_SESSION, requireOpen, taskFingerprint } from './plan-support.js';
import { event, refuseSecretIdentifiers, requireSession } from './support.js';

/**
 * Activates a Working Plan; the one that was active is superseded in the same append. A plan id is used once in a session: the same plan
 * again adds nothing, also after it was closed.
 *
 * @throws DomainError `not_found`, `session_closed`, `plan_conflict`, `plan_full`, `identifier_is_secret`
 */
export function activatePlan(state: SessionState, command: ActivatePlan, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const { planId, title } = command;
  const fingerprint = saidFingerprint(context.key, ['plan', planId, title, command.tasks.map((task) => taskFingerprint(context, task))]);
  const before = state.planFingerprints.get(planId);
  if (before === fingerprint) return [];
  if (before !== undefined) throw new DomainError('plan_conflict', 'The session had another plan under this id.');
  requireOpen(state);
  if (state.planFingerprints.size >= PLANS_PER_SESSION) throw new DomainError('plan_full', 'The session has taken all its plans.');
  const { tasks, title: titlePayload, secrets } = planTasks(state, context, command.tasks, title);
  refuseSecretIdentifiers(context, [...state.known, ...secrets], { planId });
  const supersedes = state.plan?.planId ?? null;
  const activated = event('WorkingPlanActivated', {
    planId,
    userId: session.userId,
    title: titlePayload,
    tasks,
    supersedes,
    fingerprint,
    secrets,
  });
  if (supersedes === null) return [activated];
  return [event('WorkingPlanClosed', { planId: supersedes, cause: 'superseded', by: planId, reason: null, secrets: [] }), activated];
}
