import type { PlannedTask, TaskDocument, TaskEvidence, TaskStatus } from '@counterfoil/contracts';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sessionOf } from '../shared/streams.js';
import { LEADS_TO, type TransitionEvent } from '../shared/task-transitions.js';
import { withEvidence } from './evidence.js';
import { NAME, taskIdOf, type TaskEvent } from './touched.js';

/** So many of the calls that were bound to a task its document names. */
export const LAST_RECEIPTS = 20;

/** In which states each event finds its task (design §4, States). */
const FOLLOWS: Readonly<Record<TransitionEvent['type'], readonly TaskStatus[]>> = {
  TaskStarted: ['pending'],
  TaskBlocked: ['pending', 'running'],
  TaskUnblocked: ['blocked'],
  TaskSucceeded: ['running'],
  TaskFailed: ['pending', 'running', 'blocked'],
  TaskCancelled: ['pending', 'running', 'blocked'],
  TaskReopened: ['succeeded', 'failed', 'cancelled'],
};

type Change = Partial<TaskDocument>;

/**
 * Folds one event into the document of one task (promises 15 to 17).
 *
 * @param id of the document: a plan's activation concerns all of its tasks
 * @throws ProjectionFault for an event that can't follow
 */
export function evolveTask(doc: TaskDocument | null, event: TaskEvent, id: string): TaskDocument {
  const planned = plannedBy(event, id);
  if (planned !== null) {
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the task was planned before');
    return newTask(event, planned);
  }
  if (doc === null) throw new ProjectionFault(NAME, event, 'the task was never planned');
  return { ...doc, ...changeOf(doc, event), revision: event.revision.toString(), position: event.position.toString() };
}

interface Planned {
  readonly planId: string;
  readonly userId: string;
  readonly task: PlannedTask;
}

/** The task as it is planned, if the event plans it. */
function plannedBy(event: TaskEvent, id: string): Planned | null {
  if (event.type === 'TaskAdded') return event.data;
  if (event.type !== 'WorkingPlanActivated') return null;
  const taskId = taskIdOf(id);
  const task = event.data.tasks.find((one) => one.taskId === taskId);
  if (task === undefined) throw new ProjectionFault(NAME, event, 'the plan has no such task');
  return { planId: event.data.planId, userId: event.data.userId, task };
}

function changeOf(doc: TaskDocument, event: TaskEvent): Change {
  switch (event.type) {
    case 'WorkingPlanActivated':
    case 'TaskAdded':
      throw new ProjectionFault(NAME, event, 'the task was planned before');
    case 'EvidenceRecorded':
      return { evidence: evidenceAfter(doc, event) };
    case 'ToolCallRequested':
      return { lastReceipts: [event.data.receiptId, ...doc.lastReceipts].slice(0, LAST_RECEIPTS), receiptCount: doc.receiptCount + 1 };
    case 'ToolDispatched':
    case 'ToolCallObserved':
      return { outdatedAt: event.revision.toString() };
    default:
      return transition(doc, event);
  }
}

function transition(doc: TaskDocument, event: TransitionEvent): Change {
  if (!FOLLOWS[event.type].includes(doc.status)) throw new ProjectionFault(NAME, event, `it can't follow on ${doc.status}`);
  const at = event.metadata.recordedAt;
  const reason = event.type === 'TaskSucceeded' ? null : event.data.reason;
  const change: Change = { status: LEADS_TO[event.type], reason, changedBy: event.metadata.actor.principal };
  switch (event.type) {
    case 'TaskStarted':
      return { ...change, times: { ...doc.times, started: at } };
    case 'TaskBlocked':
    case 'TaskUnblocked':
      return change;
    case 'TaskSucceeded':
      return { ...change, criteria: metBy(doc, event), acceptance: event.data.acceptance, times: { ...doc.times, ended: at } };
    case 'TaskFailed':
    case 'TaskCancelled':
      return { ...change, times: { ...doc.times, ended: at } };
    case 'TaskReopened':
      return { ...change, ...reopened(doc, event) };
  }
}

function metBy(doc: TaskDocument, event: EventOf<'TaskSucceeded'>): TaskDocument['criteria'] {
  const evidenceOf = new Map(event.data.met.map(({ criterionId, evidenceId }) => [criterionId, evidenceId]));
  return doc.criteria.map(({ criterion }) => ({ criterion, metBy: evidenceOf.get(criterion.id) ?? null }));
}

/** A new round: nothing is met any more, and what was recorded before rests on less than the reopening. */
function reopened(doc: TaskDocument, event: EventOf<'TaskReopened'>): Change {
  return {
    criteria: doc.criteria.map(({ criterion }) => ({ criterion, metBy: null })),
    acceptance: null,
    reopened: doc.reopened + 1,
    outdatedAt: event.revision.toString(),
    times: { ...doc.times, started: null, ended: null },
  };
}

function evidenceAfter(doc: TaskDocument, event: EventOf<'EvidenceRecorded'>): TaskEvidence[] {
  const { evidenceId, criterionId, source, facts, since } = event.data;
  if (doc.evidence.some((one) => one.evidenceId === evidenceId)) throw new ProjectionFault(NAME, event, 'the evidence was recorded before');
  const added: TaskEvidence = {
    evidenceId,
    criterionId,
    source,
    facts,
    since: since ?? event.revision.toString(),
    recordedAt: event.metadata.recordedAt,
    by: event.metadata.actor.principal,
  };
  return withEvidence(doc.evidence, added, new Set(doc.criteria.flatMap(({ metBy: by }) => by ?? [])));
}

function newTask(event: TaskEvent, { planId, userId, task }: Planned): TaskDocument {
  const session = sessionOf(event.stream);
  if (session === null) throw new ProjectionFault(NAME, event, 'it stands in no session stream');
  const position = event.position.toString();
  return {
    workspaceId: session.workspaceId,
    userId,
    sessionId: session.sessionId,
    planId,
    taskId: task.taskId,
    status: 'pending',
    details: task.details,
    criteria: task.criteria.map((criterion) => ({ criterion, metBy: null })),
    acceptance: null,
    reason: null,
    changedBy: event.metadata.actor.principal,
    evidence: [],
    lastReceipts: [],
    receiptCount: 0,
    reopened: 0,
    outdatedAt: null,
    times: { added: event.metadata.recordedAt, started: null, ended: null },
    addedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
