import {
  after,
  APPROVER,
  approvalIdFor,
  cancelToolCall,
  closeSession,
  denyApproval,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  REQUESTER,
  requestToolCall,
  SECOND_APPROVER,
  sweep,
  freeText,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';
import { nextFor } from '../call.js';

const by = (principal: string): { readonly principal: string } => ({ principal });
const approver = by(APPROVER);
const pending = (): GivenSession => played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }));
const granted = (): GivenSession => played(pending(), [grantApproval(), approver]);
const OTHER_OPERATION = operationIdFor('{}');
const decisions = [
  ['grant', grantApproval],
  ['deny', denyApproval],
] as const;

describe('grant an approval', () => {
  it('says who granted which operation, and why', () => {
    const given = pending()
      .when(grantApproval({ note: freeText('looks fine') }), approver)
      .then({
        type: 'ApprovalGranted',
        data: {
          receiptId: receiptIdFor(),
          approvalId: approvalIdFor(),
          operationId: operationIdFor(),
          by: APPROVER,
          note: { json: '"looks fine"' },
        },
      });
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status: 'approved', approval: { state: 'granted', operationId: operationIdFor() } });
    expect(nextFor(view.status)).toBe('dispatch');
  });

  it('adds nothing when the same approver grants again: a double click', () => {
    const dispatched = played(granted(), dispatchToolCall());
    const ended = played(dispatched, reportResult());
    const unknown = played(dispatched, [sweep(), after(60)]);
    for (const given of [granted(), dispatched, ended, unknown, played(dispatched, closeSession())]) {
      given.when(grantApproval({ note: freeText('again') }), approver).thenNothing();
      given.when(grantApproval(), by(SECOND_APPROVER)).thenRefused('approval_decided');
      given.when(grantApproval({ operationId: OTHER_OPERATION }), approver).thenRefused('operation_mismatch');
    }
  });

  it('is refused for another operation than the one shown, and leaves the approval as it was', () => {
    pending()
      .when(grantApproval({ operationId: OTHER_OPERATION }), approver)
      .thenRefused('operation_mismatch')
      .when(grantApproval(), approver)
      .then({ type: 'ApprovalGranted' });
  });

  it('is refused to the principal that requested the call, through any key (four eyes)', () => {
    pending().when(grantApproval(), by(REQUESTER)).thenRefused('four_eyes');
    // The principal counts, not the order of things: an approver that requested can't grant either.
    played(givenOpened(), [requestToolCall({ requireApproval: true }), approver])
      .when(grantApproval(), approver)
      .thenRefused('four_eyes')
      .when(grantApproval(), by(REQUESTER))
      .then({ type: 'ApprovalGranted', data: { by: REQUESTER } });
  });

  it('is refused to the requester of the call also when somebody else sent the same request again', () => {
    played(pending(), [requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }), by(SECOND_APPROVER)])
      .when(grantApproval(), by(REQUESTER))
      .thenRefused('four_eyes')
      .when(grantApproval(), by(SECOND_APPROVER))
      .then({ type: 'ApprovalGranted' });
  });

  it('is refused from the moment of expiry on, before any sweeper has said so', () => {
    pending()
      .when(grantApproval(), { ...approver, ...after(60) })
      .thenRefused('approval_expired');
    pending()
      .when(grantApproval(), { ...approver, ...after(59.999) })
      .then({ type: 'ApprovalGranted' });
    played(pending(), [sweep(), after(60)])
      .when(grantApproval(), approver)
      .thenRefused('approval_expired');
  });
});

