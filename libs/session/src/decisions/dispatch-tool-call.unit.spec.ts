import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
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
  requestToolCall,
  SECOND_APPROVER,
  snapshotOf,
  stateAfter,
  sweep,
  timeAfter,
  viewAfter,
  type DispatchChange,
  type GivenSession,
} from '@counterfoil/testing';
import { nextFor } from '../call.js';

const requested = (): GivenSession => played(givenOpened(), requestToolCall());
const pending = (): GivenSession => played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }));
const granted = (): GivenSession => played(pending(), [grantApproval(), { principal: APPROVER }]);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const SHA256 = 'ab'.repeat(32);

describe('dispatch a tool call', () => {
  it('lets the call run once, under a lease', () => {
    const given = requested()
      .when(dispatchToolCall({ leaseSeconds: 90 }), after(5))
      .then({
        type: 'ToolDispatched',
        data: {
          receiptId: receiptIdFor(),
          attempt: attemptOf(1),
          operationId: operationIdFor(),
          approvalId: null,
          registryRevision: null,
          before: null,
          leaseSeconds: 90,
          leaseUntil: timeAfter(95),
        },
      });
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status: 'dispatched', attempt: attemptOf(1), leaseUntil: timeAfter(95), cancelRequested: false });
    expect(nextFor(view.status)).toBe('wait');
  });

  it('keeps what the runner found before, with the digest of the file keyed', () => {
    const given = requested()
      .when(dispatchToolCall({ before: { exists: true, sha256: SHA256, bytes: 3 } }))
      .then({ type: 'ToolDispatched' });
    const dispatched = JSON.stringify(given.events.at(-1));
    expect(dispatched).not.toContain(SHA256);
    expect(given.events.at(-1)).toMatchObject({
      data: { before: { json: matching(/^\{"exists":true,"digest":"k1:[\w-]{43}","bytes":3\}$/) } },
    });
  });

  it.each<[string, DispatchChange]>([
    ['its operation id', {}],
    ['its arguments', { args: '{"path":"a.txt","content":"alpha"}' }],
    ['its arguments in another order and spelling', { args: ' { "content" : "\\u0061lpha" , "path" : "a.txt" } ' }],
  ])('takes the operation named by %s', (_, named) => {
    requested()
      .when(dispatchToolCall(named))
      .then({ type: 'ToolDispatched', data: { operationId: operationIdFor() } });
  });

  it.each<[string, DispatchChange]>([
    ['other arguments', { args: '{"path":"a.txt","content":"beta"}' }],
    ['arguments of another type', { args: '{"path":"a.txt","content":1}' }],
    ['malformed arguments', { args: '{"path":"a.txt","path":"a.txt"}' }],
    ['no JSON', { args: '' }],
    ['the operation of another tool', { operationId: operationIdFor(undefined, { source: 'mcp:other', name: 'write_file' }) }],
    ['another operation', { operationId: operationIdFor('{}') }],
  ])('refuses %s and leaves call and approval as they were', (_, named) => {
    for (const given of [requested(), granted()]) {
      const before = snapshotOf(stateAfter(given.events));
      const refused = given.when(dispatchToolCall(named)).thenRefused('operation_mismatch');
      expect(snapshotOf(stateAfter(refused.events))).toBe(before);
      refused.when(dispatchToolCall()).then({ type: 'ToolDispatched' });
    }
  });

  it('refuses other arguments before it says anything of the approval', () => {
    pending()
      .when(dispatchToolCall({ args: '{}' }))
      .thenRefused('operation_mismatch');
    granted()
      .when(dispatchToolCall({ args: '{}' }), after(60))
      .thenRefused('operation_mismatch');
  });

  it('refuses a call that is not there', () => {
    requested()
      .when(dispatchToolCall({ receiptId: receiptIdFor('call_1') }))
      .thenRefused('not_found');
  });

  it('records at most one dispatch, whatever the second one carries', () => {
    const dispatched = played(requested(), dispatchToolCall());
    for (const change of [{ attempt: attemptOf(2) }, { attempt: attemptOf(2), args: '{"path":"a.txt","content":"alpha"}' }]) {
      dispatched.when(dispatchToolCall(change)).thenRefused('already_dispatched');
    }
    played(dispatched, reportResult())
      .when(dispatchToolCall({ attempt: attemptOf(2) }))
      .thenRefused('already_dispatched');
    played(dispatched, [sweep(), after(60)])
      .when(dispatchToolCall({ attempt: attemptOf(2) }))
      .thenRefused('already_dispatched');
  });
});

