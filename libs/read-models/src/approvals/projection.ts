import type { ApprovalDocument, ApprovalState, LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { epochMs, sortable } from '../shared/numbers.js';
import { sessionKeyOf, workspaceOf } from '../shared/streams.js';

const NAME = 'approvals';

type ApprovalEvent = EventOf<
  'ApprovalRequested' | 'ToolCallAmended' | 'ApprovalGranted' | 'ApprovalDenied' | 'ApprovalExpired' | 'ApprovalVoided' | 'ToolDispatched'
>;

export const APPROVAL_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'requestedPosition'] },
  user: { name: 'by_user', fields: ['workspace', 'user', 'requestedPosition'] },
  state: { name: 'by_state', fields: ['workspace', 'state', 'requestedPosition'] },
  expiry: { name: 'by_expiry', fields: ['workspace', 'state', 'expiresAt'] },
  /** Across workspaces: the sweeper's. */
  due: { name: 'by_due', fields: ['state', 'expiresAt'] },
} as const satisfies Record<string, IndexSpec>;

/** In which states each event finds its approval (design §4, States). */
const FOLLOWS: Readonly<Record<Exclude<ApprovalEvent['type'], 'ApprovalRequested'>, readonly ApprovalState[]>> = {
  ToolCallAmended: ['pending'],
  ApprovalGranted: ['pending'],
  ApprovalDenied: ['pending'],
  ApprovalExpired: ['pending', 'granted'],
  ApprovalVoided: ['pending', 'granted'],
  ToolDispatched: ['granted'],
};

/** One document per approval, `<workspace>/<approvalId>`: an approval id is unique in its workspace only. */
export const approvalsProjection: Projection<ApprovalDocument> = {
  name: NAME,
  indexes: Object.values(APPROVAL_INDEXES),
  idOf(event) {
    const approvalId = approvalIdOf(event);
    const key = approvalId === null ? null : sessionKeyOf(event.stream);
    return approvalId === null || key === null ? null : approvalKey(workspaceOf(key), approvalId);
  },
  evolve: (doc, event) => (isApprovalEvent(event) ? evolveApproval(doc, event) : doc),
  fields: approvalFields,
};

/** Id of an approval's document. */
export const approvalKey = (workspaceId: string, approvalId: string): string => `${workspaceId}/${approvalId}`;

export function approvalFields(doc: ApprovalDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    state: doc.state,
    expiresAt: epochMs(doc.expiresAt),
    requestedPosition: sortable(doc.requestedPosition),
  };
}

function isApprovalEvent(event: LedgerEvent): event is ApprovalEvent {
  return 'approvalId' in event.data;
}

/** Null for events of no approval, and for a dispatch that needed none. */
function approvalIdOf(event: LedgerEvent): string | null {
  return isApprovalEvent(event) ? event.data.approvalId : null;
}

function evolveApproval(doc: ApprovalDocument | null, event: ApprovalEvent): ApprovalDocument {
  if (event.type === 'ApprovalRequested') {
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the approval was requested before');
    return newApproval(event);
  }
  if (doc === null) throw new ProjectionFault(NAME, event, 'the approval was never requested');
  if (!FOLLOWS[event.type].includes(doc.state)) throw new ProjectionFault(NAME, event, `it can't follow on ${doc.state}`);
  if (doc.receiptId !== event.data.receiptId) throw new ProjectionFault(NAME, event, 'it is of another call');
  if (event.type === 'ToolCallAmended' && doc.operationId !== event.data.from) {
    throw new ProjectionFault(NAME, event, 'it amends another operation');
  }
  return { ...doc, ...changeOf(event), revision: event.revision.toString(), position: event.position.toString() };
}

function changeOf(event: Exclude<ApprovalEvent, EventOf<'ApprovalRequested'>>): Partial<ApprovalDocument> {
  switch (event.type) {
    case 'ToolCallAmended':
      // Bound to what the approver made of it; that it was granted is said by the event that follows (promise 8).
      return { operationId: event.data.operationId };
    case 'ApprovalGranted':
      return { state: 'granted', ...decision(event) };
    case 'ApprovalDenied':
      return { state: 'denied', ...decision(event) };
    case 'ApprovalExpired':
      return { state: 'expired' };
    case 'ApprovalVoided':
      return { state: 'voided', voidedBecause: event.data.code };
    case 'ToolDispatched':
      // One event lets the call run and uses the approval up (promise 7).
      return { state: 'consumed' };
  }
}

function decision({ data, metadata }: EventOf<'ApprovalGranted' | 'ApprovalDenied'>): Partial<ApprovalDocument> {
  return { decidedAt: metadata.recordedAt, by: data.by, note: data.note };
}

function newApproval(event: EventOf<'ApprovalRequested'>): ApprovalDocument {
  const { data } = event;
  const key = sessionKeyOf(event.stream);
  if (key === null) throw new ProjectionFault(NAME, event, 'it stands in no session stream');
  const workspaceId = workspaceOf(key);
  const position = event.position.toString();
  return {
    approvalId: data.approvalId,
    workspaceId,
    userId: data.userId,
    sessionId: key.slice(workspaceId.length + 1),
    receiptId: data.receiptId,
    operationId: data.operationId,
    state: 'pending',
    reasons: data.reasons,
    requestedAt: event.metadata.recordedAt,
    expiresAt: data.expiresAt,
    decidedAt: null,
    by: null,
    note: null,
    voidedBecause: null,
    requestedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
