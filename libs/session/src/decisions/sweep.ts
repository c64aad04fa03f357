import type { SessionEvent } from '@counterfoil/contracts';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { CALLS_ENDED_PER_APPEND, endLeftovers } from './close-session.js';
import { event, expire, hasLapsed } from './support.js';

/**
 * Says what time has decided: approvals past their expiry, leases past their end, leftovers of a closed session. Decided on the
 * session itself, so that several sweepers can't do harm; as much as one append takes, the rest the next time. A call that waits for a
 * person is only ever expired with its approval, never timed out (promise 20).
 */
export function sweep(state: SessionState, context: DecisionContext): SessionEvent[] {
  if (state.identity === null) return [];
  const events = state.closed ? endLeftovers(state, context.now) : [];
  for (const call of state.open.values()) {
    if (events.length >= CALLS_ENDED_PER_APPEND) break;
    if (call.status === 'dispatched') {
      const { attempt, leaseUntil, receiptId } = call;
      if (attempt !== null && leaseUntil !== null && context.now >= Date.parse(leaseUntil)) {
        events.push(event('ToolOutcomeLost', { receiptId, attempt, leaseUntil }));
      }
    } else if (!state.closed && hasLapsed(call, context.now)) {
      events.push(...expire(call, null));
    }
  }
  return events;
}
