import { operationId } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { DispatchToolCall } from '../commands.js';
import { isoTime, type DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import { flightKey, type SessionIdentity, type SessionState } from '../state.js';
import { event, expire, fileStateInput, hasLapsed, redact, requireCall, requireSession, sameAttempt, voidApproval } from './support.js';

/**
 * Lets a call run, after checking everything again (promise 11): the one decision after which a side effect may happen. The same
 * attempt gets the same answer (promise 12). What has become impossible while the caller waited is recorded and answered as the state
 * that it led to; what the caller got wrong is a problem that records nothing.
 *
 * @throws DomainError `not_found`, `operation_mismatch`, `approval_pending`, `already_dispatched`, `call_not_dispatchable`
 */
export function dispatchToolCall(state: SessionState, command: DispatchToolCall, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const found = requireCall(state, command.receiptId);
  if ('ended' in found) return answerEnded(found.ended, session, state, command, context);
  const call = found.open;
  if (namedOperation(session, call, command, context) !== call.operationId) throw mismatch();
  if (call.status === 'dispatched') {
    if (sameAttempt(call.attempt, command.attempt)) return [];
    throw new DomainError('already_dispatched', 'Another attempt runs this call.');
  }
  if (hasLapsed(call, context.now)) return expire(call, command.attempt);
  if (state.closed) return refuse(call, command, 'session_closed', 'The session was closed.');
  if (call.status === 'awaiting_approval') throw new DomainError('approval_pending', 'Nobody has decided on it yet.');
  if (isRepeatedOperation(state, call)) {
    return refuse(call, command, 'duplicate_operation', 'The same operation ran, runs, or may have run in this turn.');
  }
  return [dispatch(state, call, command, context)];
}

function dispatch(state: SessionState, call: Call, command: DispatchToolCall, context: DecisionContext): SessionEvent {
  if (call.operationId === null) throw new TypeError('an undispatched call has an operation');
  const { payloads, secrets } = redact(state, context, {
    before: command.before === null ? null : fileStateInput(context.key, command.before),
  });
  return event('ToolDispatched', {
    receiptId: call.receiptId,
    attempt: command.attempt,
    operationId: call.operationId,
    approvalId: call.approval?.approvalId ?? null,
    registryRevision: null,
    before: payloads.before,
    leaseSeconds: command.leaseSeconds,
    leaseUntil: isoTime(context.now + command.leaseSeconds * 1000),
    secrets,
  });
}

function refuse(call: Call, command: DispatchToolCall, code: string, detail: string): SessionEvent[] {
  return [...voidApproval(call, code), event('ToolCallRejected', { receiptId: call.receiptId, code, detail, attempt: command.attempt })];
}

/** An unregistered tool refuses to repeat an operation within its turn (promise 12: `refuse_in_turn`). */
function isRepeatedOperation(state: SessionState, call: Call): boolean {
  if (call.operationId === null || call.turn === null) return false;
  return state.inFlight.has(flightKey(call.operationId, call.turn)) || state.ended.mayHaveRun(call.operationId, call.turn);
}

function answerEnded(
  ended: EndedCall,
  session: SessionIdentity,
  state: SessionState,
  command: DispatchToolCall,
  context: DecisionContext,
): SessionEvent[] {
  if (ended.matchesAttempt(command.attempt)) {
    const recent = state.recent.get(command.receiptId);
    // By arguments only a call at hand can be compared, for its tool; named by id every one can.
    const named = 'operationId' in command.named ? command.named.operationId : recent && namedOperation(session, recent, command, context);
    if (named !== undefined && (named === null || !ended.matchesOperation(named))) throw mismatch();
    return [];
  }
  if (ended.revisions.dispatched !== null) throw new DomainError('already_dispatched', 'Another attempt ran this call.');
  throw new DomainError('call_not_dispatchable', `The call ended as ${ended.status}.`, { status: ended.status });
}

function namedOperation(session: SessionIdentity, call: Call, command: DispatchToolCall, context: DecisionContext): string | null {
  const { named } = command;
  if ('operationId' in named) return named.operationId;
  if (!named.arguments.ok || call.tool.source === null) return null;
  return operationId(context.key, {
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    tool: { source: call.tool.source, name: call.tool.name },
    canonicalArguments: named.arguments.canonical,
  });
}

const mismatch = (): DomainError => new DomainError('operation_mismatch', 'What is to be dispatched is not the operation of this call.');
