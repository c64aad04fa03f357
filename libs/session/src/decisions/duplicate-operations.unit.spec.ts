import type { OutcomeStatus } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  cancelToolCall,
  denyApproval,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sweep,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';

/** The first call of an operation, and a second one with another call id: an agent that retries after a lost response (case 12). */
const first = { receiptId: receiptIdFor('first') };
const second = { receiptId: receiptIdFor('second'), attempt: attemptOf(2) };
const bothRequested = (turn = 'turn-1'): GivenSession =>
  played(givenOpened(), requestToolCall({ callId: 'first' }), requestToolCall({ callId: 'second', turn }));
const firstDispatched = (): GivenSession => played(bothRequested(), dispatchToolCall(first));
const firstEnded = (status: OutcomeStatus): GivenSession => played(firstDispatched(), reportResult({ ...first, outcome: { status } }));

describe('the same operation again in one turn', () => {
  it.each<[string, GivenSession]>([
    ['is in flight', firstDispatched()],
    ['is in flight and to be cancelled', played(firstDispatched(), cancelToolCall(first))],
    ['succeeded', firstEnded('succeeded')],
    ['is unknown', played(firstDispatched(), [sweep(), after(60)])],
    [
      'is unknown, with a late failure',
      played(firstDispatched(), [sweep(), after(60)], reportResult({ ...first, outcome: { status: 'failed' } })),
    ],
  ])('is rejected while the first one %s, whether or not its lease is over', (_, given) => {
    given.when(dispatchToolCall(second)).then({ type: 'ToolCallRejected', data: { code: 'duplicate_operation' } });
    const rejected = given.when(dispatchToolCall(second), after(120)).then({
      type: 'ToolCallRejected',
      data: { receiptId: second.receiptId, code: 'duplicate_operation', attempt: second.attempt },
    });
    expect(viewAfter(rejected, second.receiptId)).toMatchObject({
      status: 'rejected',
      reason: { code: 'duplicate_operation' },
      attempt: null,
    });
    rejected.when(dispatchToolCall(second)).thenNothing();
    rejected.when(dispatchToolCall({ ...second, attempt: attemptOf(3) })).thenRefused('call_not_dispatchable');
  });

  it.each<[string, GivenSession]>([
    ['was only requested', bothRequested()],
    ['failed', firstEnded('failed')],
    ['timed out', firstEnded('timed_out')],
    ['was interrupted', firstEnded('interrupted')],
    ['was cancelled while it ran', firstEnded('cancelled')],
    ['was cancelled before it ran', played(bothRequested(), cancelToolCall(first))],
    ['was cancelled before, with a late success', played(bothRequested(), cancelToolCall(first), reportResult(first))],
  ])('is allowed when the first one %s', (_, given) => {
    given.when(dispatchToolCall(second)).then({ type: 'ToolDispatched', data: { receiptId: second.receiptId } });
  });

  it.each<[string, GivenSession]>([
    [
      'denied',
      played(givenOpened(), requestToolCall({ callId: 'first', requireApproval: true }), [denyApproval(), { principal: APPROVER }]),
    ],
    [
      'expired',
      played(givenOpened(), requestToolCall({ callId: 'first', requireApproval: true, approvalExpiresSeconds: 1 }), [sweep(), after(1)]),
    ],
    ['rejected', played(givenOpened(), requestToolCall({ callId: 'first', taskId: 't1' }))],
  ])('is allowed when the first one was %s', (_, given) => {
    played(given, requestToolCall({ callId: 'second' }))
      .when(dispatchToolCall(second))
      .then({ type: 'ToolDispatched' });
  });

  it('is judged at dispatch, not at the request', () => {
    const given = played(firstEnded('succeeded'), requestToolCall({ callId: 'late' }));
    expect(viewAfter(given, receiptIdFor('late')).status).toBe('requested');
    given
      .when(dispatchToolCall({ receiptId: receiptIdFor('late') }))
      .then({ type: 'ToolCallRejected', data: { code: 'duplicate_operation' } });
  });

  it('is the same in another spelling, and another one with other arguments', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'first' }),
      dispatchToolCall(first),
      requestToolCall({ callId: 'spelled', args: '{"content":"\\u0061lpha","path":"a.txt"}' }),
      requestToolCall({ callId: 'other', args: '{"path":"a.txt","content":"Alpha"}' }),
    );
    given.when(dispatchToolCall({ receiptId: receiptIdFor('spelled') })).then({ type: 'ToolCallRejected' });
    given
      .when(dispatchToolCall({ receiptId: receiptIdFor('other'), operationId: operationIdFor('{"path":"a.txt","content":"Alpha"}') }))
      .then({ type: 'ToolDispatched' });
  });

  it('voids the approval of the second one', () => {
    const given = played(firstDispatched(), requestToolCall({ callId: 'approved', requireApproval: true }), [
      grantApproval(),
      { principal: APPROVER },
    ]);
    const rejected = given
      .when(dispatchToolCall({ receiptId: receiptIdFor('approved') }))
      .then(
        { type: 'ApprovalVoided', data: { approvalId: approvalIdFor(), operationId: operationIdFor(), code: 'duplicate_operation' } },
        { type: 'ToolCallRejected', data: { code: 'duplicate_operation' } },
      );
    expect(viewAfter(rejected, receiptIdFor('approved')).approval).toMatchObject({ state: 'voided' });
    rejected.when(grantApproval(), { principal: APPROVER }).thenRefused('approval_voided');
    rejected.when(dispatchToolCall({ receiptId: receiptIdFor('approved') })).thenNothing();
  });

  it('is refused again after it was allowed and succeeded', () => {
    const given = played(firstEnded('failed'), dispatchToolCall(second), reportResult(second), requestToolCall({ callId: 'third' }));
    given.when(dispatchToolCall({ receiptId: receiptIdFor('third') })).then({ type: 'ToolCallRejected' });
  });

  it('stays refused while one of two in flight has ended without an effect', () => {
    // The first failed, so the second was allowed; the first's end must not hide the second.
    const given = played(firstEnded('failed'), dispatchToolCall(second), requestToolCall({ callId: 'third' }));
    given.when(dispatchToolCall({ receiptId: receiptIdFor('third') })).then({ type: 'ToolCallRejected' });
  });
});

