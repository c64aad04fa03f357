import type { ApprovalState, CallStatus, LedgerEvent, ReceiptDocument } from '@counterfoil/contracts';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { newReceipt, NEVER_RAN, unobserved } from './new-receipt.js';

export const NAME = 'receipts';

type CallEvent = Exclude<ReceiptEvent, EventOf<'ToolCallRequested'>>;
/** The events that a receipt is folded from. */
export type ReceiptEvent = Extract<LedgerEvent, { data: { receiptId: string } }>;

const UNDISPATCHED: readonly CallStatus[] = ['requested', 'awaiting_approval', 'approved'];
const ENDED: readonly CallStatus[] = [
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
  'cancelled',
  'unknown',
  'rejected',
  'denied',
  'expired',
];

/** In which states each event finds its call (design §4, States). Anything else can't stand in one stream. */
const FOLLOWS: Readonly<Record<CallEvent['type'], readonly CallStatus[]>> = {
  ToolCallRejected: UNDISPATCHED,
  ApprovalRequested: ['requested'],
  ToolCallAmended: ['awaiting_approval'],
  ApprovalGranted: ['awaiting_approval'],
  ApprovalDenied: ['awaiting_approval'],
  ApprovalExpired: ['awaiting_approval', 'approved'],
  ApprovalVoided: ['awaiting_approval', 'approved'],
  ToolDispatched: ['requested', 'approved'],
  LeaseExtended: ['dispatched'],
  ToolExecuted: ['dispatched'],
  ToolOutcomeLost: ['dispatched'],
  CancelRequested: ['dispatched'],
  ToolCallCancelled: UNDISPATCHED,
  LateResultRecorded: ENDED,
  ToolCallObserved: ['requested'],
  // Upcast on read into ToolCallRequested and ToolCallObserved: whoever gives it as it stands forgot to.
  HistoricalReceiptImported: [],
};

/** Our own sentences, the same that commands answer with (libs/session). */
const REASONS = {
  denied: { code: 'denied', detail: 'The approver denied it.' },
  expired: { code: 'expired', detail: 'Nobody dispatched it before the approval expired.' },
  lost: { code: 'lease_lost', detail: 'The runner did not report before its lease ended.' },
  requested: { code: 'requested', detail: 'It was cancelled before it was dispatched.' },
  session_closed: { code: 'session_closed', detail: 'The session was closed before it was dispatched.' },
} as const;

type Change = Partial<ReceiptDocument>;

/**
 * Folds one event of a call into its receipt (design §4, States; promises 9, 19, 20, 30).
 *
 * @throws ProjectionFault for an event that can't follow
 */
export function evolveReceipt(doc: ReceiptDocument | null, event: ReceiptEvent): ReceiptDocument {
  if (event.type === 'ToolCallRequested') {
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the call was requested before');
    return newReceipt(event);
  }
  if (doc === null) throw new ProjectionFault(NAME, event, 'the call was never requested');
  if (!FOLLOWS[event.type].includes(doc.status)) throw new ProjectionFault(NAME, event, `it can't follow on ${doc.status}`);
  const change = changeOf(doc, event);
  const position = event.position.toString();
  const hasEnded = change.status !== undefined && ENDED.includes(change.status);
  // Every key stands in `doc` already, so that replacing values keeps the order of the keys.
  return { ...doc, ...change, endedPosition: hasEnded ? position : doc.endedPosition, revision: event.revision.toString(), position };
}

function changeOf(doc: ReceiptDocument, event: CallEvent): Change {
  switch (event.type) {
    case 'ToolCallRejected':
      return neverRan(doc, event, 'rejected', { code: event.data.code, detail: event.data.detail });
    case 'ApprovalRequested':
      return approvalRequested(doc, event);
    case 'ToolCallAmended':
      return amended(doc, event);
    case 'ApprovalGranted':
      return { status: 'approved', ...approvalIs(doc, event, 'granted'), authorisation: decidedBy(doc, event.data.by) };
    case 'ApprovalDenied':
      return {
        ...neverRan(doc, event, 'denied', REASONS.denied),
        ...approvalIs(doc, event, 'denied'),
        authorisation: decidedBy(doc, event.data.by),
      };
    case 'ApprovalExpired':
      return { ...neverRan(doc, event, 'expired', REASONS.expired), ...approvalIs(doc, event, 'expired') };
    case 'ApprovalVoided':
      // What becomes of the call is said by the event that follows.
      return approvalIs(doc, event, 'voided');
    case 'ToolDispatched':
      return dispatched(doc, event);
    case 'LeaseExtended':
      return { leaseUntil: event.data.leaseUntil };
    case 'ToolExecuted':
      return executed(doc, event);
    case 'ToolOutcomeLost':
      return ended(doc, event, 'unknown', REASONS.lost);
    case 'CancelRequested':
      return { cancelRequested: true };
    case 'ToolCallCancelled':
      return neverRan(doc, event, 'cancelled', REASONS[event.data.cause]);
    case 'LateResultRecorded':
      return lateResult(doc, event);
    case 'ToolCallObserved':
      return observed(doc, event);
    case 'HistoricalReceiptImported':
      throw new ProjectionFault(NAME, event, 'it was not upcast');
  }
}

