import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  closeSession,
  dispatchToolCall,
  extendLease,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  sweep,
  timeAfter,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';
import { CALLS_ENDED_PER_APPEND } from './close-session.js';

const pending = (): GivenSession => played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }));
const dispatched = (): GivenSession => played(givenOpened(), requestToolCall(), dispatchToolCall({ leaseSeconds: 60 }));

describe('sweep', () => {
  it('says that an approval has expired, at its expiry and not before', () => {
    pending().when(sweep(), after(59.999)).thenNothing();
    const given = pending()
      .when(sweep(), after(60))
      .then({
        type: 'ApprovalExpired',
        data: {
          receiptId: receiptIdFor(),
          approvalId: approvalIdFor(),
          operationId: operationIdFor(),
          expiresAt: timeAfter(60),
          attempt: null,
        },
      });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'expired', approval: { state: 'expired' } });
    given.when(sweep(), after(61)).thenNothing();
  });

  it('expires a grant that nobody used', () => {
    played(pending(), [grantApproval(), { principal: APPROVER }])
      .when(sweep(), after(60))
      .then({ type: 'ApprovalExpired' });
  });

  it('calls a result lost when the lease is over, and not before', () => {
    dispatched().when(sweep(), after(59.999)).thenNothing();
    const given = dispatched()
      .when(sweep(), after(60))
      .then({ type: 'ToolOutcomeLost', data: { receiptId: receiptIdFor(), attempt: attemptOf(1), leaseUntil: timeAfter(60) } });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'unknown', reason: { code: 'lease_lost' }, leaseUntil: null });
    given.when(sweep(), after(61)).thenNothing();
  });

  it('looks at the lease as it was extended', () => {
    const extended = played(dispatched(), [extendLease(), after(30)]);
    extended.when(sweep(), after(89)).thenNothing();
    extended.when(sweep(), after(90)).then({ type: 'ToolOutcomeLost', data: { leaseUntil: timeAfter(90) } });
  });

  it('never ends a call that waits for a person, or for its runner, for any other reason (case 20)', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'a' }),
      requestToolCall({ callId: 'b', requireApproval: true, approvalExpiresSeconds: 604_800 }),
    );
    given.when(sweep(), after(604_799)).thenNothing();
  });

  it('leaves a consumed approval alone, however old', () => {
    played(pending(), [grantApproval(), { principal: APPROVER }], dispatchToolCall({ leaseSeconds: 86_400 }))
      .when(sweep(), after(3600))
      .thenNothing();
  });

  it('ends the orphan in the middle of history and nothing else (case 25)', () => {
    const call = (n: number) => ({ receiptId: receiptIdFor(`call_${n}`), args: `[${n}]`, attempt: attemptOf(n) });
    const given = played(
      givenOpened(),
      ...[0, 1, 2].map((n) => requestToolCall({ callId: `call_${n}`, args: `[${n}]` })),
      dispatchToolCall({ ...call(0), leaseSeconds: 600 }),
      dispatchToolCall({ ...call(1), leaseSeconds: 60 }),
      dispatchToolCall({ ...call(2), leaseSeconds: 600 }),
      reportResult({ receiptId: receiptIdFor('call_2'), attempt: attemptOf(2) }),
    )
      .when(sweep(), after(60))
      .then({ type: 'ToolOutcomeLost', data: { receiptId: receiptIdFor('call_1') } });
    expect([0, 1, 2].map((n) => viewAfter(given, receiptIdFor(`call_${n}`)).status)).toEqual(['dispatched', 'unknown', 'succeeded']);
  });

  it('goes on with lost leases in a closed session', () => {
    played(dispatched(), closeSession()).when(sweep(), after(60)).then({ type: 'ToolOutcomeLost' });
  });

  it('says as much as one append takes, and the rest the next time', () => {
    const total = CALLS_ENDED_PER_APPEND + 1;
    const ids = Array.from({ length: total }, (_, n) => `call_${n}`);
    const given = played(
      givenOpened(),
      ...ids.map((callId) => requestToolCall({ callId, requireApproval: true, approvalExpiresSeconds: 60 })),
      [sweep(), after(60)],
    );
    expect(stateAfter(given.events).open.size).toBe(1);
    expect(stateAfter(played(given, [sweep(), after(60)]).events).open.size).toBe(0);
  });

  it('does no harm when several sweep: the second finds nothing', () => {
    const state = played(pending(), [sweep(), after(60)], [sweep(), after(60)], [sweep(), after(61)]);
    expect(state.events.filter((event) => event.type === 'ApprovalExpired')).toHaveLength(1);
  });
});
