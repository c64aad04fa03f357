import { approvalId, CanonicalError, canonicalText, operationId, receiptId, requestFingerprint } from '@counterfoil/canonical';
import { DomainError, type Payload, type SessionEvent } from '@counterfoil/contracts';
import type { RequestToolCall } from '../commands.js';
import { isoTime, type DecisionContext } from '../context.js';
import type { SessionIdentity, SessionState } from '../state.js';
import { assignTool } from '../tool.js';
import { event, redact, refuseSecretIdentifiers, requireSession } from './support.js';

/** A session takes so many calls (design §4). */
export const CALLS_PER_SESSION = 100_000;

/**
 * Records what a model asked for. The same request again adds nothing; the same call id in the same turn with other content is a
 * conflict that records nothing (promise 2). Arguments without an exact canonical form are recorded and rejected (promise 5).
 *
 * @throws DomainError `not_found`, `call_conflict`, `session_closed`, `session_full`, `identifier_is_secret`,
 *   `body_anomaly`
 */
export function requestToolCall(state: SessionState, command: RequestToolCall, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const id = receiptIdOf(session, command);
  const operation = operationOf(session, command, context);
  const fingerprint = fingerprintOf(command, context);
  if (isRepeated(state, id, fingerprint)) return [];
  if (state.closed) throw new DomainError('session_closed', 'The session takes no more calls.');
  if (state.calls >= CALLS_PER_SESSION) throw new DomainError('session_full', 'The session has taken all its calls.');
  const declared = command.tool.declared;
  const args = command.arguments;
  const { payloads, secrets } = redact(state, context, {
    arguments:
      args.ok || args.code !== 'arguments_not_json'
        ? { kind: 'json', text: args.text }
        : { kind: 'text', text: args.text, anomalies: ['not_json'] },
    declared: declared === null ? null : { kind: 'json', text: declared },
  });
  refuseSecretIdentifiers(context, [...state.known, ...secrets], {
    callId: command.callId,
    turn: command.turn,
    'tool.source': command.tool.source,
    'tool.name': command.tool.name,
    taskId: command.taskId,
  });
  const { arguments: argumentsPayload } = payloads;
  if (argumentsPayload === null) throw new TypeError('the door gave no arguments back');
  const requested = event('ToolCallRequested', {
    receiptId: id,
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    turn: command.turn,
    callId: command.callId,
    callIdSource: command.callIdSource,
    tool: { ...assignTool(command.tool), declared: payloads.declared },
    arguments: argumentsPayload,
    operationId: operation,
    requestFingerprint: fingerprint,
    association: { kind: 'none', taskId: null },
    planId: null,
    taskId: command.taskId,
    approval: { required: command.requireApproval, reasons: command.requireApproval ? [{ code: 'requested', ruleId: null }] : [] },
    registryRevision: null,
    secrets,
    provenance: { kind: 'live' },
  });
  return [requested, ...whatFollows(state, session, command, context, { id, operation, payload: argumentsPayload })];
}

interface Requested {
  readonly id: string;
  readonly operation: string | null;
  readonly payload: Payload;
}

function whatFollows(
  state: SessionState,
  session: SessionIdentity,
  command: RequestToolCall,
  context: DecisionContext,
  { id, operation, payload }: Requested,
): SessionEvent[] {
  const reject = (code: string, detail: string): SessionEvent[] => [
    event('ToolCallRejected', { receiptId: id, code, detail, attempt: null }),
  ];
  if (!command.arguments.ok) return reject(command.arguments.code, command.arguments.detail);
  if (operation === null) throw new TypeError('admitted arguments have an operation');
  // No plan is active, so no task is eligible; the answer is the same wherever the task exists, or not (promise 14).
  if (command.taskId !== null)
    return reject('task_not_eligible', 'The task is not a pending or running task of the active plan of this session.');
  if (!command.requireApproval) return [];
  if (!canBeShown(payload)) return reject('too_large_to_approve', 'An approver could not be shown the whole arguments.');
  const expiresAt = isoTime(context.now + command.approvalExpiresSeconds * 1000);
  return [
    event('ApprovalRequested', {
      receiptId: id,
      approvalId: approvalId(session.sessionId, state.approvals.length),
      operationId: operation,
      userId: session.userId,
      expiresAt,
      reasons: ['requested'],
    }),
  ];
}

/**
 * Whether an approver sees everything but secrets (promise 8). A text that was hidden whole, since looking for known secrets in it took
 * too long, and redactions that are only counted, could hide anything.
 */
function canBeShown(payload: Payload): boolean {
  const isHidden = payload.redactions.some(({ rule }) => rule === 'known.budget');
  return payload.state === 'whole' && !isHidden && payload.redactionsOmitted === undefined;
}

/** The receipt id that the request has, also before it is recorded. */
export function receiptIdOf(
  session: Pick<SessionIdentity, 'workspaceId' | 'sessionId'>,
  command: Pick<RequestToolCall, 'turn' | 'callId'>,
): string {
  return receiptId({ workspaceId: session.workspaceId, sessionId: session.sessionId, turn: command.turn, callId: command.callId });
}

function operationOf(session: SessionIdentity, command: RequestToolCall, context: DecisionContext): string | null {
  if (!command.arguments.ok) return null;
  return operationId(context.key, {
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    tool: { source: command.tool.source, name: command.tool.name },
    canonicalArguments: command.arguments.canonical,
  });
}

function fingerprintOf(command: RequestToolCall, context: DecisionContext): string {
  const args = command.arguments;
  return requestFingerprint(context.key, {
    callIdSource: command.callIdSource,
    tool: { source: command.tool.source, name: command.tool.name },
    declared: command.tool.declared === null ? null : canonicalDeclared(command.tool.declared),
    arguments: args.ok ? { canonical: args.canonical } : { raw: args.text },
    taskId: command.taskId,
    requireApproval: command.requireApproval,
    approvalExpiresSeconds: command.requireApproval ? command.approvalExpiresSeconds : null,
  });
}

/** @throws DomainError `body_anomaly`: anywhere but in the arguments, what has no exact canonical form is a problem (promise 5) */
function canonicalDeclared(text: string): string {
  try {
    return canonicalText(text);
  } catch (error) {
    if (error instanceof CanonicalError)
      throw new DomainError('body_anomaly', '`tool.declared` has no exact canonical form, or nests too deeply.');
    throw error;
  }
}

function isRepeated(state: SessionState, id: string, fingerprint: string): boolean {
  const open = state.open.get(id);
  const ended = open === undefined ? state.ended.get(id) : null;
  if (open === undefined && ended === null) return false;
  if (open?.requestFingerprint === fingerprint || ended?.matchesRequest(fingerprint) === true) return true;
  throw new DomainError('call_conflict', 'This turn has another request under this call id.', { receiptId: id });
}
