import {
  AddTaskBody,
  ChangeTaskBody,
  CompleteTaskBody,
  EvidenceAnswer,
  EvidenceBody,
  TaskAnswer,
  type ProblemCode,
} from '@counterfoil/contracts';
import { TaskListQuery } from '@counterfoil/read-models';
import { z } from 'zod';
import { GetImportedTaskParams } from '../../imported-tasks/queries.js';
import { GetTaskParams } from '../../tasks/queries.js';
import {
  answered,
  COMMAND_PROBLEMS,
  createdOr,
  MIN_POSITION,
  named,
  PAGE_PROBLEMS,
  QUERY_PROBLEMS,
  type RouteEntry,
} from '../route-entry.js';
import { ImportedTask, pageOf, Task } from '../schemas.js';

const answer = named('TaskAnswer', TaskAnswer);
const CHANGE_PROBLEMS: readonly ProblemCode[] = [...COMMAND_PROBLEMS, 'plan_not_active', 'task_state'];

const change = (name: string, summary: string): RouteEntry => ({
  route: `POST /v1/sessions/:s/tasks/:t/${name}`,
  id: `${name}Task`,
  tag: 'tasks',
  summary,
  body: named('ChangeTaskBody', ChangeTaskBody),
  answers: answered('The task.', answer),
  problems: CHANGE_PROBLEMS,
});

export const TASK_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/sessions/:s/tasks',
    id: 'addTask',
    tag: 'tasks',
    summary: 'Add a task to the active plan',
    body: named('AddTaskBody', AddTaskBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'plan_not_active', 'plan_full', 'task_conflict'],
  },
  change('start', 'Start a pending task'),
  change('block', 'Block a pending or running task'),
  change('unblock', 'Unblock a task: it is pending again'),
  {
    route: 'POST /v1/sessions/:s/tasks/:t/complete',
    id: 'completeTask',
    tag: 'tasks',
    summary: 'Complete a running task',
    description:
      'Names for each criterion the evidence that meets it, one for one; a task without criteria needs an acceptance with a reason. 409 `completion_unmet` says in `unmet` what is missing and why.',
    body: named('CompleteTaskBody', CompleteTaskBody),
    answers: answered('The task, succeeded.', answer),
    problems: [...CHANGE_PROBLEMS, 'completion_unmet'],
  },
  change('fail', 'Give a task up as failed'),
  change('cancel', 'Cancel a task'),
  change('reopen', 'Reopen a task that has ended'),
  {
    route: 'GET /v1/sessions/:s/tasks/:t',
    id: 'getTask',
    tag: 'tasks',
    summary: 'Read a task of the active plan, or of another plan of the session',
    query: GetTaskParams,
    headers: [MIN_POSITION],
    answers: answered('The task, with its evidence and last receipts.', named('Task', Task)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'GET /v1/tasks',
    id: 'findTasks',
    tag: 'tasks',
    summary: 'List tasks, newest first',
    description:
      'With `provenance=imported` the tasks of old systems, as their rows stood when they were imported, with what the old event log says of each. No command changes one.',
    query: TaskListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('TaskPage', z.union([pageOf(Task), pageOf(ImportedTask)]))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'GET /v1/imported-tasks/:id',
    id: 'getImportedTask',
    tag: 'tasks',
    summary: 'Read a task of an old system',
    description:
      'Its status is the one that was recorded. `transitions` are what the old event log says of the same task of the same workspace, user and session, and prove nothing.',
    query: GetImportedTaskParams,
    headers: [MIN_POSITION],
    answers: answered('The task.', named('ImportedTask', ImportedTask)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'POST /v1/sessions/:s/evidence',
    id: 'recordEvidence',
    tag: 'tasks',
    summary: 'Record evidence for a task',
    description: 'From a receipt, an observation, or the attestation of a person. Evidence completes nothing by itself.',
    body: named('EvidenceBody', EvidenceBody),
    answers: createdOr(named('EvidenceAnswer', EvidenceAnswer)),
    problems: [
      ...COMMAND_PROBLEMS,
      'plan_not_active',
      'evidence_conflict',
      'evidence_unusable',
      'evidence_full',
      'attestation_needs_person',
    ],
  },
];
