import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { CancelToolCall } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { event, expire, hasLapsed, redact, requireCall, requireSession, voidApproval } from './support.js';

/**
 * Before dispatch it ends the call; after dispatch it is a request, and the runner's report or the lease ends the call (promise 20).
 *
 * @throws DomainError `not_found`, `call_ended`
 */
export function cancelToolCall(state: SessionState, command: CancelToolCall, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const found = requireCall(state, command.receiptId);
  if ('ended' in found) {
    if (found.ended.status === 'cancelled') return [];
    throw new DomainError('call_ended', `The call ended as ${found.ended.status}.`, { status: found.ended.status });
  }
  const call = found.open;
  if (hasLapsed(call, context.now)) return expire(call, null);
  if (call.cancelRequested) return [];
  const { payloads, secrets } = redact(state, context, { reason: command.reason });
  const said = { receiptId: call.receiptId, reason: payloads.reason, secrets };
  if (call.status === 'dispatched') return [event('CancelRequested', said)];
  return [...voidApproval(call, 'cancelled'), event('ToolCallCancelled', { ...said, cause: 'requested' })];
}
