import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { ExtendLease } from '../commands.js';
import { isoTime, type DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { event, requireCall, requireSession, sameAttempt } from './support.js';

/**
 * A runner's heartbeat. An event is added at most once per half lease, so that a busy runner doesn't fill the stream (design §4).
 *
 * @throws DomainError `not_found`, `call_ended`, `call_not_dispatched`, `attempt_mismatch`
 */
export function extendLease(state: SessionState, command: ExtendLease, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const found = requireCall(state, command.receiptId);
  if ('ended' in found) throw new DomainError('call_ended', `The call ended as ${found.ended.status}.`, { status: found.ended.status });
  const call = found.open;
  if (call.status !== 'dispatched' || call.leaseUntil === null || call.leaseSeconds === null || call.attempt === null) {
    throw new DomainError('call_not_dispatched', `The call is ${call.status}.`, { status: call.status });
  }
  if (!sameAttempt(call.attempt, command.attempt)) throw new DomainError('attempt_mismatch', 'Another attempt runs this call.');
  const leaseSeconds = command.leaseSeconds ?? call.leaseSeconds;
  const until = Date.parse(call.leaseUntil);
  const halfOver = until - context.now <= (call.leaseSeconds * 1000) / 2;
  const wanted = context.now + leaseSeconds * 1000;
  // A heartbeat never shortens a lease.
  if (!halfOver || wanted <= until) return [];
  return [event('LeaseExtended', { receiptId: call.receiptId, attempt: call.attempt, leaseSeconds, leaseUntil: isoTime(wanted) })];
}
