import { z } from 'zod';
import { Payload } from '../payload.js';
import { Criterion, EvidenceFacts, EvidenceSource } from '../events/plan-events.js';
import { ToolSpec } from '../tools.js';
import { CallStatus, TaskStatus } from './status.js';

/** A task as commands answer it. */
export const TaskView = z.object({
  planId: z.string(),
  taskId: z.string(),
  status: TaskStatus,
  criteria: z.array(z.object({ id: z.string(), kind: z.string(), metBy: z.string().nullable() })),
});
export type TaskView = z.infer<typeof TaskView>;

export const PlanView = z.object({ planId: z.string(), state: z.enum(['active', 'closed']), tasks: z.array(TaskView) });
export type PlanView = z.infer<typeof PlanView>;

export const EvidenceView = z.object({
  evidenceId: z.string(),
  planId: z.string(),
  taskId: z.string(),
  criterionId: z.string().nullable(),
  kind: z.enum(['receipt', 'observation', 'attestation']),
  stale: z.boolean(),
});
export type EvidenceView = z.infer<typeof EvidenceView>;

const answer = { revision: z.string(), position: z.string() };
export const PlanAnswer = z.object({ plan: PlanView, ...answer });
export type PlanAnswer = z.infer<typeof PlanAnswer>;
export const TaskAnswer = z.object({ task: TaskView, ...answer });
export type TaskAnswer = z.infer<typeof TaskAnswer>;
export const EvidenceAnswer = z.object({ evidence: EvidenceView, ...answer });
export type EvidenceAnswer = z.infer<typeof EvidenceAnswer>;

/** Why a criterion is not met by what was named for it; extension `unmet` of the problem `completion_unmet`. */
export const Unmet = z.object({ criterionId: z.string().nullable(), code: z.string(), detail: z.string() });
export type Unmet = z.infer<typeof Unmet>;

const document = { revision: z.string(), position: z.string() };

/** Evidence as a task's document holds it. */
export const TaskEvidence = z.object({
  evidenceId: z.string(),
  criterionId: z.string().nullable(),
  source: EvidenceSource,
  facts: EvidenceFacts,
  /** Revision on which it rests. */
  since: z.string(),
  recordedAt: z.string(),
  by: z.string(),
});
export type TaskEvidence = z.infer<typeof TaskEvidence>;

/** The read model of a task: one document per (workspace, session, plan, task). */
export const TaskDocument = z.object({
  workspaceId: z.string(),
  userId: z.string(),
  sessionId: z.string(),
  planId: z.string(),
  taskId: z.string(),
  status: TaskStatus,
  details: Payload,
  criteria: z.array(z.object({ criterion: Criterion, metBy: z.string().nullable() })),
  /** The reason of an explicit acceptance, of a task without criteria. */
  acceptance: Payload.nullable(),
  reason: Payload.nullable(),
  changedBy: z.string(),
  evidence: z.array(TaskEvidence),
  /** The last calls that were bound to it, newest first: at most 20. */
  lastReceipts: z.array(z.string()),
  receiptCount: z.int(),
  reopened: z.int(),
  /** Revision of the last state-changing call that was bound to it, or of its reopening: what rests on less is stale. */
  outdatedAt: z.string().nullable(),
  times: z.object({ added: z.string(), started: z.string().nullable(), ended: z.string().nullable() }),
  addedPosition: z.string(),
  ...document,
});
export type TaskDocument = z.infer<typeof TaskDocument>;

/** The read model of a Working Plan. */
export const PlanDocument = z.object({
  workspaceId: z.string(),
  userId: z.string(),
  sessionId: z.string(),
  planId: z.string(),
  title: Payload.nullable(),
  state: z.enum(['active', 'closed']),
  closedBecause: z.enum(['closed', 'superseded']).nullable(),
  supersedes: z.string().nullable(),
  supersededBy: z.string().nullable(),
  reason: Payload.nullable(),
  tasks: z.array(z.object({ taskId: z.string(), status: TaskStatus })),
  activatedAt: z.string(),
  activatedBy: z.string(),
  closedAt: z.string().nullable(),
  activatedPosition: z.string(),
  ...document,
});
export type PlanDocument = z.infer<typeof PlanDocument>;

/** The read model of a registered tool. */
export const ToolDocument = ToolSpec.extend({
  workspaceId: z.string(),
  state: z.enum(['registered', 'retired']),
  registeredAt: z.string(),
  registeredBy: z.string(),
  /** How often a spec of it was registered. */
  registrations: z.int(),
  retiredAt: z.string().nullable(),
  retiredBecause: Payload.nullable(),
  registeredPosition: z.string(),
  ...document,
});
export type ToolDocument = z.infer<typeof ToolDocument>;

/** What a task's answer adds when it is read: joined from the session, the plan and the receipts. */
export const TaskReading = TaskDocument.omit({ addedPosition: true, evidence: true, lastReceipts: true }).extend({
  planState: z.enum(['active', 'closed']),
  evidence: z.array(TaskEvidence.extend({ stale: z.boolean() })),
  lastReceipts: z.array(z.object({ receiptId: z.string(), status: CallStatus, operationId: z.string().nullable() })),
});
export type TaskReading = z.infer<typeof TaskReading>;
