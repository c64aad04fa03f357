import { z } from 'zod';
import { AttemptId, ApprovalId, PlanId, Principal, ReceiptId, SessionId, TaskId, UserId } from '../ids.js';
import { KnownSecret, Payload } from '../payload.js';
import { Decimal, KeyedDigest, Timestamp } from '../text.js';
import { Duplicates, ExitCode } from '../tools.js';
import { Association, CallIdentity, Expectation, Outcome, Provenance, ReportedTimes, ToolFacts, Verification } from './shared.js';

export const ToolCallRequested = CallIdentity.extend({
  tool: ToolFacts,
  arguments: Payload,
  /** Null for a call that could not be parsed, and for imported ones that recorded none. Old ids are kept verbatim (promise 4). */
  operationId: z.string().nullable(),
  /** Compared when the same call is requested again (promise 2); null on imported receipts. */
  requestFingerprint: KeyedDigest.nullable(),
  association: Association,
  planId: PlanId.nullable(),
  taskId: TaskId.nullable(),
  approval: z.object({ required: z.boolean(), reasons: z.array(z.object({ code: z.string(), ruleId: z.string().nullable() })) }),
  registryRevision: Decimal.nullable(),
  /** The version of the policy that was asked; null for none. */
  policyVersion: z.int().positive().nullable(),
  /** The session in which the work began (see SessionOpened), for lists by root. */
  rootSessionId: SessionId.nullable(),
  /** Of the tool's spec as it stood, since later decisions rest on it. */
  duplicates: Duplicates,
  successExitCodes: z.array(ExitCode).nullable(),
  expectation: Expectation,
  secrets: z.array(KnownSecret),
  provenance: Provenance,
});

/** `code` is stable and machine-readable; `detail` is our own sentence and quotes nothing of the caller's. */
export const ToolCallRejected = z.object({
  receiptId: ReceiptId,
  code: z.string(),
  detail: z.string(),
  /** The attempt whose dispatch was refused, so that asking again gives the same answer; null when the request itself was rejected. */
  attempt: AttemptId.nullable(),
});

const ofApproval = z.object({ receiptId: ReceiptId, approvalId: ApprovalId, operationId: KeyedDigest });

/** Names the session's user: the approval's read model is fed by its own events alone (promise 27) and is scoped by user. */
export const ApprovalRequested = ofApproval.extend({ userId: UserId, expiresAt: Timestamp, reasons: z.array(z.string()) });
export const ApprovalGranted = ofApproval.extend({ by: Principal, note: Payload.nullable(), secrets: z.array(KnownSecret) });
export const ApprovalDenied = ofApproval.extend({ by: Principal, note: Payload.nullable(), secrets: z.array(KnownSecret) });
/** `attempt` is set when a dispatch found it expired before a sweeper did. */
export const ApprovalExpired = ofApproval.extend({ expiresAt: Timestamp, attempt: AttemptId.nullable() });
export const ApprovalVoided = ofApproval.extend({ code: z.string() });

/** The approver granted the call with other arguments: it is another operation now, and the approval is bound to that (promise 8). */
export const ToolCallAmended = ofApproval.extend({
  /** The operation that was requested; `operationId` is the new one. */
  from: KeyedDigest,
  arguments: Payload,
  expectation: Expectation,
  by: Principal,
  secrets: z.array(KnownSecret),
});

/** The one event that lets a call run; it also consumes the approval that it names (promise 7). */
export const ToolDispatched = z.object({
  receiptId: ReceiptId,
  attempt: AttemptId,
  operationId: KeyedDigest,
  approvalId: ApprovalId.nullable(),
  registryRevision: Decimal.nullable(),
  planId: PlanId.nullable(),
  taskId: TaskId.nullable(),
  /** Whose evidence the run outdates: nobody's, that of its own task, or that of all tasks (promise 15). */
  outdates: z.enum(['nothing', 'task', 'session']),
  before: Payload.nullable(),
  leaseSeconds: z.int().positive(),
  leaseUntil: Timestamp,
  secrets: z.array(KnownSecret),
});

export const LeaseExtended = z.object({
  receiptId: ReceiptId,
  attempt: AttemptId,
  leaseSeconds: z.int().positive(),
  leaseUntil: Timestamp,
});

const reported = z.object({
  receiptId: ReceiptId,
  outcome: Outcome,
  result: Payload.nullable(),
  observation: Payload.nullable(),
  times: ReportedTimes,
  /** Compared when the same result is reported again. */
  resultFingerprint: KeyedDigest,
  secrets: z.array(KnownSecret),
});

export const ToolExecuted = reported.extend({ attempt: AttemptId, verification: Verification });
/** A result that came after the call had ended as unknown or cancelled: kept beside it, never evidence (promise 20). */
export const LateResultRecorded = reported.extend({ attempt: AttemptId.nullable() });

export const CancelRequested = z.object({ receiptId: ReceiptId, reason: Payload.nullable(), secrets: z.array(KnownSecret) });
export const ToolCallCancelled = z.object({
  receiptId: ReceiptId,
  cause: z.enum(['requested', 'session_closed']),
  reason: Payload.nullable(),
  secrets: z.array(KnownSecret),
});

/** The lease ran out and nothing was reported: the outcome is unknown, neither failed nor succeeded (promise 20). */
export const ToolOutcomeLost = z.object({ receiptId: ReceiptId, attempt: AttemptId, leaseUntil: Timestamp });

/**
 * A finished call that is known only from afterwards: reported live (promise 31), or upcast from history. Never a dispatch, never an
 * approval (promise 30).
 */
export const ToolCallObserved = z.object({
  receiptId: ReceiptId,
  status: z.enum(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled', 'unknown']),
  outcome: Outcome.nullable(),
  /** What the old record said of authorisation and failure, beside the status. */
  recorded: z.object({ authorized: z.boolean().nullable(), failure: z.string().nullable() }),
  result: Payload.nullable(),
  verification: Verification,
  times: ReportedTimes,
  /** The old record as it was (redacted, bounded), for `?view=compat`; absent where there is none, as in a finished call reported live. */
  original: Payload.nullable().optional(),
  /** Of a finished call reported live: whose evidence it outdates, and to which task it is bound, as in ToolDispatched. */
  outdates: z.enum(['nothing', 'task', 'session']).optional(),
  planId: PlanId.nullable().optional(),
  taskId: TaskId.nullable().optional(),
});