describe('deny an approval', () => {
  it('ends the call, whether or not the operation is named', () => {
    for (const operationId of [null, operationIdFor()]) {
      const given = pending()
        .when(denyApproval({ operationId, note: freeText('not on a friday') }), approver)
        .then({
          type: 'ApprovalDenied',
          data: { approvalId: approvalIdFor(), operationId: operationIdFor(), by: APPROVER, note: { json: '"not on a friday"' } },
        });
      const view = viewAfter(given, receiptIdFor());
      expect(view).toMatchObject({ status: 'denied', approval: { state: 'denied' }, reason: { code: 'denied' } });
      expect(nextFor(view.status)).toBe('stop');
    }
  });

  it('adds nothing when the same approver denies again', () => {
    const denied = played(pending(), [denyApproval(), approver]);
    denied.when(denyApproval(), approver).thenNothing();
    denied.when(denyApproval({ operationId: operationIdFor() }), approver).thenNothing();
    denied.when(denyApproval({ operationId: OTHER_OPERATION }), approver).thenRefused('operation_mismatch');
    denied.when(denyApproval(), by(SECOND_APPROVER)).thenRefused('approval_decided');
    denied.when(grantApproval(), approver).thenRefused('approval_decided');
  });

  it('is open to the requester: taking a call back needs no second pair of eyes', () => {
    pending()
      .when(denyApproval(), by(REQUESTER))
      .then({ type: 'ApprovalDenied', data: { by: REQUESTER } });
  });

  it('is refused for another operation', () => {
    pending()
      .when(denyApproval({ operationId: OTHER_OPERATION }), approver)
      .thenRefused('operation_mismatch');
  });

  it('does not take a grant back, nor stop what runs', () => {
    granted().when(denyApproval(), approver).thenRefused('approval_decided');
    played(granted(), dispatchToolCall()).when(denyApproval(), approver).thenRefused('approval_decided');
    played(granted(), dispatchToolCall(), reportResult()).when(denyApproval(), approver).thenRefused('approval_decided');
  });

  it('is refused after expiry: nobody answered is not the same as somebody said no (case 19)', () => {
    const late = { ...approver, ...after(60) };
    pending().when(denyApproval(), late).thenRefused('approval_expired');
    const swept = played(pending(), [sweep(), after(60)]);
    swept.when(denyApproval(), approver).thenRefused('approval_expired');
    expect(viewAfter(swept, receiptIdFor())).toMatchObject({
      status: 'expired',
      approval: { state: 'expired' },
      reason: { code: 'expired' },
    });
  });
});

describe.each(decisions)('%s an approval that', (name, decision) => {
  const decided = decision({ operationId: operationIdFor() });

  it('is not there', () => {
    const unknown = ['apr_s1_1', 'apr_s1_-1', 'apr_s1_00', 'apr_s2_0', 'apr_s1_0_0', 'apr_', 'rcp_0', '', 'apr_s1_999999999'];
    for (const approvalId of unknown) {
      pending()
        .when({ ...decided, approvalId }, approver)
        .thenRefused('not_found');
    }
    played(givenOpened(), requestToolCall()).when(decided, approver).thenRefused('not_found');
  });

  it.each<[string, GivenSession]>([
    ['pending', played(pending(), cancelToolCall())],
    ['granted', played(granted(), cancelToolCall())],
    ['pending', played(pending(), closeSession())],
    ['granted', played(granted(), closeSession())],
  ])('was voided while it was %s', (_, given) => {
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'cancelled', approval: { state: 'voided' } });
    given.when(decided, approver).thenRefused('approval_voided');
  });

  it('is a leftover of a closed session', () => {
    const calls = Array.from({ length: 251 }, (_, n) => requestToolCall({ callId: `call_${n}`, requireApproval: true }));
    const given = played(givenOpened(), ...calls, closeSession());
    expect(viewAfter(given, receiptIdFor('call_250')).status).toBe('awaiting_approval');
    given.when({ ...decided, approvalId: approvalIdFor(250) }, approver).thenRefused('session_closed');
    given.when({ ...decided, approvalId: approvalIdFor(250) }, { ...approver, ...after(900) }).thenRefused('approval_expired');
    // A grant does not outlive the session either.
    played(givenOpened(), ...calls, [grantApproval({ approvalId: approvalIdFor(250) }), approver], closeSession())
      .when({ ...decided, approvalId: approvalIdFor(250) }, approver)
      .thenRefused('session_closed');
  });

  it('was granted and not used before its expiry counts as expired', () => {
    // Also for the approver that granted it: the answer is the same before and after a sweeper says so.
    for (const principal of [APPROVER, SECOND_APPROVER]) {
      granted()
        .when(decided, { principal, ...after(60) })
        .thenRefused('approval_expired');
      played(granted(), [sweep(), after(60)])
        .when(decided, { principal, ...after(60) })
        .thenRefused('approval_expired');
    }
    expect(name).toBe(decided.type === 'GrantApproval' ? 'grant' : 'deny');
  });
});

describe('two approvals of one operation', () => {
  it('are two decisions: granting one leaves the other pending', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'a', requireApproval: true }),
      requestToolCall({ callId: 'b', requireApproval: true }),
      [grantApproval({ approvalId: approvalIdFor(1) }), approver],
    );
    expect(viewAfter(given, receiptIdFor('a'))).toMatchObject({ status: 'awaiting_approval', approval: { state: 'pending' } });
    expect(viewAfter(given, receiptIdFor('b'))).toMatchObject({ status: 'approved', approval: { state: 'granted' } });
    given.when(dispatchToolCall({ receiptId: receiptIdFor('a') })).thenRefused('approval_pending');
  });
});
