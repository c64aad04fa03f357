import type { OutcomeStatus } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  approvalIdFor,
  cancelToolCall,
  closeSession,
  denyApproval,
  dispatchToolCall,
  extendLease,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sweep,
  freeText,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';

const requested = (): GivenSession => played(givenOpened(), requestToolCall());
const pending = (): GivenSession => played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }));
const granted = (): GivenSession => played(pending(), [grantApproval(), { principal: APPROVER }]);
const dispatched = (): GivenSession => played(requested(), dispatchToolCall());

describe('cancel a call before its dispatch', () => {
  it('ends it', () => {
    const given = requested()
      .when(cancelToolCall({ reason: freeText('no longer needed') }))
      .then({ type: 'ToolCallCancelled', data: { receiptId: receiptIdFor(), cause: 'requested', reason: { json: '"no longer needed"' } } });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'cancelled', reason: { code: 'requested' }, cancelRequested: false });
  });

  it.each([
    ['pending', pending],
    ['granted', granted],
  ])('voids a %s approval', (_, given) => {
    const cancelled = given()
      .when(cancelToolCall())
      .then(
        { type: 'ApprovalVoided', data: { approvalId: approvalIdFor(), operationId: operationIdFor(), code: 'cancelled' } },
        { type: 'ToolCallCancelled' },
      );
    expect(viewAfter(cancelled, receiptIdFor())).toMatchObject({ status: 'cancelled', approval: { state: 'voided' } });
  });

  it.each([
    ['pending', pending],
    ['granted', granted],
  ])('says expired where the time of a %s approval is over', (_, given) => {
    const expired = given()
      .when(cancelToolCall(), after(60))
      .then({ type: 'ApprovalExpired', data: { approvalId: approvalIdFor(), attempt: null } });
    expect(viewAfter(expired, receiptIdFor()).status).toBe('expired');
  });

  it('adds nothing the second time', () => {
    for (const given of [requested(), granted()]) {
      played(given, cancelToolCall())
        .when(cancelToolCall({ reason: freeText('again') }))
        .thenNothing();
    }
    played(requested(), closeSession()).when(cancelToolCall()).thenNothing();
  });
});

describe('cancel a call that runs', () => {
  it('is a request, once', () => {
    const given = dispatched()
      .when(cancelToolCall({ reason: freeText('stop') }))
      .then({ type: 'CancelRequested', data: { receiptId: receiptIdFor(), reason: { json: '"stop"' } } });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'dispatched', cancelRequested: true });
    given.when(cancelToolCall()).thenNothing();
  });

  it.each<OutcomeStatus>(['succeeded', 'failed', 'cancelled', 'interrupted', 'timed_out'])(
    'is ended by what the runner reports: %s',
    (status) => {
      const given = played(dispatched(), cancelToolCall(), reportResult({ outcome: { status } }));
      expect(viewAfter(given, receiptIdFor())).toMatchObject({ status, cancelRequested: true });
    },
  );

  it('is ended by the lease, as unknown', () => {
    const given = played(dispatched(), cancelToolCall(), [sweep(), after(60)]);
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'unknown', cancelRequested: true });
  });

  it('does not end the lease of a runner that goes on', () => {
    played(dispatched(), cancelToolCall()).when(extendLease(), after(31)).then({ type: 'LeaseExtended' });
  });

  it('still works in a closed session', () => {
    played(dispatched(), closeSession()).when(cancelToolCall()).then({ type: 'CancelRequested' });
  });
});

describe('cancel a call that has ended', () => {
  it.each<[string, GivenSession]>([
    ['succeeded', played(dispatched(), reportResult())],
    ['failed', played(dispatched(), reportResult({ outcome: { status: 'failed' } }))],
    ['unknown', played(dispatched(), [sweep(), after(60)])],
    ['denied', played(pending(), [denyApproval(), { principal: APPROVER }])],
    ['expired', played(pending(), [sweep(), after(60)])],
    ['rejected', played(givenOpened(), requestToolCall({ args: '{' }))],
  ])('is refused: %s', (status, given) => {
    expect(viewAfter(given, receiptIdFor()).status).toBe(status);
    given.when(cancelToolCall()).thenRefused('call_ended');
  });

  it('adds nothing where the runner has given it up already', () => {
    played(dispatched(), reportResult({ outcome: { status: 'cancelled' } }))
      .when(cancelToolCall())
      .thenNothing();
  });

  it('is refused for a call that is not there', () => {
    requested()
      .when(cancelToolCall({ receiptId: receiptIdFor('call_1') }))
      .thenRefused('not_found');
  });
});