describe('the same attempt again', () => {
  it.each<[string, DispatchChange]>([
    ['by operation id', {}],
    ['by its arguments', { args: '{"content":"alpha","path":"a.txt"}' }],
    ['with another lease and observation', { leaseSeconds: 1, before: { exists: false, sha256: null, bytes: null } }],
    ['with the hex digits of its id in capitals', { attempt: attemptOf(0xabc).toUpperCase() }],
  ])('gets the same answer, %s', (_, again) => {
    const attempt = again.attempt?.toLowerCase() ?? attemptOf(1);
    const dispatched = played(requested(), dispatchToolCall({ attempt }));
    dispatched.when(dispatchToolCall(again), after(10)).thenNothing();
    // Also after the call has ended, from what is kept of it.
    played(dispatched, reportResult({ attempt })).when(dispatchToolCall(again)).thenNothing();
    played(dispatched, [sweep(), after(3600)])
      .when(dispatchToolCall(again), after(3700))
      .thenNothing();
    played(dispatched, closeSession()).when(dispatchToolCall(again)).thenNothing();
  });

  it('does not get through with another operation', () => {
    const dispatched = played(requested(), dispatchToolCall());
    dispatched.when(dispatchToolCall({ args: '{}' })).thenRefused('operation_mismatch');
    const ended = played(dispatched, reportResult());
    ended.when(dispatchToolCall({ args: '{}' })).thenRefused('operation_mismatch');
    ended.when(dispatchToolCall({ operationId: operationIdFor('{}') })).thenRefused('operation_mismatch');
  });
});

describe('dispatch after an approval', () => {
  it('waits for the decision', () => {
    pending().when(dispatchToolCall()).thenRefused('approval_pending');
  });

  it('consumes it in the event that lets the call run', () => {
    const given = granted()
      .when(dispatchToolCall(), after(59))
      .then({ type: 'ToolDispatched', data: { approvalId: approvalIdFor() } });
    expect(viewAfter(given, receiptIdFor()).approval).toMatchObject({ state: 'consumed' });
    given.when(dispatchToolCall({ attempt: attemptOf(2) }), after(59)).thenRefused('already_dispatched');
  });

  it('takes arguments of the approved operation in another spelling', () => {
    granted()
      .when(dispatchToolCall({ args: '{"content":"alph\\u0061", "path":"a.txt"}' }))
      .then({ type: 'ToolDispatched', data: { approvalId: approvalIdFor(), operationId: operationIdFor() } });
  });

  it('runs nothing under the approval of another call', () => {
    // The harmless call is approved, the destructive one has the same id in another turn (case 15).
    const harmless = '{"path":"harmless"}';
    const given = played(
      givenOpened(),
      requestToolCall({ turn: '1', args: harmless, requireApproval: true }),
      requestToolCall({ turn: '2', requireApproval: true }),
      [grantApproval({ approvalId: approvalIdFor(0), operationId: operationIdFor(harmless) }), { principal: APPROVER }],
    );
    given.when(dispatchToolCall({ receiptId: receiptIdFor('call_0', '2') })).thenRefused('approval_pending');
    given.when(dispatchToolCall({ receiptId: receiptIdFor('call_0', '1') })).thenRefused('operation_mismatch');
    given
      .when(grantApproval({ approvalId: approvalIdFor(1), operationId: operationIdFor(harmless) }), { principal: APPROVER })
      .thenRefused('operation_mismatch');
  });

  it('runs what was shown: an approved value does not let a changed one through', () => {
    const given = played(givenOpened(), requestToolCall({ args: '{"value":"reviewed-value"}', requireApproval: true }), [
      grantApproval({ operationId: operationIdFor('{"value":"reviewed-value"}') }),
      { principal: APPROVER },
    ]);
    given.when(dispatchToolCall({ args: '{"value":"changed-value"}' })).thenRefused('operation_mismatch');
    given.when(dispatchToolCall({ args: '{"value":"reviewed-value"}' })).then({ type: 'ToolDispatched' });
  });

  it.each([
    ['pending', pending],
    ['granted', granted],
  ])('finds a %s approval expired before any sweeper has said so', (_, given) => {
    const expired = given()
      .when(dispatchToolCall(), after(60))
      .then({
        type: 'ApprovalExpired',
        data: {
          receiptId: receiptIdFor(),
          approvalId: approvalIdFor(),
          operationId: operationIdFor(),
          expiresAt: timeAfter(60),
          attempt: attemptOf(1),
        },
      });
    expect(viewAfter(expired, receiptIdFor())).toMatchObject({
      status: 'expired',
      approval: { state: 'expired' },
      attempt: null,
      reason: { code: 'expired' },
    });
    expired.when(dispatchToolCall(), after(61)).thenNothing();
    expired.when(dispatchToolCall({ args: '{"content":"alpha","path":"a.txt"}' }), after(61)).thenNothing();
    expired.when(dispatchToolCall({ args: '{}' }), after(61)).thenRefused('operation_mismatch');
    expired.when(dispatchToolCall({ attempt: attemptOf(2) }), after(61)).thenRefused('call_not_dispatchable');
    expired.when(sweep(), after(61)).thenNothing();
    expired.when(grantApproval(), { ...after(61), principal: APPROVER }).thenRefused('approval_expired');
  });

  it.each<[string, GivenSession]>([
    ['denied', played(pending(), [denyApproval(), { principal: APPROVER }])],
    ['expired', played(pending(), [sweep(), after(60)])],
    ['cancelled', played(granted(), cancelToolCall())],
    ['cancelled', played(granted(), closeSession())],
    ['rejected', played(givenOpened(), requestToolCall({ taskId: 't1' }))],
  ])('never runs a call that was %s', (status, given) => {
    expect(viewAfter(given, receiptIdFor()).status).toBe(status);
    given.when(dispatchToolCall()).thenRefused('call_not_dispatchable');
  });
});

