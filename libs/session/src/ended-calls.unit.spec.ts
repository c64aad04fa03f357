import type { ApprovalState, CallStatus } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  cancelToolCall,
  closeSession,
  denyApproval,
  digestOf,
  dispatchToolCall,
  extendLease,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  refolded,
  reportResult,
  requestToolCall,
  stateAfter,
  sweep,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import { receiptId } from '@counterfoil/canonical';
import { callView, type Call } from './call.js';
import { EndedCalls } from './ended-calls.js';
import { SessionState } from './state.js';

const CALLS = 100_000;

function callNumbered(n: number, change: Partial<Call> = {}): Call {
  const id = receiptId({ workspaceId: 'w1', sessionId: 's1', turn: String(n), callId: 'call_0' });
  return {
    receiptId: id,
    sessionId: 's1',
    turn: String(n),
    callId: 'call_0',
    callIdSource: 'native',
    tool: { source: 'mcp:a', name: 'b', version: null, sideEffects: 'destructive' },
    taskId: null,
    status: 'succeeded',
    operationId: digestOf(`operation-${n}`),
    requestFingerprint: digestOf(`request-${n}`),
    requestedBy: 'agent:a',
    reason: null,
    approval: { approvalId: `apr_s1_${n}`, state: 'consumed', operationId: digestOf(`operation-${n}`), expiresAt: '', by: 'person:a' },
    attempt: attemptOf(n),
    leaseSeconds: 60,
    leaseUntil: null,
    cancelRequested: false,
    resultFingerprint: digestOf(`result-${n}`),
    planId: null,
    specDigest: null,
    duplicates: 'refuse_in_turn',
    successExitCodes: null,
    expectation: { kind: 'unavailable' },
    isStoredWhole: true,
    amendedFrom: null,
    amendedArguments: null,
    before: null,
    result: { exitCode: null, verification: 'unavailable' },
    isObserved: false,
    revisions: {
      requested: n * 5,
      approvalRequested: n * 5 + 1,
      decided: n * 5 + 2,
      dispatched: n * 5 + 3,
      cancelRequested: null,
      voided: null,
      ended: n * 5 + 4,
      late: null,
      amended: null,
    },
    ...change,
  };
}

