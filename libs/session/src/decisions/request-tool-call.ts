import { approvalId } from '@counterfoil/canonical';
import type { SessionEvent } from '@counterfoil/contracts';
import type { RequestToolCall } from '../commands.js';
import { isoTime, type DecisionContext, type PolicyVerdict } from '../context.js';
import { canBeShown } from '../payloads.js';
import type { SessionIdentity, SessionState } from '../state.js';
import { assignTool } from '../tool.js';
import { askFor, fingerprintOf, isRepeated, receiptIdOf, requestedData, type Asked } from './requested.js';
import { event, requireSession } from './support.js';

/**
 * Records what a model asked for. The same request again adds nothing; the same call id in the same turn with other content is a
 * conflict that records nothing (promise 2). What can't run is recorded and rejected: arguments without an exact canonical form
 * (promise 5) or against the tool's schema, a task that is not eligible (promise 14), what the policy refuses (promise 10).
 *
 * @throws DomainError `not_found`, `call_conflict`, `session_closed`, `session_full`, `identifier_is_secret`,
 *   `body_anomaly`
 */
export function requestToolCall(state: SessionState, command: RequestToolCall, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const fingerprint = fingerprintOf(command, context, command.requireApproval ? { expiresSeconds: command.approvalExpiresSeconds } : null);
  if (isRepeated(state, receiptIdOf(session, command), fingerprint)) return [];
  const asked = askFor(state, session, command, context, {});
  const verdict = judge(command, context, asked);
  const approval = wantsApproval(command, verdict);
  const requested = event(
    'ToolCallRequested',
    requestedData(session, command, context, asked, { approval, requestFingerprint: fingerprint }),
  );
  return [requested, ...whatFollows(state, session, command, context, { asked, verdict, approval })];
}

function judge(command: RequestToolCall, context: DecisionContext, asked: Asked<never>): PolicyVerdict {
  const { source, name, sideEffects } = assignTool(command.tool, asked.tool).facts;
  return context.registry.judge({ source: source ?? command.tool.source, name, sideEffects, known: asked.tool !== null });
}

interface Wanted {
  readonly required: boolean;
  readonly reasons: { code: string; ruleId: string | null }[];
}

/** Whether an approval is needed, and every reason for it: the caller's wish and the policy's rules add up, neither takes away. */
function wantsApproval(command: RequestToolCall, verdict: PolicyVerdict): Wanted {
  const wish = command.requireApproval ? [{ code: 'requested', ruleId: null }] : [];
  return { required: command.requireApproval || verdict.then === 'require_approval', reasons: [...wish, ...verdict.reasons] };
}

interface Judged {
  readonly asked: Asked<never>;
  readonly verdict: PolicyVerdict;
  readonly approval: Wanted;
}

function whatFollows(
  state: SessionState,
  session: SessionIdentity,
  command: RequestToolCall,
  context: DecisionContext,
  { asked, verdict, approval }: Judged,
): SessionEvent[] {
  const { receiptId, operation } = asked;
  const rejection = rejectionOf(command, asked, verdict, approval);
  if (rejection !== null) return [event('ToolCallRejected', { receiptId, ...rejection, attempt: null })];
  if (!approval.required) return [];
  if (operation === null) throw new TypeError('admitted arguments have an operation');
  return [
    event('ApprovalRequested', {
      receiptId,
      approvalId: approvalId(session.sessionId, state.approvals.length),
      operationId: operation,
      userId: session.userId,
      expiresAt: isoTime(context.now + expirySeconds(command, verdict) * 1000),
      reasons: approval.reasons.map(({ code, ruleId }) => (ruleId === null ? code : `${code}:${ruleId}`)),
    }),
  ];
}

/** The first thing that stands in the way; null for nothing. Details are ours and quote nothing of the caller's. */
function rejectionOf(
  command: RequestToolCall,
  { tool, planId, arguments: payload }: Asked<never>,
  verdict: PolicyVerdict,
  approval: Wanted,
): { readonly code: string; readonly detail: string } | null {
  if (!command.arguments.ok) return { code: command.arguments.code, detail: command.arguments.detail };
  // The answer is the same wherever the task exists, or not (promise 14).
  if (command.taskId !== null && planId === null)
    return { code: 'task_not_eligible', detail: 'The task is not a pending or running task of the active plan of this session.' };
  if (verdict.then === 'refuse') return { code: 'policy_refused', detail: refusal(verdict) };
  const violation = tool?.violation(command.arguments.canonical) ?? null;
  if (violation !== null) return { code: 'arguments_schema_violation', detail: `Against the tool's input schema: ${violation}` };
  if (approval.required && !canBeShown(payload))
    return { code: 'too_large_to_approve', detail: 'An approver could not be shown the whole arguments.' };
  return null;
}

export function refusal({ reasons }: PolicyVerdict): string {
  const rules = reasons.filter(({ code }) => code === 'policy_refuses').map(({ ruleId }) => ruleId ?? 'unknownTools');
  return `The policy of the workspace refuses it, by ${rules.join(', ')}.`;
}

/** The shortest of what the rules allow and, where the caller asked for the approval, what it said. */
function expirySeconds(command: RequestToolCall, verdict: PolicyVerdict): number {
  const { expiresSeconds } = verdict;
  if (expiresSeconds === null) return command.approvalExpiresSeconds;
  return command.requireApproval ? Math.min(command.approvalExpiresSeconds, expiresSeconds) : expiresSeconds;
}