describe('dispatch in a session that was closed with more calls than one append ends', () => {
  const many = (requireApproval: boolean): GivenSession => {
    const calls = Array.from({ length: 260 }, (_, n) =>
      requestToolCall({ callId: `call_${n}`, requireApproval, approvalExpiresSeconds: 60 }),
    );
    const asked = played(givenOpened(), ...calls);
    const decided = requireApproval ? played(asked, [grantApproval({ approvalId: approvalIdFor(259) }), { principal: APPROVER }]) : asked;
    return played(decided, closeSession());
  };
  const last = receiptIdFor('call_259');

  it('is a recorded refusal, and the same for the same attempt', () => {
    const given = many(false)
      .when(dispatchToolCall({ receiptId: last }))
      .then({ type: 'ToolCallRejected', data: { receiptId: last, code: 'session_closed', attempt: attemptOf(1) } });
    expect(viewAfter(given, last)).toMatchObject({ status: 'rejected', attempt: null, reason: { code: 'session_closed' } });
    given.when(dispatchToolCall({ receiptId: last })).thenNothing();
    given.when(dispatchToolCall({ receiptId: last, attempt: attemptOf(2) })).thenRefused('call_not_dispatchable');
  });

  it('voids the approval', () => {
    const given = many(true)
      .when(dispatchToolCall({ receiptId: last }))
      .then(
        { type: 'ApprovalVoided', data: { receiptId: last, approvalId: approvalIdFor(259), code: 'session_closed' } },
        { type: 'ToolCallRejected', data: { code: 'session_closed' } },
      );
    expect(viewAfter(given, last).approval).toMatchObject({ state: 'voided' });
  });

  it('says expired where the time was over before', () => {
    many(true)
      .when(dispatchToolCall({ receiptId: last }), after(60))
      .then({ type: 'ApprovalExpired', data: { receiptId: last } });
  });

  it('does not wait for a decision that nobody can take any more', () => {
    many(true)
      .when(dispatchToolCall({ receiptId: receiptIdFor('call_258') }))
      .then({ type: 'ApprovalVoided' }, { type: 'ToolCallRejected' });
  });
});

describe('races over one approval', () => {
  it('two grants, a grant and a denial: the first decision stands', () => {
    const first = granted();
    first.when(grantApproval(), { principal: APPROVER }).thenNothing();
    first.when(grantApproval(), { principal: SECOND_APPROVER }).thenRefused('approval_decided');
    first.when(denyApproval(), { principal: APPROVER }).thenRefused('approval_decided');
    played(pending(), [denyApproval(), { principal: APPROVER }])
      .when(grantApproval(), { principal: APPROVER })
      .thenRefused('approval_decided');
  });
});
