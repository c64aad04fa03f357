import { ApprovalDocument as ApprovalSchema, type ApprovalDocument, type CounterfoilEvent } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  OPERATION,
  payloadOf,
  projecting,
  RECEIPT,
  receiptNamed,
  recordedAt,
  recordedIn,
  sessionClosed,
  sessionOpened,
  STREAM,
  testLog,
  toolCallCancelled,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
} from '@counterfoil/testing';
import { approvalKey, approvalsProjection } from './projection.js';

const { given, fault } = projecting(approvalsProjection);
const KEY = approvalKey('w1', APPROVAL);
const dispatched = toolDispatched({ approvalId: APPROVAL });

function approvalAfter(...events: readonly CounterfoilEvent[]): ApprovalDocument {
  const doc = given(...recordedIn(STREAM, ...events)).docs.get(KEY);
  if (doc === undefined) throw new Error('there is no approval');
  return doc;
}

describe('an approval', () => {
  it('is pending at first', () => {
    given(...recordedIn(STREAM, sessionOpened(), toolCallRequested(), approvalRequested())).thenExactly({
      [KEY]: {
        approvalId: APPROVAL,
        workspaceId: 'w1',
        userId: 'u1',
        sessionId: 's1',
        receiptId: RECEIPT,
        operationId: OPERATION,
        state: 'pending',
        reasons: ['requested'],
        requestedAt: recordedAt(3),
        expiresAt: '2027-01-01T00:15:00.000Z',
        decidedAt: null,
        by: null,
        note: null,
        voidedBecause: null,
        requestedPosition: '3',
        revision: '2',
        position: '3',
      },
    });
  });

  it('is of the user that its event names', () => {
    const event = approvalRequested();
    const named = { type: event.type, data: { ...event.data, userId: 'u1' } } as CounterfoilEvent;
    expect(approvalAfter(named).userId).toBe('u1');
  });

  const asked = approvalRequested();
  const note = payloadOf('fine');
  it.each([
    ['granted', [asked, approvalGranted({ note })], { decidedAt: recordedAt(2), by: 'person:approver', note, voidedBecause: null }],
    ['denied', [asked, approvalDenied({ note })], { decidedAt: recordedAt(2), by: 'person:approver', note, voidedBecause: null }],
    ['consumed', [asked, approvalGranted({ note }), dispatched], { decidedAt: recordedAt(2), by: 'person:approver', note }],
    ['expired', [asked, approvalExpired()], { decidedAt: null, by: null }],
    ['expired', [asked, approvalGranted(), approvalExpired()], { decidedAt: recordedAt(2), by: 'person:approver' }],
    ['voided', [asked, approvalVoided({ code: 'cancelled' }), toolCallCancelled()], { by: null, voidedBecause: 'cancelled' }],
    [
      'voided',
      [asked, approvalGranted(), sessionClosed(), approvalVoided(), toolCallCancelled()],
      { by: 'person:approver', voidedBecause: 'session_closed' },
    ],
  ] as const)('is %s (%#)', (state, events, more) => {
    expect(approvalAfter(...events)).toMatchObject({ state, ...more });
  });

  it('stays consumed, whatever the call comes to', () => {
    expect(approvalAfter(asked, approvalGranted(), dispatched, toolExecuted())).toMatchObject({ state: 'consumed', revision: '2' });
  });

  it.each([
    ['a grant of nothing', [approvalGranted()]],
    ['a dispatch by nothing', [dispatched]],
    ['a second request', [asked, approvalRequested()]],
    ['a second grant', [asked, approvalGranted(), approvalGranted()]],
    ['a grant after the denial', [asked, approvalDenied(), approvalGranted()]],
    ['a grant after the expiry', [asked, approvalExpired(), approvalGranted()]],
    ['a denial after the grant', [asked, approvalGranted(), approvalDenied()]],
    ['a dispatch that nobody granted', [asked, dispatched]],
    ['a dispatch after it was voided', [asked, approvalGranted(), approvalVoided(), dispatched]],
    ['a second use', [asked, approvalGranted(), dispatched, dispatched]],
    ['an expiry after its use', [asked, approvalGranted(), dispatched, approvalExpired()]],
    ['a use by another call', [asked, approvalGranted(), toolDispatched({ approvalId: APPROVAL, receiptId: receiptNamed('other') })]],
  ] as const)('is at fault with %s', (_, events) => {
    fault('projection_fault', ...recordedIn(STREAM, ...events));
  });
});

describe('the approvals projection', () => {
  it('takes nothing from calls that need no approval', () => {
    given(...recordedIn(STREAM, sessionOpened(), toolCallRequested(), toolDispatched(), toolExecuted(), toolCallRejected())).thenNothing();
  });

  it('keeps the approvals of two workspaces apart, also under one id', () => {
    const log = testLog();
    log.append('session-w1/s1', approvalRequested());
    log.append('session-w2/s1', approvalRequested(), approvalGranted());
    given(...log.events).then({
      [`w1/${APPROVAL}`]: { workspaceId: 'w1', state: 'pending' },
      [`w2/${APPROVAL}`]: { workspaceId: 'w2', sessionId: 's1', state: 'granted' },
    });
  });

  it('takes nothing from streams that are no session', () => {
    given(...recordedIn('history-w1/s1', approvalRequested())).thenNothing();
  });

  it('makes documents that fit their schema, in the order of its keys', () => {
    const doc = approvalAfter(approvalRequested(), approvalGranted(), dispatched);
    expect(JSON.stringify(ApprovalSchema.parse(doc))).toBe(JSON.stringify(doc));
  });

  it('gives fields to list and to sweep by', () => {
    expect(approvalsProjection.fields(approvalAfter(approvalRequested(), approvalGranted()))).toEqual({
      workspace: 'w1',
      user: 'u1',
      state: 'granted',
      expiresAt: Date.parse('2027-01-01T00:15:00.000Z'),
      requestedPosition: 1,
    });
  });
});
