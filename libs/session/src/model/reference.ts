// A ledger as naive as it can be, written from the design's text: plain objects, lists that are searched from end to end, no events,
// and no code of the decider that it is compared with.

export type Status =
  | 'requested'
  | 'awaiting_approval'
  | 'approved'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'interrupted'
  | 'cancelled'
  | 'unknown'
  | 'rejected'
  | 'denied'
  | 'expired';

export interface ReferenceApproval {
  state: 'pending' | 'granted' | 'consumed' | 'denied' | 'expired' | 'voided';
  readonly expires: number;
  by: string | null;
}

export interface ReferenceCall {
  readonly turn: string;
  readonly id: string;
  /** What was originally requested, for comparing only. */
  readonly asked: string;
  readonly tool: number;
  /** Tool and arguments, as `<tool>/<arguments>`; null for malformed ones. */
  readonly operation: string | null;
  readonly requestedBy: string;
  status: Status;
  approval: ReferenceApproval | null;
  /** Code of why it ended, where there is one. */
  why: string | null;
  ran: boolean;
  /** The attempt that dispatched it, or whose dispatch ended it. */
  attempt: string | null;
  lease: number;
  leaseUntil: number | null;
  cancelAsked: boolean;
  result: string | null;
}

export interface ReferenceSession {
  readonly user: string;
  readonly agent: string | null;
  closed: boolean;
  readonly calls: ReferenceCall[];
}

/** A command with everything in it that the reference looks at. Times are milliseconds. */
export type Intent =
  | { readonly do: 'open'; readonly user: string; readonly agent: string | null }
  | { readonly do: 'close' }
  | {
      readonly do: 'request';
      readonly turn: string;
      readonly id: string;
      readonly by: string;
      readonly asked: string;
      readonly tool: number;
      readonly operation: string | null;
      readonly malformed: string | null;
      readonly task: boolean;
      readonly approval: number | null;
    }
  | {
      readonly do: 'dispatch';
      readonly turn: string;
      readonly id: string;
      readonly attempt: string;
      /** By its id, or by arguments of the call's own tool; null for malformed ones. */
      readonly named: { readonly operation: string } | { readonly args: number | null };
      readonly lease: number;
    }
  | {
      readonly do: 'report';
      readonly turn: string;
      readonly id: string;
      readonly attempt: string;
      readonly status: Status;
      readonly content: string;
    }
  | { readonly do: 'cancel'; readonly turn: string; readonly id: string }
  | { readonly do: 'heartbeat'; readonly turn: string; readonly id: string; readonly attempt: string; readonly lease: number | null }
  | { readonly do: 'grant' | 'deny'; readonly approval: number; readonly by: string; readonly operation: string | null }
  | { readonly do: 'sweep' };

type OnCall = IntentTo<'dispatch' | 'report' | 'cancel' | 'heartbeat'>;
type IntentTo<T extends Intent['do']> = Extract<Intent, { readonly do: T }>;

/** Something was recorded; it was said before; or the code of the refusal. */
export type Answer = string;
export const ACCEPTED: Answer = 'accepted';
export const SAME: Answer = 'same';

const WAITING: readonly Status[] = ['requested', 'awaiting_approval', 'approved'];
const waits = (call: ReferenceCall): boolean => WAITING.includes(call.status);
const hasEnded = (call: ReferenceCall): boolean => !waits(call) && call.status !== 'dispatched';

/** An approval past its expiry counts as expired before anybody has said so (promise 7). */
const isOver = (call: ReferenceCall, now: number): boolean =>
  call.approval !== null && ['pending', 'granted'].includes(call.approval.state) && now >= call.approval.expires;

export class Reference {
  readonly sessions = new Map<string, ReferenceSession>();

  apply(sessionId: string, intent: Intent, now: number): Answer {
    const session = this.sessions.get(sessionId);
    if (intent.do === 'open') return this.open(sessionId, session, intent);
    if (session === undefined) return intent.do === 'sweep' ? SAME : 'not_found';
    switch (intent.do) {
      case 'close':
        return close(session, now);
      case 'request':
        return request(session, intent, now);
      case 'sweep':
        return sweep(session, now);
      case 'grant':
      case 'deny':
        return decideOn(session, intent, now);
      default: {
        const call = session.calls.find((one) => one.turn === intent.turn && one.id === intent.id);
        return call === undefined ? 'not_found' : onCall(session, call, intent, now);
      }
    }
  }

  private open(sessionId: string, session: ReferenceSession | undefined, { user, agent }: IntentTo<'open'>): Answer {
    if (session === undefined) {
      this.sessions.set(sessionId, { user, agent, closed: false, calls: [] });
      return ACCEPTED;
    }
    if (session.user !== user) return 'session_id_unavailable';
    return session.agent === agent ? SAME : 'session_conflict';
  }
}

/** The calls of a session that have an approval, in the order in which these were asked for. */
export const approvalsOf = (session: ReferenceSession): ReferenceCall[] => session.calls.filter((call) => call.approval !== null);

function request(session: ReferenceSession, intent: IntentTo<'request'>, now: number): Answer {
  const before = session.calls.find((call) => call.turn === intent.turn && call.id === intent.id);
  if (before !== undefined) return before.asked === intent.asked ? SAME : 'call_conflict';
  if (session.closed) return 'session_closed';
  const rejection = intent.malformed ?? (intent.task ? 'task_not_eligible' : null);
  const waitsForApproval = rejection === null && intent.approval !== null;
  session.calls.push({
    turn: intent.turn,
    id: intent.id,
    asked: intent.asked,
    tool: intent.tool,
    operation: intent.operation,
    requestedBy: intent.by,
    status: rejection !== null ? 'rejected' : waitsForApproval ? 'awaiting_approval' : 'requested',
    approval: waitsForApproval ? { state: 'pending', expires: now + intent.approval, by: null } : null,
    why: rejection,
    ran: false,
    attempt: null,
    lease: 0,
    leaseUntil: null,
    cancelAsked: false,
    result: null,
  });
  return ACCEPTED;
}

