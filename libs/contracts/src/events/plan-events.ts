import { z } from 'zod';
import { CriterionId, EvidenceId, PlanId, Principal, ReceiptId, Role, TaskId, ToolName, ToolSource, UserId } from '../ids.js';
import { KnownSecret, Payload } from '../payload.js';
import { Decimal, KeyedDigest } from '../text.js';
import { CallStatus } from '../views/status.js';
import { Verification } from './shared.js';

/** One acceptance criterion: only what it is compared by; its words stand in the task's details. */
export const Criterion = z.discriminatedUnion('kind', [
  z.object({
    id: CriterionId,
    kind: z.literal('command'),
    tool: z.object({ source: ToolSource, name: ToolName }),
    /** Keyed, over tool, exact command and working directory (promise 15). */
    fingerprint: KeyedDigest,
  }),
  z.object({ id: CriterionId, kind: z.literal('effect'), pathFingerprint: KeyedDigest, contentDigest: KeyedDigest }),
  z.object({ id: CriterionId, kind: z.literal('evidence') }),
  z.object({ id: CriterionId, kind: z.literal('attestation'), role: Role }),
]);
export type Criterion = z.infer<typeof Criterion>;

export const PlannedTask = z.object({
  taskId: TaskId,
  /** Title, description and criteria as they were given: redacted and bounded. */
  details: Payload,
  criteria: z.array(Criterion),
  /** Keyed, over what was sent: the same again is recognised by it (design §4). So are those below. */
  fingerprint: KeyedDigest,
  /** What the legacy adapter matches calls of an old runtime with: the action in the old canonical spelling, the argument text keyed. */
  contract: z.object({ action: z.string(), argsFingerprint: KeyedDigest.nullable() }).optional(),
});
export type PlannedTask = z.infer<typeof PlannedTask>;

const said = { fingerprint: KeyedDigest, secrets: z.array(KnownSecret) };

export const WorkingPlanActivated = z.object({
  planId: PlanId,
  userId: UserId,
  title: Payload.nullable(),
  tasks: z.array(PlannedTask),
  supersedes: PlanId.nullable(),
  ...said,
});

export const WorkingPlanClosed = z.object({
  planId: PlanId,
  cause: z.enum(['closed', 'superseded']),
  /** The plan that superseded it. */
  by: PlanId.nullable(),
  reason: Payload.nullable(),
  secrets: z.array(KnownSecret),
});

export const TaskAdded = z.object({ planId: PlanId, userId: UserId, task: PlannedTask, secrets: z.array(KnownSecret) });

const ofTask = { planId: PlanId, taskId: TaskId };
const transition = z.object({ ...ofTask, reason: Payload.nullable(), ...said });

export const TaskStarted = transition;
export const TaskBlocked = transition;
export const TaskUnblocked = transition;
export const TaskFailed = transition;
export const TaskCancelled = transition;
export const TaskReopened = transition;

/** Names the evidence that meets each criterion, one for one; `acceptance` is the reason of a task that has none (promise 15). */
export const TaskSucceeded = z.object({
  ...ofTask,
  met: z.array(z.object({ criterionId: CriterionId, evidenceId: EvidenceId })),
  acceptance: Payload.nullable(),
  ...said,
});

export const EvidenceSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('receipt'), receiptId: ReceiptId }),
  z.object({ kind: z.literal('observation'), observation: Payload }),
  z.object({ kind: z.literal('attestation'), statement: Payload.nullable(), by: Principal, roles: z.array(Role) }),
]);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** What criteria are compared with; null where the source says nothing of it. */
export const EvidenceFacts = z.object({
  status: CallStatus.nullable(),
  exitCode: z.int().nullable(),
  commandFingerprint: KeyedDigest.nullable(),
  pathFingerprint: KeyedDigest.nullable(),
  contentDigest: KeyedDigest.nullable(),
  verification: Verification.shape.state.nullable(),
});
export type EvidenceFacts = z.infer<typeof EvidenceFacts>;

export const EvidenceRecorded = z.object({
  ...ofTask,
  evidenceId: EvidenceId,
  criterionId: CriterionId.nullable(),
  source: EvidenceSource,
  facts: EvidenceFacts,
  /** Revision of the dispatch that it rests on: a later change outdates it. Null: it rests on the moment of this event. */
  since: Decimal.nullable(),
  ...said,
});
