import type { EventData, SessionEvent } from '@counterfoil/contracts';
import type { Call, CallApproval, CallRevisions } from './call.js';
import { isStoredWhole, observedFile } from './payloads.js';

/** A session event with what `evolve` reads of its metadata. */
export type FoldedEvent = SessionEvent & {
  /** Revision in the session's stream. */
  readonly revision: number;
  /** Who acted. */
  readonly principal: string;
};

/** The events that are about one call. */
export type CallEvent = Extract<FoldedEvent, { readonly data: { readonly receiptId: string } }>;

/** An event that cannot follow on what was folded: a fault of the stream, never of a caller. */
export class ImpossibleEventError extends Error {
  readonly code = 'impossible_event';
  constructor(type: string, revision: number) {
    super(`${type} at revision ${String(revision)} does not follow on the events before it`);
    this.name = 'ImpossibleEventError';
  }
}

/**
 * Folds one event of a call into it. Pure; the same function serves the live session and a closed call that is read again.
 *
 * @param call the call so far, null before ToolCallRequested
 * @throws ImpossibleEventError when the event needs a call and there is none
 */
export function evolveCall(call: Call | null, event: CallEvent): Call {
  if (event.type === 'ToolCallRequested') return requested(event.data, event);
  if (call === null) throw new ImpossibleEventError(event.type, event.revision);
  const at = (place: keyof CallRevisions): CallRevisions => ({ ...call.revisions, [place]: event.revision });
  const ended = (status: Call['status'], change: Partial<Call> = {}): Call => ({
    ...call,
    status,
    leaseUntil: null,
    revisions: at('ended'),
    ...change,
  });
  switch (event.type) {
    case 'ToolCallRejected':
      return ended('rejected', { reason: { code: event.data.code, detail: event.data.detail }, attempt: event.data.attempt });
    case 'ApprovalRequested': {
      const { approvalId, operationId, expiresAt } = event.data;
      const approval: CallApproval = { approvalId, state: 'pending', operationId, expiresAt, by: null };
      return { ...call, status: 'awaiting_approval', approval, revisions: at('approvalRequested') };
    }
    case 'ApprovalGranted':
      return { ...call, status: 'approved', approval: decided(call, 'granted', event.data.by), revisions: at('decided') };
    case 'ApprovalDenied':
      return ended('denied', {
        approval: decided(call, 'denied', event.data.by),
        reason: { code: 'denied', detail: 'The approver denied it.' },
      });
    case 'ApprovalExpired':
      return ended('expired', {
        approval: decided(call, 'expired', call.approval?.by ?? null),
        attempt: event.data.attempt,
        reason: { code: 'expired', detail: 'Nobody dispatched it before the approval expired.' },
      });
    case 'ApprovalVoided':
      return { ...call, approval: decided(call, 'voided', call.approval?.by ?? null), revisions: at('voided') };
    case 'ToolDispatched':
      return dispatched(call, event.data, at('dispatched'));
    case 'LeaseExtended':
      return { ...call, leaseUntil: event.data.leaseUntil, leaseSeconds: event.data.leaseSeconds };
    case 'ToolExecuted':
      return ended(event.data.outcome.status, {
        resultFingerprint: event.data.resultFingerprint,
        // What a signal ended did not exit by itself: whatever code was reported with it proves nothing (promise 15).
        result: {
          exitCode: event.data.outcome.signal === null ? event.data.outcome.exitCode : null,
          verification: event.data.verification.state,
        },
      });
    case 'ToolCallObserved':
      return ended(event.data.status, { isObserved: true });
    case 'ToolCallAmended':
      return amended(call, event.data, at('amended'));
    case 'LateResultRecorded':
      return { ...call, resultFingerprint: event.data.resultFingerprint, revisions: at('late') };
    case 'CancelRequested':
      return { ...call, cancelRequested: true, revisions: at('cancelRequested') };
    case 'ToolCallCancelled':
      return ended('cancelled', { reason: { code: event.data.cause, detail: CANCELLED[event.data.cause] } });
    case 'ToolOutcomeLost':
      return ended('unknown', { reason: { code: 'lease_lost', detail: 'The runner did not report before its lease ended.' } });
  }
}

const CANCELLED = {
  requested: 'It was cancelled before it was dispatched.',
  session_closed: 'The session was closed before it was dispatched.',
} as const;

function requested(data: EventData<'ToolCallRequested'>, event: CallEvent): Call {
  return {
    receiptId: data.receiptId,
    sessionId: data.sessionId,
    turn: data.turn,
    callId: data.callId,
    callIdSource: data.callIdSource,
    tool: { source: data.tool.source, name: data.tool.name, version: data.tool.version, sideEffects: data.tool.sideEffects },
    taskId: data.taskId,
    status: 'requested',
    operationId: data.operationId,
    requestFingerprint: data.requestFingerprint,
    requestedBy: event.principal,
    reason: null,
    approval: null,
    attempt: null,
    leaseSeconds: null,
    leaseUntil: null,
    cancelRequested: false,
    resultFingerprint: null,
    planId: data.planId,
    specDigest: data.tool.specDigest,
    duplicates: data.duplicates,
    successExitCodes: data.successExitCodes,
    expectation: data.expectation,
    isStoredWhole: isStoredWhole(data.arguments),
    amendedFrom: null,
    amendedArguments: null,
    before: null,
    result: null,
    isObserved: false,
    revisions: {
      requested: event.revision,
      approvalRequested: null,
      decided: null,
      dispatched: null,
      cancelRequested: null,
      voided: null,
      ended: null,
      late: null,
      amended: null,
    },
  };
}

function decided(call: Call, state: CallApproval['state'], by: string | null): CallApproval | null {
  return call.approval === null ? null : { ...call.approval, state, by };
}

function dispatched(call: Call, data: EventData<'ToolDispatched'>, revisions: CallRevisions): Call {
  // The dispatch consumes the approval that it names: one event, so nothing can come between (promise 7).
  const approval = data.approvalId === null ? call.approval : decided(call, 'consumed', call.approval?.by ?? null);
  return {
    ...call,
    status: 'dispatched',
    approval,
    attempt: data.attempt,
    leaseSeconds: data.leaseSeconds,
    leaseUntil: data.leaseUntil,
    before: data.before === null ? null : observedFile(data.before),
    revisions,
  };
}

/** The call is another operation from now on, and so is what its approval is about (promise 8). */
function amended(call: Call, data: EventData<'ToolCallAmended'>, revisions: CallRevisions): Call {
  const approval = call.approval === null ? null : { ...call.approval, operationId: data.operationId };
  return {
    ...call,
    operationId: data.operationId,
    approval,
    expectation: data.expectation,
    amendedFrom: data.from,
    amendedArguments: data.arguments,
    revisions,
  };
}