describe('calls that have ended', () => {
  it('cost at most 200 bytes each, tables and approval numbers included, at every size', () => {
    const state = new SessionState();
    for (let n = 0; n < CALLS; n++) {
      const call = callNumbered(n);
      state.ended.add(call);
      state.approvals.push(call.receiptId);
      // The costliest moments are right after something has grown.
      if (n >= 4096 && (n & (n - 1)) === 0) expect((state.ended.bytes + state.approvals.bytes) / (n + 1)).toBeLessThan(200);
    }
    expect(state.ended.size).toBe(CALLS);
    expect((state.ended.bytes + state.approvals.bytes) / CALLS).toBeLessThan(200);
  });

  it('cost little while they are few', () => {
    const ended = new EndedCalls();
    ended.add(callNumbered(0));
    expect(ended.bytes).toBeLessThan(4096);
    for (let n = 1; n < 100; n++) ended.add(callNumbered(n));
    expect(ended.bytes).toBeLessThan(100 * 400);
  });

  it('answer what a retry asks, and tell it from anything else', () => {
    const ended = new EndedCalls();
    for (let n = 0; n < 3000; n++) ended.add(callNumbered(n));
    for (const n of [0, 1, 15, 16, 17, 63, 64, 255, 256, 257, 1024, 2999]) {
      const kept = ended.get(callNumbered(n).receiptId)!;
      expect(kept).toMatchObject({ status: 'succeeded', approvalState: 'consumed', hasResult: true, revisions: callNumbered(n).revisions });
      expect([kept.matchesRequest(digestOf(`request-${n}`)), kept.matchesRequest(digestOf(`request-${n + 1}x`))]).toEqual([true, false]);
      expect([kept.matchesOperation(digestOf(`operation-${n}`)), kept.matchesOperation(digestOf(`result-${n}`))]).toEqual([true, false]);
      expect([kept.matchesResult(digestOf(`result-${n}`)), kept.matchesResult(digestOf(`request-${n}`))]).toEqual([true, false]);
      expect([kept.matchesAttempt(attemptOf(n)), kept.matchesAttempt(attemptOf(n + 1))]).toEqual([true, false]);
      expect([kept.decidedBy('person:a'), kept.decidedBy('person:b'), kept.decidedBy('')]).toEqual([true, false, false]);
    }
    expect(ended.get(callNumbered(3000).receiptId)).toBeNull();
    expect(ended.get('rcp_')).toBeNull();
  });

  it('match nothing where there was nothing', () => {
    const ended = new EndedCalls();
    const nothing = { operationId: null, requestFingerprint: null, attempt: null, resultFingerprint: null, approval: null } as const;
    const call = callNumbered(0, { status: 'rejected', ...nothing });
    ended.add({ ...call, revisions: { ...call.revisions, dispatched: null, decided: null, approvalRequested: null } });
    const kept = ended.get(call.receiptId)!;
    // Sixteen zero bytes are what an empty place holds.
    const zeros = `k1:${'A'.repeat(43)}`;
    expect([kept.matchesRequest(zeros), kept.matchesOperation(zeros), kept.matchesResult(zeros), kept.hasResult]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(kept.matchesAttempt('00000000-0000-0000-0000-000000000000')).toBe(false);
    expect(kept).toMatchObject({ approvalState: null, revisions: { dispatched: null, decided: null, approvalRequested: null } });
  });

  it.each<CallStatus>(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled', 'unknown', 'rejected', 'denied', 'expired'])(
    'keep their status: %s',
    (status) => {
      const ended = new EndedCalls();
      ended.add(callNumbered(1, { status }));
      expect(ended.get(callNumbered(1).receiptId)!.status).toBe(status);
      const mayHaveRun = status === 'succeeded' || status === 'unknown';
      expect(ended.mayHaveRun(digestOf('operation-1'), '1')).toBe(mayHaveRun);
      expect(ended.mayHaveRun(digestOf('operation-1'), '2')).toBe(false);
      expect(ended.mayHaveRun(digestOf('operation-2'), '1')).toBe(false);
    },
  );

  it.each<ApprovalState>(['pending', 'granted', 'consumed', 'denied', 'expired', 'voided'])(
    'keep the state of their approval: %s',
    (state) => {
      const ended = new EndedCalls();
      ended.add(callNumbered(1, { approval: { ...callNumbered(1).approval!, state } }));
      expect(ended.get(callNumbered(1).receiptId)!.approvalState).toBe(state);
    },
  );

  it('know a late result from then on, and the revision that it has', () => {
    const ended = new EndedCalls();
    const call = callNumbered(1, { status: 'unknown', resultFingerprint: null });
    ended.add(call);
    ended.recordLate(callNumbered(2).receiptId, digestOf('other'), 8);
    expect(ended.get(call.receiptId)).toMatchObject({ hasResult: false, revisions: { late: null } });
    ended.recordLate(call.receiptId, digestOf('late'), 9);
    const kept = ended.get(call.receiptId)!;
    expect(kept).toMatchObject({ hasResult: true, status: 'unknown', revisions: { late: 9 } });
    expect(kept.matchesResult(digestOf('late'))).toBe(true);
  });

  it('hold revisions up to the largest that 32 bits take', () => {
    const ended = new EndedCalls();
    const call = callNumbered(1);
    ended.add({ ...call, revisions: { ...call.revisions, ended: 0xfffffffe } });
    expect(ended.get(call.receiptId)!.revisions.ended).toBe(0xfffffffe);
  });
});

describe('a call that ended long ago', () => {
  const asked = requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 });
  const grant: Play = [grantApproval(), { principal: APPROVER }];

  it.each<[string, Play[]]>([
    ['rejected', [requestToolCall({ args: '{' })]],
    ['denied', [asked, [denyApproval(), { principal: APPROVER }]]],
    ['expired', [asked, [sweep(), after(60)]]],
    ['expired by a dispatch', [asked, grant, [dispatchToolCall(), after(60)]]],
    ['cancelled', [asked, grant, cancelToolCall()]],
    ['cancelled by the close', [asked, grant, closeSession()]],
    ['cancelled, with a late result', [requestToolCall(), cancelToolCall(), reportResult()]],
    ['succeeded', [asked, grant, dispatchToolCall(), [extendLease(), after(40)], cancelToolCall(), reportResult()]],
    ['unknown', [requestToolCall(), dispatchToolCall(), [sweep(), after(60)]]],
    ['unknown, with a late result', [requestToolCall(), dispatchToolCall(), cancelToolCall(), [sweep(), after(60)], reportResult()]],
    [
      'a duplicate',
      [
        requestToolCall({ callId: 'other' }),
        dispatchToolCall({ receiptId: receiptIdFor('other') }),
        asked,
        grant,
        dispatchToolCall({ attempt: attemptOf(2) }),
      ],
    ],
  ])('is folded again from its own events to the same view: %s', (_, plays) => {
    const { events } = played(givenOpened(), ...plays);
    const state = stateAfter(events);
    const live = state.find(receiptIdFor())!;
    const again = refolded(state, events, receiptIdFor())!;
    expect(callView(again)).toEqual(callView(live));
    // All that a decision looks at, but for the length of a lease that is over.
    expect({ ...again, leaseSeconds: null }).toEqual({ ...live, leaseSeconds: null });
  });

  it('answers retries as a recent one does', () => {
    const mine = played(givenOpened(), asked, grant, dispatchToolCall(), reportResult());
    const others: Play[] = Array.from({ length: 65 }, (_, n) => [requestToolCall({ callId: `other-${n}`, args: '{' }), {}]);
    const given: GivenSession = played(mine, ...others);
    expect(stateAfter(given.events).find(receiptIdFor())).toBeNull();
    given.when(asked).thenNothing();
    given.when(requestToolCall()).thenRefused('call_conflict');
    given.when(dispatchToolCall()).thenNothing();
    given.when(dispatchToolCall({ operationId: operationIdFor('{}') })).thenRefused('operation_mismatch');
    given.when(dispatchToolCall({ attempt: attemptOf(2) })).thenRefused('already_dispatched');
    given.when(reportResult()).thenNothing();
    given.when(reportResult({ output: null })).thenRefused('result_conflict');
    given.when(grantApproval(), { principal: APPROVER }).thenNothing();
    given.when(denyApproval(), { principal: APPROVER }).thenRefused('approval_decided');
    given.when(cancelToolCall()).thenRefused('call_ended');
    given.when(extendLease()).thenRefused('call_ended');
    expect(approvalIdFor()).toBe('apr_s1_0');
  });
});
