import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { ClosePlan } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { requireOpen } from './plan-support.js';
import { event, redact, requireSession } from './support.js';

/**
 * Closes the active plan: its tasks stay as they are, and no call can be bound to them any more. A plan that is closed already stays so.
 *
 * @throws DomainError `not_found`, `session_closed`
 */
export function closePlan(state: SessionState, command: ClosePlan, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  if (state.plan?.planId !== command.planId) {
    if (state.planFingerprints.has(command.planId)) return [];
    throw new DomainError('not_found', 'There is no such plan in this session.');
  }
  requireOpen(state);
  const { payloads, secrets } = redact(state, context, { reason: command.reason });
  return [event('WorkingPlanClosed', { planId: command.planId, cause: 'closed', by: null, reason: payloads.reason, secrets })];
}
