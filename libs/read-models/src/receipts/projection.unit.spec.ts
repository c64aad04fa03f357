import { ReceiptDocument as ReceiptSchema } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  ATTEMPT,
  cancelRequested,
  leaseExtended,
  liveCallObserved,
  OPERATION,
  outcomeOf,
  payloadOf,
  RECEIPT,
  receiptNamed,
  recordedAt,
  recordedIn,
  sessionClosed,
  sessionOpened,
  STREAM,
  testLog,
  toolCallAmended,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
} from '@counterfoil/testing';
import { RECEIPT_INDEXES } from './indexes.js';
import { receiptsProjection } from './projection.js';
import { asked, given, granted, lost, receiptAfter, running, UNOBSERVED } from './testing/receipt-after.js';

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
