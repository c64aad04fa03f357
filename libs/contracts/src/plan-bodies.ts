import { z } from 'zod';
import { fileState, freeText, machineWord, sha256Hex } from './body-parts.js';
import { CriterionId, EvidenceId, PlanId, ReceiptId, Role, TaskId, ToolName, ToolSource } from './ids.js';
import { wellFormed } from './text.js';

/** So many tasks a plan has, and so many criteria and pieces of evidence a task. */
export const TASKS_PER_PLAN = 200;
export const CRITERIA_PER_TASK = 50;
/** So many criteria all tasks of one plan have together: they stand in one event of at most 256 KiB. */
export const CRITERIA_PER_PLAN = 400;
export const EVIDENCE_PER_TASK = 500;

/** A command line, or its arguments one by one; compared exactly as it stands (promise 15). */
const command = z.union([z.string().min(1), z.array(z.string()).min(1).max(1000)]);

export const CriterionBody = z.discriminatedUnion('kind', [
  z.strictObject({
    id: CriterionId,
    kind: z.literal('command'),
    tool: z.strictObject({ source: ToolSource, name: ToolName }),
    command,
    cwd: freeText.optional(),
    description: freeText.optional(),
  }),
  z.strictObject({ id: CriterionId, kind: z.literal('effect'), path: freeText, sha256: sha256Hex, description: freeText.optional() }),
  z.strictObject({ id: CriterionId, kind: z.literal('evidence'), description: freeText }),
  z.strictObject({ id: CriterionId, kind: z.literal('attestation'), role: Role, description: freeText.optional() }),
]);
export type CriterionBody = z.infer<typeof CriterionBody>;

/**
 * What a call of an old runtime has to be, for the legacy adapter to infer that it belongs to the task: the old checkpoint's action and,
 * if given, its argument text. It binds no call, accepts nothing, and no other route looks at it (promise 31).
 */
export const TaskContract = z.strictObject({
  action: wellFormed(1, 128).refine((action) => action.trim() !== '', { error: 'must name an action' }),
  args: freeText.optional(),
});
export type TaskContract = z.infer<typeof TaskContract>;

/** The plan that is meant: if another one is active by now, nothing is done. Without it the active plan is meant, whichever that is. */
const ofPlan = { planId: PlanId.optional() };

const task = {
  taskId: TaskId,
  title: freeText.optional(),
  description: freeText.optional(),
  criteria: z
    .array(CriterionBody)
    .max(CRITERIA_PER_TASK)
    .refine((criteria) => new Set(criteria.map((one) => one.id)).size === criteria.length, { error: 'ids of criteria must differ' })
    .default([]),
  contract: TaskContract.optional(),
};

/** Each task of a plan. */
export const TaskBody = z.strictObject(task);
export type TaskBody = z.infer<typeof TaskBody>;

/** POST /v1/sessions/{s}/tasks */
export const AddTaskBody = z.strictObject({ ...task, ...ofPlan });
export type AddTaskBody = z.infer<typeof AddTaskBody>;

/** POST …/tasks/{t}/start, block, unblock, fail, cancel, reopen */
export const ChangeTaskBody = z.strictObject({ reason: freeText.optional(), ...ofPlan });
export type ChangeTaskBody = z.infer<typeof ChangeTaskBody>;

/** POST /v1/sessions/{s}/plans: activates it; the plan that was active is superseded. */
export const ActivatePlanBody = z.strictObject({
  planId: PlanId,
  title: freeText.optional(),
  tasks: z
    .array(TaskBody)
    .max(TASKS_PER_PLAN)
    .refine((tasks) => new Set(tasks.map((task) => task.taskId)).size === tasks.length, { error: 'ids of tasks must differ' })
    .refine((tasks) => tasks.reduce((sum, task) => sum + task.criteria.length, 0) <= CRITERIA_PER_PLAN, {
      error: `all tasks together have at most ${String(CRITERIA_PER_PLAN)} criteria`,
    }),
});
export type ActivatePlanBody = z.infer<typeof ActivatePlanBody>;

/** POST …/tasks/{t}/complete */
export const CompleteTaskBody = z.strictObject({
  met: z
    .array(z.strictObject({ criterionId: CriterionId, evidenceId: EvidenceId }))
    .max(CRITERIA_PER_TASK)
    .default([]),
  /** Why it is accepted: only of a task without criteria, and needed there. */
  acceptance: freeText.min(1).optional(),
  ...ofPlan,
});
export type CompleteTaskBody = z.infer<typeof CompleteTaskBody>;

/** POST /v1/sessions/{s}/evidence: exactly one source. */
export const EvidenceBody = z
  .strictObject({
    evidenceId: EvidenceId,
    ...ofPlan,
    taskId: TaskId,
    criterionId: CriterionId.optional(),
    receiptId: ReceiptId.optional(),
    observation: z.strictObject({ path: freeText, method: machineWord, observer: machineWord, ...fileState }).optional(),
    attestation: z.strictObject({ statement: freeText.optional() }).optional(),
  })
  .refine((body) => [body.receiptId, body.observation, body.attestation].filter((source) => source !== undefined).length === 1, {
    error: 'exactly one of receiptId, observation and attestation must be given',
    path: ['receiptId'],
  });
export type EvidenceBody = z.infer<typeof EvidenceBody>;
