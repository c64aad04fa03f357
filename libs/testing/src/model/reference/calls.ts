import { ARGUMENTS } from '../words.js';
import type { IntentTo } from './intents.js';
import { statusOf, verify } from './outcome.js';
import { expectedOf, violates, type ReferenceRegistry } from './registry.js';
import {
  ACCEPTED,
  activePlan,
  hasEnded,
  isEligible,
  isOver,
  SAME,
  waits,
  type Call,
  type Moment,
  type Said,
  type Session,
  type Status,
} from './shapes.js';

/** The reference's name of an operation: the tool and which of the arguments. */
export const operationNamed = (tool: number, args: number): string => `${tool}/${args}`;

/** The active plan's id, if the task may be worked on in it; the answer is the same wherever else the task exists (promise 14). */
function planFor(session: Session, task: string | null): string | null {
  const plan = activePlan(session);
  return plan !== undefined && isEligible(plan.tasks.find(({ id }) => id === task)) ? plan.id : null;
}

function newCall(session: Session, intent: IntentTo<'request' | 'observe'>, registry: ReferenceRegistry): Call {
  const { turn, id, asked, tool, args, task, by } = intent;
  const spec = registry.specOf(tool);
  return {
    ...{ turn, id, asked, tool, task, spec },
    operation: ARGUMENTS[args]?.malformed === undefined ? operationNamed(tool, args) : null,
    requestedBy: by,
    isWhole: ARGUMENTS[args]?.hides === undefined,
    plan: planFor(session, task),
    isObserved: intent.do === 'observe',
    expected: intent.do === 'observe' ? { kind: 'unavailable' } : expectedOf(tool, spec, args),
    runs: expectedOf(tool, spec, args),
    amendedFrom: null,
    status: 'requested',
    approval: null,
    why: null,
    ran: null,
    attempt: null,
    before: null,
    lease: 0,
    leaseUntil: null,
    cancelAsked: false,
    said: null,
    outcome: null,
  };
}

/** The same as before, or a conflict; null for a call that was not there. */
function askedBefore(session: Session, { turn, id, asked }: IntentTo<'request' | 'observe'>): Said | null {
  const before = session.calls.find((call) => call.turn === turn && call.id === id);
  if (before !== undefined) return before.asked === asked ? SAME : 'call_conflict';
  return session.closed ? 'session_closed' : null;
}

export function request(session: Session, intent: IntentTo<'request'>, registry: ReferenceRegistry, { now }: Moment): Said {
  const answer = askedBefore(session, intent);
  if (answer !== null) return answer;
  const call = newCall(session, intent, registry);
  session.calls.push(call);
  const policy = registry.judge(call.tool);
  const needsApproval = intent.approval !== null || policy.then === 'require_approval';
  const { malformed, hides } = ARGUMENTS[intent.args] ?? {};
  if (malformed !== undefined) return end(call, 'rejected', malformed);
  if (call.task !== null && call.plan === null) return end(call, 'rejected', 'task_not_eligible');
  if (policy.then === 'refuse') return end(call, 'rejected', 'policy_refused');
  if (violates(call.spec, intent.args)) return end(call, 'rejected', 'arguments_schema_violation');
  if (!needsApproval) return ACCEPTED;
  if (hides === 'too much') return end(call, 'rejected', 'too_large_to_approve');
  const times = [intent.approval, policy.expires].filter((time) => time !== null);
  call.status = 'awaiting_approval';
  call.approval = { state: 'pending', expires: now + Math.min(...(times.length > 0 ? times : [900_000])), by: null };
  return ACCEPTED;
}

/** It has run already, so nothing is refused and nothing was authorised (promise 31). */
export function observe(session: Session, intent: IntentTo<'observe'>, registry: ReferenceRegistry, { count }: Moment): Said {
  const answer = askedBefore(session, intent);
  if (answer !== null) return answer;
  const call = newCall(session, intent, registry);
  session.calls.push(call);
  call.ran = count;
  return end(call, statusOf(call, intent.report), null);
}

export function dispatch(session: Session, call: Call, intent: IntentTo<'dispatch'>, registry: ReferenceRegistry, moment: Moment): Said {
  const sameAttempt = call.attempt === intent.attempt;
  const wasDispatched = call.ran !== null && !call.isObserved;
  if (hasEnded(call) && !sameAttempt) return wasDispatched ? 'already_dispatched' : 'call_not_dispatchable';
  const named = 'operation' in intent.named ? intent.named.operation : `${call.tool}/${intent.named.args ?? 'malformed'}`;
  if (call.operation !== named) return 'operation_mismatch';
  if (hasEnded(call)) return SAME;
  if (call.status === 'dispatched') return sameAttempt ? SAME : 'already_dispatched';
  if (isOver(call, moment.now)) return expire(call, intent.attempt);
  if (session.closed) return reject(call, 'session_closed', intent.attempt);
  if (call.status === 'awaiting_approval') return 'approval_pending';
  const obstacle = obstacleTo(session, call, registry);
  if (obstacle !== null) return reject(call, obstacle, intent.attempt);
  call.attempt = intent.attempt;
  call.status = 'dispatched';
  call.ran = moment.count;
  call.before = intent.before;
  call.lease = intent.lease;
  call.leaseUntil = moment.now + intent.lease;
  if (call.approval !== null) call.approval.state = 'consumed';
  return ACCEPTED;
}