describe('the same operation in another turn', () => {
  it.each<[string, (given: GivenSession) => GivenSession]>([
    ['in flight', (given) => given],
    ['succeeded', (given) => played(given, reportResult(first))],
    ['unknown', (given) => played(given, [sweep(), after(60)])],
  ])('is allowed while the first one is %s', (_, go) => {
    go(played(bothRequested('turn-2'), dispatchToolCall(first)))
      .when(dispatchToolCall({ ...second, receiptId: receiptIdFor('second', 'turn-2') }))
      .then({ type: 'ToolDispatched' });
  });

  it.each([
    ['a', 'a '],
    ['a b', 'a'],
    ['1', '01'],
  ])('is another turn: %j and %j', (one, other) => {
    const given = played(
      givenOpened(),
      requestToolCall({ turn: one }),
      requestToolCall({ turn: other }),
      dispatchToolCall({ receiptId: receiptIdFor('call_0', one) }),
    );
    given.when(dispatchToolCall({ receiptId: receiptIdFor('call_0', other) })).then({ type: 'ToolDispatched' });
  });
});

describe('siblings of an approved call', () => {
  it('do not run twice when the batch resumes (case 21)', () => {
    const sibling = { receiptId: receiptIdFor('sibling'), operationId: operationIdFor('{"path":"b.txt"}') };
    const given = played(
      givenOpened(),
      requestToolCall({ requireApproval: true }),
      requestToolCall({ callId: 'sibling', args: '{"path":"b.txt"}' }),
      dispatchToolCall(sibling),
      reportResult(sibling),
      [grantApproval(), { principal: APPROVER }],
      dispatchToolCall(),
    );
    // The whole batch is sent again: requests add nothing, the sibling's attempt gets its answer, another attempt is refused.
    given.when(requestToolCall({ callId: 'sibling', args: '{"path":"b.txt"}' })).thenNothing();
    given.when(dispatchToolCall(sibling)).thenNothing();
    given.when(dispatchToolCall({ ...sibling, attempt: attemptOf(9) })).thenRefused('already_dispatched');
  });
});
