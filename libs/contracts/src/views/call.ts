import { z } from 'zod';
import { CallIdSource, SideEffectClass } from '../ids.js';
import { Association, Outcome, Provenance, Verification } from '../events/shared.js';
import { Payload } from '../payload.js';
import { ApprovalState, CallStatus } from './status.js';

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
  /** The operation that was requested, where the approver granted it with other arguments (promise 8). */
  amendedFrom: z.string().nullable(),
});
export type CallView = z.infer<typeof CallView>;

/** What the caller does next. */
export const Next = z.enum(['dispatch', 'wait', 'stop']);
export type Next = z.infer<typeof Next>;

export const CallAnswer = z.object({
  call: CallView,
  next: Next,
  /** The arguments to run with, of a call that was amended: handed back by its dispatch. */
  amendedArguments: Payload.optional(),
  revision: z.string(),
  position: z.string(),
});
export type CallAnswer = z.infer<typeof CallAnswer>;

/** The read model of one tool call (design §7, `receipt`), as documents hold it: `position` is added as a token when it is read. */
export const ReceiptDocument = CallView.extend({
  workspaceId: z.string(),
  userId: z.string().nullable(),
  planId: z.string().nullable(),
  /** The session in which the work began: the parent's parent's … of a subagent; null where that was not recorded. */
  rootSessionId: z.string().nullable(),
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
  /** Which version of the policy was asked, and which of its rules wanted what (promise 10). */
  policy: z.object({
    version: z.int().nullable(),
    reasons: z.array(z.object({ code: z.string(), ruleId: z.string().nullable() })),
  }),
  amendment: z.object({ by: z.string(), from: z.string(), at: z.string(), originalArguments: Payload }).nullable(),
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
  /** Position of the event that ended the call: the order in which calls ended (case 27). Null while it is open. */
  endedPosition: z.string().nullable(),
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
  rootSessionId: z.string().nullable(),
  calls: z.object({ total: z.int(), undispatched: z.int(), inFlight: z.int(), ended: z.int() }),
  activePlanId: z.string().nullable(),
  /** Revision of the last state-changing call that was bound to no task: it outdates evidence of every task. */
  outdatedAt: z.string().nullable(),
  openedPosition: z.string(),
  revision: z.string(),
  position: z.string(),
});
export type SessionDocument = z.infer<typeof SessionDocument>;
