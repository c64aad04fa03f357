import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalVoided,
  ATTEMPT,
  attemptOf,
  lateResultRecorded,
  outcomeOf,
  payloadOf,
  recordedAt,
  sessionClosed,
  toolCallCancelled,
  toolCallRejected,
  toolCallRequested,
  toolExecuted,
  verificationOf,
} from '@counterfoil/testing';
import { asked, granted, lost, NEVER_RAN, receiptAfter, running, UNOBSERVED } from './testing/receipt-after.js';

describe('an ended receipt', () => {
  it.each(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled'] as const)('is %s as its outcome says', (status) => {
    const outcome = outcomeOf(status, { exitCode: 3, error: { code: 'nonzero_exit', message: payloadOf('ok') } });
    const verification = verificationOf('verified', { method: 'exit_status', change: 'unknown' });
    expect(receiptAfter(...running, toolExecuted({ outcome, verification, result: payloadOf('Error') }))).toMatchObject({
      status,
      outcome,
      verification,
      result: payloadOf('Error'),
      leaseUntil: null,
      attempt: ATTEMPT,
      times: {
        requested: recordedAt(2),
        dispatched: recordedAt(3),
        completed: recordedAt(4),
        reportedStart: '2027-01-01T08:00:00Z',
        reportedEnd: '2027-01-01T08:00:01Z',
      },
    });
  });

  it.each([
    [
      'rejected',
      [toolCallRequested(), toolCallRejected({ code: 'arguments_not_json', detail: 'It is no JSON.' })],
      { code: 'arguments_not_json', detail: 'It is no JSON.' },
      null,
    ],
    [
      'rejected',
      [...granted, approvalVoided({ code: 'duplicate_operation' }), toolCallRejected({ code: 'duplicate_operation', detail: 'It ran.' })],
      { code: 'duplicate_operation', detail: 'It ran.' },
      'voided',
    ],
    ['denied', [...asked, approvalDenied()], { code: 'denied', detail: 'The approver denied it.' }, 'denied'],
    ['expired', [...asked, approvalExpired()], { code: 'expired', detail: 'Nobody dispatched it before the approval expired.' }, 'expired'],
    [
      'expired',
      [...granted, approvalExpired()],
      { code: 'expired', detail: 'Nobody dispatched it before the approval expired.' },
      'expired',
    ],
    [
      'cancelled',
      [toolCallRequested(), toolCallCancelled()],
      { code: 'requested', detail: 'It was cancelled before it was dispatched.' },
      null,
    ],
    [
      'cancelled',
      [...asked, sessionClosed(), approvalVoided(), toolCallCancelled({ cause: 'session_closed' })],
      { code: 'session_closed', detail: 'The session was closed before it was dispatched.' },
      'voided',
    ],
  ] as const)('is %s without ever having run (%#)', (status, events, reason, approval) => {
    const doc = receiptAfter(...events);
    expect(doc).toMatchObject({ status, reason, verification: NEVER_RAN, outcome: null, result: null, attempt: null, leaseUntil: null });
    expect(doc.approval?.state ?? null).toBe(approval);
    expect(doc.authorisation.kind).toBe('none');
    expect(doc.times).toMatchObject({ dispatched: null, completed: recordedAt(1 + events.length) });
  });

  it('is unknown when its lease ran out, with nothing said of success', () => {
    expect(receiptAfter(...lost)).toMatchObject({
      status: 'unknown',
      reason: { code: 'lease_lost', detail: 'The runner did not report before its lease ended.' },
      outcome: null,
      result: null,
      leaseUntil: null,
      attempt: ATTEMPT,
      verification: UNOBSERVED,
      times: { completed: recordedAt(4) },
    });
  });

  it('keeps a denial apart from who granted others', () => {
    expect(receiptAfter(...asked, approvalDenied({ by: 'person:other' })).authorisation).toEqual({
      kind: 'none',
      approvalId: APPROVAL,
      by: 'person:other',
      recorded: null,
    });
  });
});

describe('a voided approval', () => {
  it('leaves the state of the call to the event that follows', () => {
    expect(receiptAfter(...asked, approvalVoided())).toMatchObject({ status: 'awaiting_approval', approval: { state: 'voided' } });
  });
});

describe('a late result', () => {
  const late = lateResultRecorded({ outcome: outcomeOf('failed', { exitCode: 2 }), attempt: attemptOf(7) });
  it.each([
    ['unknown', lost],
    ['cancelled', [toolCallRequested(), toolCallCancelled()]],
  ] as const)('stands beside the end of a call that is %s and changes nothing else', (_, events) => {
    const before = receiptAfter(...events);
    const { lateResult, revision, position, ...after } = receiptAfter(...events, late);
    expect(lateResult).toEqual({
      attempt: attemptOf(7),
      outcome: outcomeOf('failed', { exitCode: 2 }),
      result: payloadOf('late'),
      recordedAt: recordedAt(2 + events.length),
    });
    expect({ ...after, lateResult: null, revision: before.revision, position: before.position }).toEqual(before);
    expect([revision, position]).toEqual([String(1 + events.length), String(2 + events.length)]);
  });

  it('is the first that came', () => {
    const second = lateResultRecorded({ outcome: outcomeOf('succeeded') });
    expect(receiptAfter(...lost, late, second).lateResult?.outcome.status).toBe('failed');
  });
});