function ended(doc: ReceiptDocument, event: CallEvent, status: CallStatus, reason: ReceiptDocument['reason']): Change {
  return { status, reason, leaseUntil: null, times: { ...doc.times, completed: event.metadata.recordedAt } };
}

function neverRan(doc: ReceiptDocument, event: CallEvent, status: CallStatus, reason: ReceiptDocument['reason']): Change {
  return { ...ended(doc, event, status, reason), verification: NEVER_RAN };
}

function approvalRequested(doc: ReceiptDocument, event: EventOf<'ApprovalRequested'>): Change {
  const { approvalId, operationId, expiresAt } = event.data;
  if (doc.approval !== null) throw new ProjectionFault(NAME, event, 'the call has an approval');
  return {
    status: 'awaiting_approval',
    approval: { approvalId, state: 'pending', operationId, expiresAt },
    authorisation: { ...doc.authorisation, approvalId },
  };
}

function approvalIs(
  doc: ReceiptDocument,
  event: EventOf<'ApprovalGranted' | 'ApprovalDenied' | 'ApprovalExpired' | 'ApprovalVoided'>,
  state: ApprovalState,
): Change {
  if (doc.approval?.approvalId !== event.data.approvalId) throw new ProjectionFault(NAME, event, 'it names another approval');
  return { approval: { ...doc.approval, state } };
}

/** The approver edited the arguments: the call and its approval are of another operation from now on (promise 8). */
function amended(doc: ReceiptDocument, event: EventOf<'ToolCallAmended'>): Change {
  const { approvalId, operationId, from, by, expectation } = event.data;
  if (doc.approval?.approvalId !== approvalId) throw new ProjectionFault(NAME, event, 'it names another approval');
  if (doc.operationId !== from) throw new ProjectionFault(NAME, event, 'it amends another operation');
  return {
    operationId,
    approval: { ...doc.approval, operationId },
    amendedFrom: from,
    arguments: event.data.arguments,
    verification: unobserved(expectation),
    amendment: { by, from, at: event.metadata.recordedAt, originalArguments: doc.arguments },
  };
}

/** Who decided is known before the dispatch; that the call was authorised by it is true only from the dispatch on. */
function decidedBy(doc: ReceiptDocument, by: string): ReceiptDocument['authorisation'] {
  return { ...doc.authorisation, by };
}

function dispatched(doc: ReceiptDocument, event: EventOf<'ToolDispatched'>): Change {
  const { approvalId, attempt, leaseUntil } = event.data;
  const change: Change = { status: 'dispatched', attempt, leaseUntil, times: { ...doc.times, dispatched: event.metadata.recordedAt } };
  if (approvalId === null) return { ...change, authorisation: { ...doc.authorisation, kind: 'policy' } };
  if (doc.approval?.approvalId !== approvalId) throw new ProjectionFault(NAME, event, 'it names another approval');
  return {
    ...change,
    approval: { ...doc.approval, state: 'consumed' },
    authorisation: { ...doc.authorisation, kind: 'approval' },
  };
}

function executed(doc: ReceiptDocument, event: EventOf<'ToolExecuted'>): Change {
  const { outcome, result, verification, times } = event.data;
  return {
    status: outcome.status,
    leaseUntil: null,
    result,
    outcome,
    verification,
    times: { ...doc.times, completed: event.metadata.recordedAt, reportedStart: times.startedAt, reportedEnd: times.completedAt },
  };
}

/** Beside the end that stands (promise 20): it changes nothing else, and the first one stays. */
function lateResult(doc: ReceiptDocument, event: EventOf<'LateResultRecorded'>): Change {
  if (doc.lateResult !== null) return {};
  const { attempt, outcome, result } = event.data;
  return { lateResult: { attempt, outcome, result, recordedAt: event.metadata.recordedAt } };
}

/** A call that is known only from afterwards ends as it was reported, or as its old record says, and is never shown as authorised (promises 30, 31). */
function observed(doc: ReceiptDocument, event: EventOf<'ToolCallObserved'>): Change {
  const { status, outcome, recorded, result, verification, times, original } = event.data;
  const isImported = doc.provenance.kind === 'imported';
  // Only who speaks in the old words, over the legacy adapter, leaves an old record behind in a live session.
  const isOld = isImported || (original ?? null) !== null;
  return {
    status,
    result,
    outcome,
    verification,
    authorisation: {
      kind: isImported ? 'recorded' : 'observed',
      approvalId: null,
      by: null,
      recorded: isOld ? { authorized: recorded.authorized, failure: recorded.failure } : null,
    },
    times: { ...doc.times, completed: event.metadata.recordedAt, reportedStart: times.startedAt, reportedEnd: times.completedAt },
    original: original ?? null,
  };
}
