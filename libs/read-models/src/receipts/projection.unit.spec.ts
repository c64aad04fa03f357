import type { CounterfoilEvent, ReceiptDocument } from '@counterfoil/contracts';
import { ReceiptDocument as ReceiptSchema } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  ATTEMPT,
  attemptOf,
  cancelRequested,
  lateResultRecorded,
  leaseExtended,
  liveCallObserved,
  OPERATION,
  outcomeOf,
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
  toolOutcomeLost,
  verificationOf,
} from '@counterfoil/testing';
import { RECEIPT_INDEXES } from './indexes.js';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

/** The receipt after these events of one session, folded twice. */
const receiptAfter = (...events: readonly CounterfoilEvent[]): ReceiptDocument =>
  given(...recordedIn(STREAM, sessionOpened(), ...events)).doc(RECEIPT);

const asked = [toolCallRequested(), approvalRequested()];
const granted = [...asked, approvalGranted()];
const running = [toolCallRequested(), toolDispatched()];
const lost = [...running, toolOutcomeLost()];
const NEVER_RAN = verificationOf('not_applicable');
const UNOBSERVED = verificationOf('unavailable');

describe('a receipt', () => {
  it('begins with the request, complete', () => {
    const log = testLog({ principal: 'agent:researcher', occurredAt: '2027-01-01T09:00:00+09:00' });
    log.append(STREAM, sessionOpened(), toolCallRequested({ taskId: 't1', association: { kind: 'task', taskId: 't1' }, planId: 'p1' }));
    given(...log.events).thenExactly({
      [RECEIPT]: {
        receiptId: RECEIPT,
        sessionId: 's1',
        turn: 'turn-1',
        callId: 'call_0',
        callIdSource: 'native',
        status: 'requested',
        operationId: OPERATION,
        tool: { source: 'mcp:files', name: 'write_file', version: null, sideEffects: 'destructive' },
        taskId: 't1',
        reason: null,
        approval: null,
        attempt: null,
        leaseUntil: null,
        cancelRequested: false,
        amendedFrom: null,
        workspaceId: 'w1',
        userId: 'u1',
        planId: 'p1',
        rootSessionId: 's1',
        arguments: payloadOf({ path: 'a.txt', content: 'alpha' }),
        declared: null,
        result: null,
        outcome: null,
        verification: UNOBSERVED,
        association: { kind: 'task', taskId: 't1' },
        authorisation: { kind: 'none', approvalId: null, by: null, recorded: null },
        policy: { version: null, reasons: [] },
        amendment: null,
        times: {
          requested: recordedAt(2),
          occurred: '2027-01-01T09:00:00+09:00',
          dispatched: null,
          completed: null,
          reportedStart: null,
          reportedEnd: null,
        },
        lateResult: null,
        provenance: { kind: 'live' },
        requestedBy: 'agent:researcher',
        original: null,
        requestedPosition: '2',
        endedPosition: null,
        revision: '1',
        position: '2',
      },
    });
  });

  it('keeps what the client declared of the tool apart from what the ledger holds of it', () => {
    const declared = payloadOf({ sideEffects: 'read_only' });
    const tool = { source: 'mcp:x', name: 'y', version: '2', specDigest: 'd', sideEffects: 'remote', declared } as const;
    const doc = receiptAfter(toolCallRequested({ tool }));
    expect(doc.tool).toEqual({ source: 'mcp:x', name: 'y', version: '2', sideEffects: 'remote' });
    expect(doc.declared).toEqual(declared);
  });

  it('waits for its approval, and names it at once', () => {
    expect(receiptAfter(...asked)).toMatchObject({
      status: 'awaiting_approval',
      approval: { approvalId: APPROVAL, state: 'pending', operationId: OPERATION, expiresAt: '2027-01-01T00:15:00.000Z' },
      authorisation: { kind: 'none', approvalId: APPROVAL, by: null },
    });
  });

  it('is approved by whoever granted, and authorised only when it is dispatched', () => {
    expect(receiptAfter(...granted)).toMatchObject({
      status: 'approved',
      approval: { state: 'granted' },
      authorisation: { kind: 'none', approvalId: APPROVAL, by: 'person:approver' },
    });
    expect(receiptAfter(...granted, toolDispatched({ approvalId: APPROVAL }))).toMatchObject({
      status: 'dispatched',
      approval: { state: 'consumed' },
      authorisation: { kind: 'approval', approvalId: APPROVAL, by: 'person:approver', recorded: null },
      attempt: ATTEMPT,
      times: { requested: recordedAt(2), dispatched: recordedAt(5), completed: null },
    });
  });

  it('is dispatched by policy where no approval was needed', () => {
    expect(receiptAfter(...running)).toMatchObject({
      status: 'dispatched',
      approval: null,
      authorisation: { kind: 'policy', approvalId: null, by: null, recorded: null },
      leaseUntil: '2027-01-01T00:01:00.000Z',
      verification: UNOBSERVED,
    });
  });

  it('extends its lease', () => {
    expect(receiptAfter(...running, leaseExtended())).toMatchObject({ status: 'dispatched', leaseUntil: '2027-01-01T00:02:00.000Z' });
  });

  it('shows a request to cancel, and runs on until its report', () => {
    const asksToStop = [...running, cancelRequested()];
    expect(receiptAfter(...asksToStop)).toMatchObject({
      status: 'dispatched',
      cancelRequested: true,
      leaseUntil: '2027-01-01T00:01:00.000Z',
    });
    const stopped = receiptAfter(...asksToStop, toolExecuted({ outcome: outcomeOf('cancelled') }));
    expect(stopped).toMatchObject({ status: 'cancelled', cancelRequested: true, reason: null, verification: UNOBSERVED });
  });
});

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

