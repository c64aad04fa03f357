import type { Association, CriterionBody, TaskContract } from '@counterfoil/contracts';
import {
  activatePlan,
  changeTask,
  commandCriterion,
  completeTask,
  FINGERPRINT_KEY,
  freeText,
  givenOpened,
  played,
  stateAfter,
  taskPlan,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import type { TaskPlan } from '../../commands.js';
import { inferredAssociation } from '../infer.js';
import type { LegacyReport } from '../report.js';

export const NONE = { kind: 'none', taskId: null };
export const found = (taskId: string, basis: string): object => ({ kind: 'inferred', taskId, basis });

/** A task with a contract. */
export const about = (taskId: string, contract: TaskContract): TaskPlan => ({ ...taskPlan(taskId, []), contract });
/** A task that is only described. */
export const inWords = (taskId: string, description: string): TaskPlan => ({ taskId, title: null, description, criteria: [] });
/** A task with one command criterion. */
export const withCommand = (taskId: string, command: string, more: Partial<CriterionBody> = {}): TaskPlan =>
  taskPlan(taskId, [{ ...commandCriterion('c1', command, null), ...more } as CriterionBody]);

/** A session with this plan. */
export const planned = (...tasks: readonly TaskPlan[]): GivenSession => played(givenOpened(), activatePlan({ tasks }));

/** What a report of an old runtime is put to in a session; `plain.txt` was read unless told otherwise. */
export function inferredIn({ events }: GivenSession, change: Partial<LegacyReport> = {}): Association {
  const report: LegacyReport = {
    key: FINGERPRINT_KEY,
    action: 'read_file',
    generation: null,
    args: 'plain.txt',
    taskId: null,
    planId: null,
    ...change,
  };
  return inferredAssociation(stateAfter(events), report);
}

/** What completes a task. */
export const accepted = (taskId: string): readonly Play[] => [
  changeTask('start', taskId),
  completeTask({}, { taskId, acceptance: freeText('it is so') }),
];
