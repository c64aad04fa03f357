import type { LedgerEvent, PlanDocument, TaskStatus } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sortable } from '../shared/numbers.js';
import { sessionKeyOf, sessionOf } from '../shared/streams.js';
import { LEADS_TO, type TransitionEvent } from '../shared/task-transitions.js';

const NAME = 'plans';

type PlanEvent = EventOf<'WorkingPlanActivated' | 'WorkingPlanClosed' | 'TaskAdded'> | TransitionEvent;

export const PLAN_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'activatedPosition'] },
  user: { name: 'by_user', fields: ['workspace', 'user', 'activatedPosition'] },
  session: { name: 'by_session', fields: ['workspace', 'session', 'activatedPosition'] },
  state: { name: 'by_state', fields: ['workspace', 'state', 'activatedPosition'] },
} as const satisfies Record<string, IndexSpec>;

/** One document per Working Plan, `<workspace>/<session>/<plan>`: with its tasks' states, and nothing else of them. */
export const plansProjection: Projection<PlanDocument> = {
  name: NAME,
  indexes: Object.values(PLAN_INDEXES),
  idOf(event) {
    const session = isPlanEvent(event) ? sessionKeyOf(event.stream) : null;
    return session === null || !isPlanEvent(event) ? null : `${session}/${event.data.planId}`;
  },
  evolve: (doc, event) => (isPlanEvent(event) ? evolvePlan(doc, event) : doc),
  fields: planFields,
};

/** Id of a plan's document: none of the ids holds a slash. */
export const planKey = (workspaceId: string, sessionId: string, planId: string): string => `${workspaceId}/${sessionId}/${planId}`;

export function planFields(doc: PlanDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    session: doc.sessionId,
    state: doc.state,
    activatedPosition: sortable(doc.activatedPosition),
  };
}

/** Evidence and calls change nothing of a plan (promise 15). */
function isPlanEvent(event: LedgerEvent): event is PlanEvent {
  const { type } = event;
  return type === 'WorkingPlanActivated' || type === 'WorkingPlanClosed' || type === 'TaskAdded' || Object.hasOwn(LEADS_TO, type);
}

function evolvePlan(doc: PlanDocument | null, event: PlanEvent): PlanDocument {
  if (event.type === 'WorkingPlanActivated') {
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the plan was activated before');
    return newPlan(event);
  }
  if (doc === null) throw new ProjectionFault(NAME, event, 'the plan was never activated');
  if (doc.state === 'closed') throw new ProjectionFault(NAME, event, 'the plan is closed');
  return { ...doc, ...changeOf(doc, event), revision: event.revision.toString(), position: event.position.toString() };
}

function changeOf(doc: PlanDocument, event: Exclude<PlanEvent, EventOf<'WorkingPlanActivated'>>): Partial<PlanDocument> {
  switch (event.type) {
    case 'WorkingPlanClosed': {
      const { cause, by, reason } = event.data;
      return { state: 'closed', closedBecause: cause, supersededBy: by, reason, closedAt: event.metadata.recordedAt };
    }
    case 'TaskAdded': {
      const { taskId } = event.data.task;
      if (doc.tasks.some((task) => task.taskId === taskId)) throw new ProjectionFault(NAME, event, 'the plan has the task');
      return { tasks: [...doc.tasks, pending(taskId)] };
    }
    default:
      return { tasks: withStatus(doc, event, LEADS_TO[event.type]) };
  }
}

function withStatus(doc: PlanDocument, event: TransitionEvent, status: TaskStatus): PlanDocument['tasks'] {
  const { taskId } = event.data;
  if (!doc.tasks.some((task) => task.taskId === taskId)) throw new ProjectionFault(NAME, event, 'the plan has no such task');
  return doc.tasks.map((task) => (task.taskId === taskId ? { taskId, status } : task));
}

const pending = (taskId: string): PlanDocument['tasks'][number] => ({ taskId, status: 'pending' });

function newPlan(event: EventOf<'WorkingPlanActivated'>): PlanDocument {
  const { data, metadata } = event;
  const session = sessionOf(event.stream);
  if (session === null) throw new ProjectionFault(NAME, event, 'it stands in no session stream');
  const position = event.position.toString();
  return {
    workspaceId: session.workspaceId,
    userId: data.userId,
    sessionId: session.sessionId,
    planId: data.planId,
    title: data.title,
    state: 'active',
    closedBecause: null,
    supersedes: data.supersedes,
    supersededBy: null,
    reason: null,
    tasks: data.tasks.map(({ taskId }) => pending(taskId)),
    activatedAt: metadata.recordedAt,
    activatedBy: metadata.actor.principal,
    closedAt: null,
    activatedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
