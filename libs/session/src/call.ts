import type { ApprovalState, CallStatus, CallView, Duplicates, Expectation, Next, Payload, Verification } from '@counterfoil/contracts';
import type { ObservedFile } from './verification.js';

export interface CallApproval {
  readonly approvalId: string;
  readonly state: ApprovalState;
  readonly operationId: string;
  readonly expiresAt: string;
  /** Who granted or denied. */
  readonly by: string | null;
}

/** Revisions of the events from which this call can be folded again; null where there was none. */
export interface CallRevisions {
  readonly requested: number;
  readonly approvalRequested: number | null;
  readonly decided: number | null;
  readonly dispatched: number | null;
  readonly cancelRequested: number | null;
  readonly voided: number | null;
  readonly ended: number | null;
  readonly late: number | null;
  readonly amended: number | null;
}

/** One call as decisions see it. Payloads are not kept but for edited arguments, which its dispatch hands back. */
export interface Call {
  readonly receiptId: string;
  readonly sessionId: string | null;
  readonly turn: string | null;
  readonly callId: string;
  readonly callIdSource: CallView['callIdSource'];
  readonly tool: CallView['tool'];
  readonly taskId: string | null;
  readonly status: CallStatus;
  readonly operationId: string | null;
  readonly requestFingerprint: string | null;
  readonly requestedBy: string;
  readonly reason: CallView['reason'];
  readonly approval: CallApproval | null;
  /** The attempt that dispatched the call, or whose dispatch ended it: the same attempt gets the same answer (promise 12). */
  readonly attempt: string | null;
  readonly leaseSeconds: number | null;
  readonly leaseUntil: string | null;
  readonly cancelRequested: boolean;
  readonly resultFingerprint: string | null;
  /** The plan in which its task was eligible; null for a call that is bound to none. */
  readonly planId: string | null;
  readonly specDigest: string | null;
  readonly duplicates: Duplicates;
  readonly successExitCodes: readonly number[] | null;
  readonly expectation: Expectation;
  /** True while the arguments stand whole and unredacted in the stream: only then can they be edited without a vault (promise 8). */
  readonly isStoredWhole: boolean;
  readonly amendedFrom: string | null;
  readonly amendedArguments: Payload | null;
  /** What the runner found before it ran. */
  readonly before: ObservedFile | null;
  /** What its result, if it came in time, says; what evidence rests on. */
  readonly result: { readonly exitCode: number | null; readonly verification: Verification['state'] } | null;
  /** Reported afterwards, never dispatched. */
  readonly isObserved: boolean;
  readonly revisions: CallRevisions;
}

const UNDISPATCHED: ReadonlySet<CallStatus> = new Set(['requested', 'awaiting_approval', 'approved']);

/** True while the call may still be dispatched. */
export const isUndispatched = (status: CallStatus): boolean => UNDISPATCHED.has(status);

/** True once no event but a late result can follow. */
export const isEnded = (status: CallStatus): boolean => !UNDISPATCHED.has(status) && status !== 'dispatched';

/** What the caller does next: run it (after a dispatch), wait, or stop. */
export function nextFor(status: CallStatus): Next {
  if (status === 'requested' || status === 'approved') return 'dispatch';
  return status === 'awaiting_approval' || status === 'dispatched' ? 'wait' : 'stop';
}

/** The call as commands answer it (design §7). */
export function callView(call: Call): CallView {
  const { approval } = call;
  return {
    receiptId: call.receiptId,
    sessionId: call.sessionId,
    turn: call.turn,
    callId: call.callId,
    callIdSource: call.callIdSource,
    status: call.status,
    operationId: call.operationId,
    tool: call.tool,
    taskId: call.taskId,
    reason: call.reason,
    approval:
      approval === null
        ? null
        : { approvalId: approval.approvalId, state: approval.state, operationId: approval.operationId, expiresAt: approval.expiresAt },
    attempt: call.revisions.dispatched === null ? null : call.attempt,
    leaseUntil: call.leaseUntil,
    cancelRequested: call.cancelRequested,
    amendedFrom: call.amendedFrom,
  };
}
