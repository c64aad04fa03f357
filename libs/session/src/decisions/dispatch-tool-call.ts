import { operationId } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { DispatchToolCall } from '../commands.js';
import { isEligible } from '../task.js';
import { isoTime, type DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import { flightKey, type SessionIdentity, type SessionState } from '../state.js';
import { outdatesOf } from './outdates.js';
import { refusal } from './request-tool-call.js';
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
  const obstacle = taskObstacle(state, call) ?? registryObstacle(call, context) ?? duplicateObstacle(state, call);
  if (obstacle !== null) return refuse(call, command, obstacle.code, obstacle.detail);
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
    registryRevision: context.registry.revision,
    planId: call.planId,
    taskId: call.planId === null ? null : call.taskId,
    outdates: outdatesOf(state, { ...call, sideEffects: call.tool.sideEffects }),
    before: payloads.before,
    leaseSeconds: command.leaseSeconds,
    leaseUntil: isoTime(context.now + command.leaseSeconds * 1000),
    secrets,
  });
}

function refuse(call: Call, command: DispatchToolCall, code: string, detail: string): SessionEvent[] {
  return [...voidApproval(call, code), event('ToolCallRejected', { receiptId: call.receiptId, code, detail, attempt: command.attempt })];
}

interface Obstacle {
  readonly code: string;
  readonly detail: string;
}

/** The plan and the task may have changed while the call waited, also to another plan with the same task ids (promise 11). */
function taskObstacle(state: SessionState, call: Call): Obstacle | null {
  if (call.planId === null || call.taskId === null) return null;
  if (state.plan?.planId !== call.planId)
    return { code: 'plan_not_active', detail: 'The plan of its task is not the active one any more.' };
  const task = state.plan.tasks.get(call.taskId);
  if (task !== undefined && isEligible(task.status)) return null;
  return { code: 'task_not_eligible', detail: 'Its task is neither pending nor running any more.' };
}

/** So may the tool and the policy: what was approved is the tool as it was (promise 7), and a policy only ever restricts (promise 10). */
function registryObstacle(call: Call, { registry }: DecisionContext): Obstacle | null {
  const { source, name, sideEffects } = call.tool;
  if (source === null) return null;
  const tool = registry.find(source, name);
  if ((tool?.spec.specDigest ?? null) !== call.specDigest) {
    return { code: 'tool_changed', detail: 'The tool was registered, changed or retired after the call was requested.' };
  }
  const verdict = registry.judge({ source, name, sideEffects, known: tool !== null });
  if (verdict.then === 'refuse') return { code: 'policy_refused', detail: refusal(verdict) };
  if (verdict.then === 'require_approval' && call.approval === null) {
    return { code: 'approval_required', detail: 'The policy demands an approval now, and the call was requested without one.' };
  }
  return null;
}

/** What succeeded, is in flight or is unknown stands in the way, as far as the tool's setting says (promise 12). */
function duplicateObstacle(state: SessionState, call: Call): Obstacle | null {
  if (call.operationId === null || call.turn === null || call.duplicates === 'allow') return null;
  const turn = call.duplicates === 'refuse_in_session' ? null : call.turn;
  if (!state.inFlight.has(flightKey(call.operationId, turn)) && !state.ended.mayHaveRun(call.operationId, turn)) return null;
  const where = turn === null ? 'session' : 'turn';
  return { code: 'duplicate_operation', detail: `The same operation ran, runs, or may have run in this ${where}.` };
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
