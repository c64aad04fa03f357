import { parseApprovalId } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { DenyApproval, GrantApproval } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import type { SessionState } from '../state.js';
import { amend, amendedOperation } from './amend.js';
import { event, hasLapsed, redact, requireCall, requireSession } from './support.js';

/**
 * Grants exactly the operation that the approver was shown (promise 8), or that call with edited arguments: then the call is another
 * operation, and the approval is bound to it in the same append. The same approver granting the same again adds nothing.
 *
 * @throws DomainError `not_found`, `four_eyes`, `operation_mismatch`, `approval_expired`, `approval_decided`, `approval_voided`,
 *   `session_closed`, `amendment_invalid`, `amendment_needs_vault`, `too_large_to_approve`
 */
export function grantApproval(state: SessionState, command: GrantApproval, context: DecisionContext): SessionEvent[] {
  const found = findApproval(state, command.approvalId);
  if ('ended' in found) return grantedBefore(found.ended, found.receiptId, state, command, context);
  const { open: call } = found;
  const wanted = amendedOperation(state, call, command, context);
  if (!isAsShown(call, command, wanted)) throw mismatch();
  // Four eyes: by principal, so that a second key of the requester doesn't help (promise 10).
  if (call.requestedBy === context.principal) throw new DomainError('four_eyes', 'Whoever requested a call cannot approve it.');
  if (isDecided(state, call, 'granted', context)) {
    if (call.operationId === wanted) return [];
    throw new DomainError('approval_decided', 'The approval was decided already, for another operation.', { state: call.approval?.state });
  }
  const granted = event('ApprovalGranted', { ...decision(state, call, command, context), operationId: wanted });
  return wanted === call.operationId ? [granted] : [amend(state, call, command, context, wanted), granted];
}

/** Of an amended call: the grant that amended it said again, or one that names what it has become. */
function isAsShown(call: Call, command: GrantApproval, wanted: string): boolean {
  if (call.amendedFrom === null) return command.operationId === call.operationId;
  const named = command.amended === null ? call.operationId : call.amendedFrom;
  return command.operationId === named && wanted === call.operationId;
}

function grantedBefore(
  ended: EndedCall,
  receiptId: string,
  state: SessionState,
  command: GrantApproval,
  context: DecisionContext,
): SessionEvent[] {
  if (command.amended === null) return decidedBefore(ended, ['consumed'], command.operationId, context);
  const call = state.recent.get(receiptId);
  if (call === undefined) throw new TypeError('a call that is granted with edited arguments was read back');
  const wanted = amendedOperation(state, call, command, context);
  if (!isAsShown(call, command, wanted)) throw mismatch();
  // Edited arguments that the call never ran with are another decision, not the same one said again.
  return decidedBefore(ended, wanted === call.operationId ? ['consumed'] : [], null, context);
}

/**
 * Denies the operation and so ends the call. The same approver denying again adds nothing.
 *
 * @throws as grantApproval, but for `four_eyes`: who requested a call may also take it back
 */
export function denyApproval(state: SessionState, command: DenyApproval, context: DecisionContext): SessionEvent[] {
  const found = findApproval(state, command.approvalId);
  if ('ended' in found) return decidedBefore(found.ended, ['denied'], command.operationId, context);
  const { open: call } = found;
  if (command.operationId !== null && call.operationId !== command.operationId) throw mismatch();
  if (isDecided(state, call, 'denied', context)) return [];
  return [event('ApprovalDenied', decision(state, call, command, context))];
}

function findApproval(
  state: SessionState,
  approvalId: string,
): { readonly open: Call } | { readonly ended: EndedCall; readonly receiptId: string } {
  requireSession(state);
  const parsed = parseApprovalId(approvalId);
  const receiptId = parsed === null || parsed.sessionId !== state.identity?.sessionId ? null : state.approvals.at(parsed.n);
  if (receiptId === null) throw new DomainError('not_found', 'There is no such approval.');
  const found = requireCall(state, receiptId);
  return 'open' in found ? found : { ...found, receiptId };
}

/** True when this principal has said the same already. @throws DomainError when the approval can't be decided any more */
function isDecided(session: SessionState, call: Call, wanted: 'granted' | 'denied', context: DecisionContext): boolean {
  const state = call.approval?.state;
  // What time or the end of the session has undone is undone, also before an event says so (promise 7).
  if (hasLapsed(call, context.now)) throw new DomainError('approval_expired', 'The time of the approval is over.');
  if (session.closed && state !== 'consumed') throw new DomainError('session_closed', 'The session was closed.');
  if (state === 'pending') return false;
  const said = state === 'consumed' ? 'granted' : state;
  if (said === wanted && call.approval?.by === context.principal) return true;
  throw new DomainError('approval_decided', 'The approval was decided already.', { state });
}

function decidedBefore(ended: EndedCall, same: readonly string[], operationId: string | null, context: DecisionContext): SessionEvent[] {
  if (operationId !== null && !ended.matchesOperation(operationId)) throw mismatch();
  const state = ended.approvalState;
  if (state !== null && same.includes(state) && ended.decidedBy(context.principal)) return [];
  if (state === 'expired') throw new DomainError('approval_expired', 'The approval expired.');
  if (state === 'voided') throw new DomainError('approval_voided', 'The approval was voided.');
  throw new DomainError('approval_decided', 'The approval was decided already.', { state });
}

function decision(state: SessionState, call: Call, command: GrantApproval | DenyApproval, context: DecisionContext) {
  const { approval } = call;
  if (approval === null) throw new TypeError('an approval that was found has a call that holds it');
  const { payloads, secrets } = redact(state, context, { note: command.note });
  return {
    receiptId: call.receiptId,
    approvalId: approval.approvalId,
    operationId: approval.operationId,
    by: context.principal,
    note: payloads.note,
    secrets,
  };
}

const mismatch = (): DomainError => new DomainError('operation_mismatch', 'That is not the operation that this approval is about.');
