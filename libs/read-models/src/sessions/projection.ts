import type { LedgerEvent, SessionDocument } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sortable } from '../shared/numbers.js';
import { sessionKeyOf } from '../shared/streams.js';

const NAME = 'sessions';

type Counts = SessionDocument['calls'];

export const SESSION_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'openedPosition'] },
  user: { name: 'by_user', fields: ['workspace', 'user', 'openedPosition'] },
  /** Across workspaces: the sweeper's, for sessions that were closed with calls left over. */
  leftovers: { name: 'by_leftovers', fields: ['state', 'undispatched'] },
} as const satisfies Record<string, IndexSpec>;

/** One document per session, `<workspace>/<sessionId>`. Imported history stands in streams of its own and counts for no session. */
export const sessionsProjection: Projection<SessionDocument> = {
  name: NAME,
  indexes: Object.values(SESSION_INDEXES),
  idOf: (event) => sessionKeyOf(event.stream),
  evolve: evolveSession,
  fields: sessionFields,
};

/** Id of a session's document. */
export const sessionKey = (workspaceId: string, sessionId: string): string => `${workspaceId}/${sessionId}`;

export function sessionFields(doc: SessionDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    state: doc.state,
    undispatched: doc.calls.undispatched,
    openedPosition: sortable(doc.openedPosition),
  };
}

function evolveSession(doc: SessionDocument | null, event: LedgerEvent): SessionDocument {
  if (event.type === 'SessionOpened') {
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the session was opened before');
    return newSession(event);
  }
  if (doc === null) throw new ProjectionFault(NAME, event, 'the session was never opened');
  const revision = event.revision.toString();
  const position = event.position.toString();
  if (event.type !== 'SessionClosed') return { ...doc, ...changeOf(doc, event), revision, position };
  if (doc.state === 'closed') throw new ProjectionFault(NAME, event, 'the session was closed before');
  return { ...doc, state: 'closed', closedAt: event.metadata.recordedAt, revision, position };
}

function changeOf(doc: SessionDocument, event: LedgerEvent): Partial<SessionDocument> {
  switch (event.type) {
    case 'WorkingPlanActivated':
      // One plan at a time: another one is closed before, in the same append.
      if (doc.activePlanId !== null) throw new ProjectionFault(NAME, event, 'another plan is active');
      return { activePlanId: event.data.planId };
    case 'WorkingPlanClosed':
      if (doc.activePlanId !== event.data.planId) throw new ProjectionFault(NAME, event, 'it is not the active plan');
      return { activePlanId: null };
    case 'TaskAdded':
    case 'TaskStarted':
    case 'TaskBlocked':
    case 'TaskUnblocked':
    case 'TaskSucceeded':
    case 'TaskFailed':
    case 'TaskCancelled':
    case 'TaskReopened':
    case 'EvidenceRecorded':
      return {};
    default:
      return { calls: countsAfter(doc.calls, event), ...(outdatesAll(event) ? { outdatedAt: event.revision.toString() } : {}) };
  }
}

/** A state-changing call that is bound to no task may have undone what any task's evidence shows (promise 15). */
function outdatesAll(event: LedgerEvent): boolean {
  if (event.type === 'ToolDispatched') return event.data.outdates === 'session';
  // Where it isn't said the safe side is taken.
  return event.type === 'ToolCallObserved' && (event.data.outdates ?? 'session') === 'session';
}

/** A call is undispatched until it is dispatched or ends, in flight until it ends, and ends once (design §4, States). */
function countsAfter(calls: Counts, event: LedgerEvent): Counts {
  switch (event.type) {
    case 'ToolCallRequested':
      return { ...calls, total: calls.total + 1, undispatched: calls.undispatched + 1 };
    case 'ToolCallRejected':
    case 'ApprovalDenied':
    case 'ApprovalExpired':
    case 'ToolCallCancelled':
    case 'ToolCallObserved':
      return { ...calls, undispatched: oneLess(calls.undispatched, event), ended: calls.ended + 1 };
    case 'ToolDispatched':
      return { ...calls, undispatched: oneLess(calls.undispatched, event), inFlight: calls.inFlight + 1 };
    case 'ToolExecuted':
    case 'ToolOutcomeLost':
      return { ...calls, inFlight: oneLess(calls.inFlight, event), ended: calls.ended + 1 };
    case 'ApprovalRequested':
    case 'ToolCallAmended':
    case 'ApprovalGranted':
    case 'ApprovalVoided':
    case 'LeaseExtended':
    case 'CancelRequested':
    case 'LateResultRecorded':
      return calls;
    default:
      throw new ProjectionFault(NAME, event, 'it has no place in a session');
  }
}

function oneLess(count: number, event: LedgerEvent): number {
  if (count === 0) throw new ProjectionFault(NAME, event, 'there is no such call in the session');
  return count - 1;
}

function newSession(event: EventOf<'SessionOpened'>): SessionDocument {
  const { data } = event;
  const position = event.position.toString();
  return {
    workspaceId: data.workspaceId,
    sessionId: data.sessionId,
    userId: data.userId,
    agent: data.agent,
    parent: data.parent === null ? null : { sessionId: data.parent.sessionId, receiptId: data.parent.receiptId },
    state: 'open',
    openedAt: event.metadata.recordedAt,
    closedAt: null,
    rootSessionId: data.rootSessionId,
    calls: { total: 0, undispatched: 0, inFlight: 0, ended: 0 },
    activePlanId: null,
    outdatedAt: null,
    openedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
