import type { TaskDocument } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import { sortable } from '../shared/numbers.js';
import { evolveTask } from './evolve.js';
import { isTaskEvent, NAME, touchedTasks } from './touched.js';

const inWorkspace = (name: string, ...by: readonly string[]): IndexSpec => ({ name, fields: ['workspace', ...by, 'addedPosition'] });

export const TASK_INDEXES = {
  position: inWorkspace('by_position'),
  user: inWorkspace('by_user', 'user'),
  session: inWorkspace('by_session', 'session'),
  sessionPlan: inWorkspace('by_session_plan', 'session', 'plan'),
  plan: inWorkspace('by_plan', 'plan'),
  status: inWorkspace('by_status', 'status'),
} as const satisfies Record<string, IndexSpec>;

/** One document per task of a Working Plan, `<workspace>/<session>/<plan>/<task>`. */
export const tasksProjection: Projection<TaskDocument> = {
  name: NAME,
  indexes: Object.values(TASK_INDEXES),
  idOf: touchedTasks,
  evolve: (doc, event, id) => (isTaskEvent(event) ? evolveTask(doc, event, id) : doc),
  fields: taskFields,
};

/** The values that tasks are filtered and sorted by. Those of one plan share their position, and stand by their ids. */
export function taskFields(doc: TaskDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    session: doc.sessionId,
    plan: doc.planId,
    status: doc.status,
    addedPosition: sortable(doc.addedPosition),
  };
}