/** Everything is checked again (promise 11). */
function obstacleTo(session: Session, call: Call, registry: ReferenceRegistry): string | null {
  if (call.plan !== null) {
    const plan = activePlan(session);
    if (plan?.id !== call.plan) return 'plan_not_active';
    if (!isEligible(plan.tasks.find(({ id }) => id === call.task))) return 'task_not_eligible';
  }
  if (registry.specOf(call.tool) !== call.spec) return 'tool_changed';
  const policy = registry.judge(call.tool).then;
  if (policy === 'refuse') return 'policy_refused';
  if (policy === 'require_approval' && call.approval === null) return 'approval_required';
  const duplicates = call.spec?.duplicates ?? 'refuse_in_turn';
  const mayHaveRun = (other: Call): boolean => ['dispatched', 'succeeded', 'unknown'].includes(other.status);
  const stands = (other: Call): boolean =>
    other.operation === call.operation && mayHaveRun(other) && (duplicates === 'refuse_in_session' || other.turn === call.turn);
  return duplicates !== 'allow' && session.calls.some(stands) ? 'duplicate_operation' : null;
}

export function end(call: Call, status: Status, why: string | null): Said {
  call.status = status;
  call.why = why;
  call.leaseUntil = null;
  return ACCEPTED;
}

export function expire(call: Call, attempt: string | null = null): Said {
  call.attempt = attempt;
  if (call.approval !== null) call.approval.state = 'expired';
  return end(call, 'expired', 'expired');
}

function voided(call: Call): void {
  if (call.approval !== null && ['pending', 'granted'].includes(call.approval.state)) call.approval.state = 'voided';
}

function reject(call: Call, why: string, attempt: string): Said {
  call.attempt = attempt;
  voided(call);
  return end(call, 'rejected', why);
}

export function report(call: Call, intent: IntentTo<'report'>): Said {
  const wasDispatched = call.ran !== null && !call.isObserved;
  // What was given up before its dispatch may have run all the same; what was only observed was never dispatched (promise 20).
  const wasGivenUp = call.status === 'cancelled' && !call.isObserved;
  if (!wasDispatched && !wasGivenUp) return 'call_not_dispatched';
  if (wasDispatched && call.attempt !== intent.attempt) return 'attempt_mismatch';
  const content = `${intent.attempt} ${intent.report.content}`;
  if (call.said !== null) return call.said === content ? SAME : 'result_conflict';
  call.said = content;
  if (call.status !== 'dispatched') return ACCEPTED;
  call.outcome = { exitCode: intent.report.signal ? null : intent.report.exitCode, verified: verify(call, intent.report) };
  return end(call, statusOf(call, intent.report), null);
}

export function cancel(call: Call, { now }: Moment): Said {
  if (hasEnded(call)) return call.status === 'cancelled' ? SAME : 'call_ended';
  if (isOver(call, now)) return expire(call);
  if (call.status === 'dispatched') {
    if (call.cancelAsked) return SAME;
    call.cancelAsked = true;
    return ACCEPTED;
  }
  voided(call);
  return end(call, 'cancelled', 'requested');
}

export function heartbeat(call: Call, intent: IntentTo<'heartbeat'>, { now }: Moment): Said {
  if (hasEnded(call)) return 'call_ended';
  if (call.leaseUntil === null) return 'call_not_dispatched';
  if (call.attempt !== intent.attempt) return 'attempt_mismatch';
  const lease = intent.lease ?? call.lease;
  if (call.leaseUntil - now > call.lease / 2 || now + lease <= call.leaseUntil) return SAME;
  call.lease = lease;
  call.leaseUntil = now + lease;
  return ACCEPTED;
}

export function close(session: Session, { now }: Moment): Said {
  if (session.closed) return SAME;
  session.closed = true;
  for (const call of session.calls.filter(waits)) {
    if (isOver(call, now)) {
      expire(call);
    } else {
      voided(call);
      end(call, 'cancelled', 'session_closed');
    }
  }
  return ACCEPTED;
}

export function sweep(session: Session, { now }: Moment): Said {
  const over = session.calls.filter((call) => isOver(call, now));
  const lost = session.calls.filter((call) => call.leaseUntil !== null && now >= call.leaseUntil);
  for (const call of over) expire(call);
  for (const call of lost) end(call, 'unknown', 'lease_lost');
  return over.length + lost.length > 0 ? ACCEPTED : SAME;
}
