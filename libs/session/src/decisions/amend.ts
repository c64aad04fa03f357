import { operationId } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { GrantApproval } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { expectationOf } from '../expectation.js';
import { canBeShown, isStoredWhole } from '../payloads.js';
import type { SessionState } from '../state.js';
import { event, redact, requireSession } from './support.js';

/**
 * The operation that a grant is about: the one that was shown, or that of the edited arguments.
 *
 * @throws DomainError `amendment_invalid` for arguments that have no exact canonical form
 */
export function amendedOperation(state: SessionState, call: Call, command: GrantApproval, context: DecisionContext): string {
  if (command.amended === null) return command.operationId;
  const session = requireSession(state);
  if (!command.amended.ok) throw new DomainError('amendment_invalid', command.amended.detail, { reason: command.amended.code });
  if (call.tool.source === null) throw new TypeError('a live call has a tool with a source');
  return operationId(context.key, {
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    tool: { source: call.tool.source, name: call.tool.name },
    canonicalArguments: command.amended.canonical,
  });
}

/**
 * Makes the call another operation. The approver edits what it sees, and the runner runs what is handed back: so both must be stored
 * whole and unredacted (promise 8).
 *
 * @throws DomainError `amendment_needs_vault`, `amendment_invalid`, `too_large_to_approve`
 */
export function amend(state: SessionState, call: Call, command: GrantApproval, context: DecisionContext, wanted: string): SessionEvent {
  const { amended } = command;
  const { approval, operationId: from } = call;
  if (amended?.ok !== true || approval === null || from === null)
    throw new TypeError('only a shown call is amended, with admitted arguments');
  if (!call.isStoredWhole) throw needsVault('The arguments that were requested are not stored whole.');
  const tool = call.tool.source === null ? null : context.registry.find(call.tool.source, call.tool.name);
  if ((tool?.spec.specDigest ?? null) !== call.specDigest) {
    // What is approved is the tool as it was requested (promise 7): another one's schema and effect are not the measure of this call.
    throw new DomainError('amendment_invalid', 'The tool was registered, changed or retired after the call was requested.', {
      reason: 'tool_changed',
    });
  }
  const violation = tool?.violation(amended.canonical) ?? null;
  if (violation !== null) {
    throw new DomainError('amendment_invalid', `Against the tool's input schema: ${violation}`, { reason: 'arguments_schema_violation' });
  }
  const { payloads, secrets } = redact(state, context, { arguments: { kind: 'json', text: amended.text } });
  if (payloads.arguments === null) throw new TypeError('the door gave no arguments back');
  if (payloads.arguments.redactions.length > 0) throw needsVault('The edited arguments hold a secret, so they could not be handed back.');
  if (!canBeShown(payloads.arguments) || !isStoredWhole(payloads.arguments)) {
    throw new DomainError('too_large_to_approve', 'The edited arguments could not be stored whole.');
  }
  return event('ToolCallAmended', {
    receiptId: call.receiptId,
    approvalId: approval.approvalId,
    from,
    operationId: wanted,
    arguments: payloads.arguments,
    expectation: expectationOf(context.key, tool?.spec ?? null, amended.canonical),
    by: context.principal,
    secrets,
  });
}

const needsVault = (detail: string): DomainError => new DomainError('amendment_needs_vault', detail);
