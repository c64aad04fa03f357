import type { SessionEvent } from '@counterfoil/contracts';
import { isUndispatched, type Call } from '../call.js';
import type { CloseSession } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { event, expire, hasLapsed, redact, requireSession, voidApproval } from './support.js';

/** So many calls are ended in one append, so that it stays under its 768 KiB; the caller repeats the command until nothing is left. */
export const CALLS_ENDED_PER_APPEND = 250;

/**
 * Closes the session, then voids approvals and cancels calls that were not dispatched: as many as one append takes. Decided again on a
 * closed session it goes on with what is left; on one with nothing left it adds nothing. Dispatched calls still take their results.
 *
 * @throws DomainError `not_found`
 */
export function closeSession(state: SessionState, command: CloseSession, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const leftovers = endLeftovers(state, context.now);
  if (state.closed) return leftovers;
  const { payloads, secrets } = redact(state, context, { reason: command.reason });
  return [event('SessionClosed', { reason: payloads.reason, secrets }), ...leftovers];
}

/** The events that end the undispatched calls of a closed (or closing) session. */
export function endLeftovers(state: SessionState, now: number): SessionEvent[] {
  const events: SessionEvent[] = [];
  let calls = 0;
  for (const call of state.open.values()) {
    if (!isUndispatched(call.status)) continue;
    events.push(...endLeftover(call, now));
    if (++calls === CALLS_ENDED_PER_APPEND) break;
  }
  return events;
}

function endLeftover(call: Call, now: number): SessionEvent[] {
  // What had expired before the session closed stays expired (promise 9).
  if (hasLapsed(call, now)) return expire(call, null);
  const cancelled = event('ToolCallCancelled', { receiptId: call.receiptId, cause: 'session_closed', reason: null, secrets: [] });
  return [...voidApproval(call, 'session_closed'), cancelled];
}
