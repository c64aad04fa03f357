import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  closeSession,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  sweep,
  freeText,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';
import { CALLS_ENDED_PER_APPEND } from './close-session.js';

const calls = (count: number, requireApproval = false): GivenSession =>
  played(givenOpened(), ...Array.from({ length: count }, (_, n) => requestToolCall({ callId: `call_${n}`, requireApproval })));

describe('close a session', () => {
  it('says why', () => {
    const given = givenOpened()
      .when(closeSession({ reason: freeText('work is done') }))
      .then({ type: 'SessionClosed', data: { reason: { json: '"work is done"' } } });
    expect(stateAfter(given.events).closed).toBe(true);
  });

  it('cancels what was not dispatched, voids approvals, and leaves what runs', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'requested' }),
      requestToolCall({ callId: 'pending', requireApproval: true }),
      requestToolCall({ callId: 'granted', requireApproval: true }),
      [grantApproval({ approvalId: approvalIdFor(1) }), { principal: APPROVER }],
      requestToolCall({ callId: 'running', args: '{}' }),
      dispatchToolCall({ receiptId: receiptIdFor('running'), args: '{}' }),
      requestToolCall({ callId: 'ended', args: '[]' }),
      dispatchToolCall({ receiptId: receiptIdFor('ended'), args: '[]', attempt: attemptOf(2) }),
      reportResult({ receiptId: receiptIdFor('ended'), attempt: attemptOf(2) }),
    )
      .when(closeSession())
      .then(
        { type: 'SessionClosed', data: { reason: null } },
        { type: 'ToolCallCancelled', data: { receiptId: receiptIdFor('requested'), cause: 'session_closed' } },
        { type: 'ApprovalVoided', data: { receiptId: receiptIdFor('pending'), operationId: operationIdFor(), code: 'session_closed' } },
        { type: 'ToolCallCancelled', data: { receiptId: receiptIdFor('pending') } },
        { type: 'ApprovalVoided', data: { receiptId: receiptIdFor('granted') } },
        { type: 'ToolCallCancelled', data: { receiptId: receiptIdFor('granted') } },
      );
    const status = (callId: string): string => viewAfter(given, receiptIdFor(callId)).status;
    expect(['requested', 'pending', 'granted', 'running', 'ended'].map(status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'dispatched',
      'succeeded',
    ]);
    given.when(reportResult({ receiptId: receiptIdFor('running') })).then({ type: 'ToolExecuted' });
  });

  it('says expired where the time of an approval was over before', () => {
    played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }))
      .when(closeSession(), after(60))
      .then({ type: 'SessionClosed' }, { type: 'ApprovalExpired', data: { attempt: null } });
  });

  it('adds nothing the second time, whatever the reason', () => {
    played(calls(3), closeSession())
      .when(closeSession({ reason: freeText('again') }))
      .thenNothing();
  });

  it('ends as many calls as one append takes; repeated, it goes on until nothing is left', () => {
    const total = 2 * CALLS_ENDED_PER_APPEND + 1;
    let given = calls(total, true);
    const added: number[] = [];
    for (let before = -1; before !== given.events.length;) {
      before = given.events.length;
      given = played(given, closeSession());
      added.push(given.events.length - before);
    }
    expect(added).toEqual([1 + 2 * CALLS_ENDED_PER_APPEND, 2 * CALLS_ENDED_PER_APPEND, 2, 0]);
    const state = stateAfter(given.events);
    expect([state.open.size, state.ended.size]).toEqual([0, total]);
    expect(given.events.filter((event) => event.type === 'SessionClosed')).toHaveLength(1);
  });

  it('leaves the rest to a sweeper if the caller does not repeat it', () => {
    const given = played(calls(CALLS_ENDED_PER_APPEND + 2), closeSession());
    given
      .when(sweep())
      .then({ type: 'ToolCallCancelled', data: { cause: 'session_closed' } }, { type: 'ToolCallCancelled' })
      .when(sweep())
      .thenNothing();
  });
});