describe('the receipts projection', () => {
  it('keeps calls apart, and sessions that open and close make none', () => {
    const other = receiptNamed('other');
    const parent = { sessionId: 's0', receiptId: receiptNamed('parent') };
    given(...recordedIn(STREAM, sessionOpened({ parent }), sessionClosed())).thenNothing();
    given(
      ...recordedIn(
        STREAM,
        sessionOpened(),
        toolCallRequested(),
        toolCallRequested({ receiptId: other, turn: 'turn-2' }),
        toolDispatched(),
      ),
    ).then({ [RECEIPT]: { status: 'dispatched', turn: 'turn-1' }, [other]: { status: 'requested', turn: 'turn-2' } });
  });

  it('makes documents that fit their schema, in the order of its keys', () => {
    const edited = [...asked, toolCallAmended()];
    const observed = [toolCallRequested(), liveCallObserved()];
    for (const events of [asked, granted, edited, observed, running, lost, [...running, toolExecuted()], [...asked, approvalDenied()]]) {
      const doc = receiptAfter(...events);
      expect(JSON.stringify(ReceiptSchema.parse(doc))).toBe(JSON.stringify(doc));
    }
  });

  it('gives the fields of a call in flight, and takes its lease away when it ends', () => {
    expect(receiptsProjection.fields(receiptAfter(...running))).toEqual({
      workspace: 'w1',
      user: 'u1',
      session: 's1',
      root: 's1',
      turn: 'turn-1',
      task: null,
      tool: '["mcp:files","write_file"]',
      toolName: 'write_file',
      status: 'dispatched',
      verification: 'unavailable',
      sideEffects: 'destructive',
      operation: OPERATION,
      provenance: 'live',
      originReceipt: null,
      requestedAt: Date.parse(recordedAt(2)),
      requestedPosition: 2,
      endedPosition: null,
      leaseUntil: Date.parse('2027-01-01T00:01:00.000Z'),
    });
    const done = receiptAfter(...running, toolExecuted());
    expect(receiptsProjection.fields(done)).toMatchObject({ leaseUntil: null, endedPosition: Number(done.position) });
    expect(receiptsProjection.fields(receiptAfter(...lost)).leaseUntil).toBeNull();
  });

  it('has indexes for lists of one workspace that all end in the position, and one for the sweeper', () => {
    const { lease, sessionEnded, ...lists } = RECEIPT_INDEXES;
    for (const { fields } of Object.values(lists)) {
      expect([fields[0], fields.at(-1)]).toEqual(['workspace', 'requestedPosition']);
    }
    expect(lease.fields).toEqual(['leaseUntil']);
    expect(sessionEnded.fields).toEqual(['workspace', 'session', 'endedPosition']);
  });
});
