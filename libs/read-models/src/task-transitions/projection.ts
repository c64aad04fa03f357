import type { LedgerEvent, TransitionDocument } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { importedIdOf, recordedTaskKey, recordFacts } from '../shared/imported-record.js';
import { sortableTime } from '../shared/recorded-time.js';

const NAME = 'task_transitions';

type TransitionImported = EventOf<'HistoricalTransitionImported'>;

/** Behind every time: what happened when is not known comes last. */
const NO_TIME = '~';

export const TRANSITION_INDEXES = {
  /** The user at the end: a scope of one user holds it fixed, and the order stays the same. */
  task: { name: 'by_task', fields: ['workspace', 'task', 'createdAt', 'recordKey', 'user'] },
} as const satisfies Record<string, IndexSpec>;

/** One document per change of a task that an old event log tells of: read with its task, and proof of nothing. */
export const taskTransitionsProjection: Projection<TransitionDocument> = {
  name: NAME,
  indexes: Object.values(TRANSITION_INDEXES),
  idOf: (event) => (isTransition(event) ? importedIdOf(event) : null),
  evolve(doc, event) {
    if (!isTransition(event)) return doc;
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the record was imported before');
    return newTransition(event);
  },
  fields: transitionFields,
};

/** The values that transitions are found and ordered by; `task` is the recorded task's key. */
export function transitionFields(doc: TransitionDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    task: recordedTaskKey(doc),
    createdAt: sortableTime(doc.createdAt) ?? NO_TIME,
    recordKey: doc.recordKey,
    user: doc.userId,
  };
}

const isTransition = (event: LedgerEvent): event is TransitionImported => event.type === 'HistoricalTransitionImported';

function newTransition(event: TransitionImported): TransitionDocument {
  const { data, metadata } = event;
  const position = event.position.toString();
  return {
    ...recordFacts(event),
    taskId: data.coordinates['taskId'] ?? null,
    transition: data.transition,
    to: data.to,
    createdAt: metadata.occurredAt,
    importedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
