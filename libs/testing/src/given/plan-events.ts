import type { EvidenceFacts, PlannedTask } from '@counterfoil/contracts';
import { builder } from './builder.js';
import { RECEIPT } from './events.js';
import { USER } from './scope.js';
import { digestOf, payloadOf } from './values.js';

/** The plan and the task that the builders' events are about. */
export const PLAN = 'p1';
export const TASK = 't1';
export const EVIDENCE = 'e1';

/** A task as a plan carries it, with no criteria unless they are given. */
export const plannedTask = (taskId = TASK, more: Partial<PlannedTask> = {}): PlannedTask => ({
  taskId,
  details: payloadOf({ title: `Do ${taskId}` }),
  criteria: [],
  fingerprint: digestOf(`task-${taskId}`),
  ...more,
});

/** Facts of evidence that say nothing but what is given. */
export const factsOf = (more: Partial<EvidenceFacts> = {}): EvidenceFacts => ({
  status: null,
  exitCode: null,
  commandFingerprint: null,
  pathFingerprint: null,
  contentDigest: null,
  verification: null,
  ...more,
});

export const workingPlanActivated = builder('WorkingPlanActivated', {
  planId: PLAN,
  userId: USER,
  title: payloadOf('The plan'),
  tasks: [plannedTask()],
  supersedes: null,
  fingerprint: digestOf('plan-1'),
  secrets: [],
});

export const workingPlanClosed = builder('WorkingPlanClosed', { planId: PLAN, cause: 'closed', by: null, reason: null, secrets: [] });

export const taskAdded = builder('TaskAdded', { planId: PLAN, userId: USER, task: plannedTask('t2'), secrets: [] });

const ofTask = { planId: PLAN, taskId: TASK };
const said = { fingerprint: digestOf('said'), secrets: [] };
const transition = { ...ofTask, reason: null, ...said };

export const taskStarted = builder('TaskStarted', transition);
export const taskBlocked = builder('TaskBlocked', transition);
export const taskUnblocked = builder('TaskUnblocked', transition);
export const taskFailed = builder('TaskFailed', transition);
export const taskCancelled = builder('TaskCancelled', transition);
export const taskReopened = builder('TaskReopened', transition);
export const taskSucceeded = builder('TaskSucceeded', { ...ofTask, met: [], acceptance: null, ...said });

export const evidenceRecorded = builder('EvidenceRecorded', {
  ...ofTask,
  evidenceId: EVIDENCE,
  criterionId: null,
  source: { kind: 'receipt', receiptId: RECEIPT },
  facts: factsOf({ status: 'succeeded', exitCode: 0 }),
  since: null,
  ...said,
});
