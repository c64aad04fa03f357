import { z } from 'zod';
import { CallIdSource, SideEffectClass } from '../ids.js';
import { Association, Outcome, Provenance, Verification } from '../events/shared.js';
import { Payload } from '../payload.js';

/** States of a call (design §4, States). */
export const CallStatus = z.enum([
  'requested',
  'awaiting_approval',
  'approved',
  'dispatched',
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
  'cancelled',
  'unknown',
  'rejected',
  'denied',
  'expired',
]);
export type CallStatus = z.infer<typeof CallStatus>;

export const ApprovalState = z.enum(['pending', 'granted', 'consumed', 'denied', 'expired', 'voided']);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** The state of one call, as commands answer it (design §7, `call`). */
export const CallView = z.object({
  receiptId: z.string(),
  sessionId: z.string().nullable(),
  turn: z.string().nullable(),
  callId: z.string(),
  callIdSource: CallIdSource,
  status: CallStatus,
  operationId: z.string().nullable(),
  tool: z.object({
    source: z.string().nullable(),
    name: z.string(),
    version: z.string().nullable(),
    sideEffects: SideEffectClass,
  }),
  taskId: z.string().nullable(),
  reason: z.object({ code: z.string(), detail: z.string() }).nullable(),
  approval: z.object({ approvalId: z.string(), state: ApprovalState, operationId: z.string(), expiresAt: z.string() }).nullable(),
  attempt: z.string().nullable(),
  leaseUntil: z.string().nullable(),
  cancelRequested: z.boolean(),
});
export type CallView = z.infer<typeof CallView>;

/** What the caller does next. */
export const Next = z.enum(['dispatch', 'wait', 'stop']);
export type Next = z.infer<typeof Next>;

export const CallAnswer = z.object({ call: CallView, next: Next, revision: z.string(), position: z.string() });
export type CallAnswer = z.infer<typeof CallAnswer>;

/** The read model of one tool call (design §7, `receipt`), as documents hold it: `position` is added as a token when it is read. */
export const ReceiptDocument = CallView.extend({
  workspaceId: z.string(),
  userId: z.string().nullable(),
  planId: z.string().nullable(),
  arguments: Payload,
  declared: Payload.nullable(),
  result: Payload.nullable(),
  outcome: Outcome.nullable(),
  verification: Verification,
  association: Association,
  authorisation: z.object({
    kind: z.enum(['none', 'policy', 'approval', 'observed', 'recorded']),
    approvalId: z.string().nullable(),
    by: z.string().nullable(),
    /** What an imported record said of its own authorisation. */
    recorded: z.object({ authorized: z.boolean().nullable(), failure: z.string().nullable() }).nullable(),
  }),
  times: z.object({
    requested: z.string().nullable(),
    /** The client's clock, beside ours (case 29). */
    occurred: z.string().nullable(),
    dispatched: z.string().nullable(),
    completed: z.string().nullable(),
    reportedStart: z.string().nullable(),
    reportedEnd: z.string().nullable(),
  }),
  lateResult: z.object({ attempt: z.string().nullable(), outcome: Outcome, result: Payload.nullable(), recordedAt: z.string() }).nullable(),
  provenance: Provenance,
  requestedBy: z.string().nullable(),
  /** The old record as it was, of an imported receipt; served by `?view=compat`. */
  original: Payload.nullable(),
  /** Position of the request: the order of receipts (never by time). */
  requestedPosition: z.string(),
  revision: z.string(),
  position: z.string(),
});
export type ReceiptDocument = z.infer<typeof ReceiptDocument>;

export const ApprovalDocument = z.object({
  approvalId: z.string(),
  workspaceId: z.string(),
  userId: z.string(),
  sessionId: z.string(),
  receiptId: z.string(),
  operationId: z.string(),
  state: ApprovalState,
  reasons: z.array(z.string()),
  requestedAt: z.string(),
  expiresAt: z.string(),
  decidedAt: z.string().nullable(),
  by: z.string().nullable(),
  note: Payload.nullable(),
  voidedBecause: z.string().nullable(),
  requestedPosition: z.string(),
  revision: z.string(),
  position: z.string(),
});
export type ApprovalDocument = z.infer<typeof ApprovalDocument>;

export const SessionDocument = z.object({
  workspaceId: z.string(),
  sessionId: z.string(),
  userId: z.string(),
  agent: z.string().nullable(),
  parent: z.object({ sessionId: z.string(), receiptId: z.string() }).nullable(),
  state: z.enum(['open', 'closed']),
  openedAt: z.string(),
  closedAt: z.string().nullable(),
  calls: z.object({ total: z.int(), undispatched: z.int(), inFlight: z.int(), ended: z.int() }),
  openedPosition: z.string(),
  revision: z.string(),
  position: z.string(),
});
export type SessionDocument = z.infer<typeof SessionDocument>;
