import { ARGUMENTS } from '../words.js';
import { end, operationNamed } from './calls.js';
import type { IntentTo } from './intents.js';
import { expectedOf, violates, type ReferenceRegistry } from './registry.js';
import { ACCEPTED, approvalsOf, hasEnded, isOver, SAME, waits, type Call, type Moment, type Said, type Session } from './shapes.js';

type Decision = IntentTo<'grant' | 'deny'>;

export function decideOn(session: Session, intent: Decision, registry: ReferenceRegistry, moment: Moment): Said {
  const call = approvalsOf(session)[intent.approval];
  if (call?.approval == null) return 'not_found';
  if (intent.do === 'deny') {
    if (intent.operation !== null && intent.operation !== call.operation) return 'operation_mismatch';
    return decide(session, call, intent, call.operation, registry, moment);
  }
  if (intent.amended !== null && ARGUMENTS[intent.amended]?.malformed !== undefined) return 'amendment_invalid';
  const wanted = intent.amended === null ? intent.operation : operationNamed(call.tool, intent.amended);
  if (!isAsShown(call, intent, wanted)) return 'operation_mismatch';
  if (!hasEnded(call) && call.requestedBy === intent.by) return 'four_eyes';
  return decide(session, call, intent, wanted, registry, moment);
}

/**
 * The approver names the operation that it was shown (promise 8). Of a call that was amended: what it is now, or, to say the same grant
 * once more, what was requested together with the edited arguments.
 */
function isAsShown(call: Call, intent: IntentTo<'grant'>, wanted: string): boolean {
  if (call.amendedFrom === null) return intent.operation === call.operation;
  return wanted === call.operation && intent.operation === (intent.amended === null ? call.operation : call.amendedFrom);
}

function decide(session: Session, call: Call, intent: Decision, wanted: string | null, registry: ReferenceRegistry, { now }: Moment): Said {
  const { approval } = call;
  if (approval === null) return 'not_found';
  if (approval.state === 'expired' || isOver(call, now)) return 'approval_expired';
  if (approval.state === 'voided') return 'approval_voided';
  if (session.closed && waits(call)) return 'session_closed';
  if (approval.state !== 'pending') {
    const said = approval.state === 'denied' ? 'deny' : 'grant';
    return said === intent.do && approval.by === intent.by && wanted === call.operation ? SAME : 'approval_decided';
  }
  if (intent.do === 'deny') {
    approval.by = intent.by;
    approval.state = 'denied';
    return end(call, 'denied', 'denied');
  }
  const refusal = wanted === call.operation || intent.amended === null ? null : amend(call, intent.amended, registry);
  if (refusal !== null) return refusal;
  approval.by = intent.by;
  approval.state = 'granted';
  call.status = 'approved';
  return ACCEPTED;
}

/** Makes the call another operation; or says why not: only what is stored whole can be edited, and only to what can be too. */
function amend(call: Call, args: number, registry: ReferenceRegistry): Said | null {
  if (!call.isWhole) return 'amendment_needs_vault';
  // What was shown and approved was the tool as it was (promise 7).
  if (registry.specOf(call.tool) !== call.spec) return 'amendment_invalid';
  if (violates(call.spec, args)) return 'amendment_invalid';
  if (ARGUMENTS[args]?.hides === 'a secret') return 'amendment_needs_vault';
  if (ARGUMENTS[args]?.hides === 'too much') return 'too_large_to_approve';
  call.amendedFrom = call.operation;
  call.operation = operationNamed(call.tool, args);
  call.expected = expectedOf(call.tool, call.spec, args);
  call.runs = call.expected;
  return null;
}
