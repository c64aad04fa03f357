import { ApprovalDocument as ApprovalSchema, type ApprovalDocument, type CounterfoilEvent } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  digestOf,
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
  toolCallAmended,
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
  return given(...recordedIn(STREAM, ...events)).doc(KEY);
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

  it('lists the rules that wanted it', () => {
    const reasons = ['policy_requires_approval:r1', 'requested'];
    expect(approvalAfter(approvalRequested({ reasons })).reasons).toEqual(reasons);
  });

  it('is of the edited operation from when the approver edited it, and is used up by that', () => {
    const amended = toolCallAmended();
    const { operationId } = amended.data;
    expect(approvalAfter(asked, amended)).toMatchObject({ state: 'pending', operationId, by: null });
    const granted = [asked, amended, approvalGranted({ operationId, note })];
    expect(approvalAfter(...granted)).toMatchObject({ state: 'granted', operationId, by: 'person:approver', decidedAt: recordedAt(3) });
    expect(approvalAfter(...granted, toolDispatched({ approvalId: APPROVAL, operationId }))).toMatchObject({
      state: 'consumed',
      operationId,
    });
  });

  it.each([
    ['an edit of nothing', [toolCallAmended()]],
    ['an edit after the grant', [asked, approvalGranted(), toolCallAmended()]],
    ['an edit of another operation', [asked, toolCallAmended({ from: digestOf('other') })]],
    ['an edit of another call', [asked, toolCallAmended({ receiptId: receiptNamed('other') })]],
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
