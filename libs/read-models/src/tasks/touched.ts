import type { LedgerEvent } from '@counterfoil/contracts';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sessionKeyOf } from '../shared/streams.js';
import { LEADS_TO, type TransitionEvent } from '../shared/task-transitions.js';

export const NAME = 'tasks';

/** The events that a task's document is folded from. A call's touch it only where they name the task. */
export type TaskEvent =
  | EventOf<'WorkingPlanActivated' | 'TaskAdded' | 'EvidenceRecorded' | 'ToolCallRequested' | 'ToolDispatched' | 'ToolCallObserved'>
  | TransitionEvent;

/** A task, as far as its session is known. */
export interface TaskRef {
  readonly sessionId: string;
  readonly planId: string;
  readonly taskId: string;
}

/** Id of a task's document: none of the ids holds a slash. */
export const taskKey = (workspaceId: string, { sessionId, planId, taskId }: TaskRef): string =>
  `${workspaceId}/${sessionId}/${planId}/${taskId}`;

/** The task that a document's id names. */
export const taskIdOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/**
 * The tasks that an event touches: all of a plan that is activated, and the one that any other names. A call touches its task when it is
 * requested, and once more when it may have changed what evidence of the task shows (promise 15).
 *
 * @throws ProjectionFault for a call of a task that doesn't say which
 */
export function touchedTasks(event: LedgerEvent): string | readonly string[] | null {
  if (!isTaskEvent(event)) return null;
  const session = sessionKeyOf(event.stream);
  if (session === null) return null;
  switch (event.type) {
    case 'WorkingPlanActivated':
      return event.data.tasks.map(({ taskId }) => `${session}/${event.data.planId}/${taskId}`);
    case 'TaskAdded':
      return `${session}/${event.data.planId}/${event.data.task.taskId}`;
    case 'ToolCallRequested':
      return event.data.association.kind === 'task' ? boundTo(session, event) : null;
    case 'ToolDispatched':
    case 'ToolCallObserved':
      return event.data.outdates === 'task' ? boundTo(session, event) : null;
    default:
      return `${session}/${event.data.planId}/${event.data.taskId}`;
  }
}

export function isTaskEvent(event: LedgerEvent): event is TaskEvent {
  switch (event.type) {
    case 'WorkingPlanActivated':
    case 'TaskAdded':
    case 'EvidenceRecorded':
    case 'ToolCallRequested':
    case 'ToolDispatched':
    case 'ToolCallObserved':
      return true;
    default:
      return Object.hasOwn(LEADS_TO, event.type);
  }
}

function boundTo(session: string, event: EventOf<'ToolCallRequested' | 'ToolDispatched' | 'ToolCallObserved'>): string {
  const { planId, taskId } = event.data;
  if (typeof planId !== 'string' || typeof taskId !== 'string') throw new ProjectionFault(NAME, event, 'it names no task');
  return `${session}/${planId}/${taskId}`;
}