function onCall(session: ReferenceSession, call: ReferenceCall, intent: OnCall, now: number): Answer {
  if (intent.do === 'dispatch') return dispatch(session, call, intent, now);
  if (intent.do === 'report') return report(call, intent);
  return intent.do === 'cancel' ? cancel(call, now) : heartbeat(call, intent, now);
}

function dispatch(session: ReferenceSession, call: ReferenceCall, intent: IntentTo<'dispatch'>, now: number): Answer {
  const sameAttempt = call.attempt === intent.attempt;
  if (hasEnded(call) && !sameAttempt) return call.ran ? 'already_dispatched' : 'call_not_dispatchable';
  const named = 'operation' in intent.named ? intent.named.operation : `${call.tool}/${intent.named.args ?? 'malformed'}`;
  if (call.operation !== named) return 'operation_mismatch';
  if (hasEnded(call)) return SAME;
  if (call.status === 'dispatched') return sameAttempt ? SAME : 'already_dispatched';
  if (isOver(call, now)) return expire(call, intent.attempt);
  if (session.closed) return reject(call, 'session_closed', intent.attempt);
  if (call.status === 'awaiting_approval') return 'approval_pending';
  const mayHaveRun = (other: ReferenceCall): boolean => ['dispatched', 'succeeded', 'unknown'].includes(other.status);
  const repeated = session.calls.some((other) => other.turn === call.turn && other.operation === call.operation && mayHaveRun(other));
  if (repeated) return reject(call, 'duplicate_operation', intent.attempt);
  call.attempt = intent.attempt;
  call.status = 'dispatched';
  call.ran = true;
  call.lease = intent.lease;
  call.leaseUntil = now + intent.lease;
  if (call.approval !== null) call.approval.state = 'consumed';
  return ACCEPTED;
}

function end(call: ReferenceCall, status: Status, why: string | null): Answer {
  call.status = status;
  call.why = why;
  call.leaseUntil = null;
  return ACCEPTED;
}

function expire(call: ReferenceCall, attempt: string | null = null): Answer {
  call.attempt = attempt;
  if (call.approval !== null) call.approval.state = 'expired';
  return end(call, 'expired', 'expired');
}

function voided(call: ReferenceCall): void {
  if (call.approval !== null && ['pending', 'granted'].includes(call.approval.state)) call.approval.state = 'voided';
}

function reject(call: ReferenceCall, why: string, attempt: string): Answer {
  call.attempt = attempt;
  voided(call);
  return end(call, 'rejected', why);
}

function report(call: ReferenceCall, intent: IntentTo<'report'>): Answer {
  const wasCancelled = call.status === 'cancelled' && !call.ran;
  if (!call.ran && !wasCancelled) return 'call_not_dispatched';
  if (call.ran && call.attempt !== intent.attempt) return 'attempt_mismatch';
  const content = `${intent.attempt} ${intent.content}`;
  if (call.result !== null) return call.result === content ? SAME : 'result_conflict';
  call.result = content;
  return call.status === 'dispatched' ? end(call, intent.status, null) : ACCEPTED;
}

function cancel(call: ReferenceCall, now: number): Answer {
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

function heartbeat(call: ReferenceCall, intent: IntentTo<'heartbeat'>, now: number): Answer {
  if (hasEnded(call)) return 'call_ended';
  if (call.leaseUntil === null) return 'call_not_dispatched';
  if (call.attempt !== intent.attempt) return 'attempt_mismatch';
  const lease = intent.lease ?? call.lease;
  if (call.leaseUntil - now > call.lease / 2 || now + lease <= call.leaseUntil) return SAME;
  call.lease = lease;
  call.leaseUntil = now + lease;
  return ACCEPTED;
}

function decideOn(session: ReferenceSession, intent: IntentTo<'grant' | 'deny'>, now: number): Answer {
  const call = approvalsOf(session)[intent.approval];
  const approval = call?.approval;
  if (call === undefined || approval === null || approval === undefined) return 'not_found';
  if (intent.operation !== null && intent.operation !== call.operation) return 'operation_mismatch';
  if (intent.do === 'grant' && !hasEnded(call) && call.requestedBy === intent.by) return 'four_eyes';
  if (approval.state === 'expired' || isOver(call, now)) return 'approval_expired';
  if (approval.state === 'voided') return 'approval_voided';
  if (session.closed && waits(call)) return 'session_closed';
  if (approval.state !== 'pending') {
    const said = approval.state === 'denied' ? 'deny' : 'grant';
    return said === intent.do && approval.by === intent.by ? SAME : 'approval_decided';
  }
  approval.by = intent.by;
  if (intent.do === 'grant') {
    approval.state = 'granted';
    call.status = 'approved';
    return ACCEPTED;
  }
  approval.state = 'denied';
  return end(call, 'denied', 'denied');
}

function close(session: ReferenceSession, now: number): Answer {
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

function sweep(session: ReferenceSession, now: number): Answer {
  const over = session.calls.filter((call) => isOver(call, now));
  const lost = session.calls.filter((call) => call.leaseUntil !== null && now >= call.leaseUntil);
  for (const call of over) expire(call);
  for (const call of lost) end(call, 'unknown', 'lease_lost');
  return over.length + lost.length > 0 ? ACCEPTED : SAME;
}
