import { MAX_ARGUMENT_DEPTH } from '@counterfoil/canonical';
import { CallId } from '@counterfoil/contracts';
import {
  APPROVER,
  ARGUMENTS,
  approvalIdFor,
  closeSession,
  codeOf,
  decisionContext,
  dispatchToolCall,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  timeAfter,
  viewAfter,
  type RequestChange,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { CALLS_PER_SESSION } from './requested.js';
import { nextFor } from '../call.js';

const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';

describe('request a tool call', () => {
  it('records the call with scope, tool and operation; nothing stands in its way', () => {
    const given = givenOpened()
      .when(requestToolCall())
      .then({
        type: 'ToolCallRequested',
        data: {
          receiptId: receiptIdFor(),
          workspaceId: 'w1',
          userId: 'u1',
          sessionId: 's1',
          turn: 'turn-1',
          callId: 'call_0',
          callIdSource: 'native',
          // A tool that nobody registered is destructive, whatever is declared (promise 12).
          tool: { source: 'mcp:files', name: 'write_file', version: null, specDigest: null, sideEffects: 'destructive', declared: null },
          arguments: { json: ARGUMENTS, state: 'whole' },
          operationId: operationIdFor(),
          association: { kind: 'none', taskId: null },
          planId: null,
          taskId: null,
          approval: { required: false, reasons: [] },
          registryRevision: null,
          secrets: [],
          provenance: { kind: 'live' },
        },
      });
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status: 'requested', reason: null, approval: null, attempt: null, leaseUntil: null });
    expect(nextFor(view.status)).toBe('dispatch');
  });

  it('keeps what the client declares beside, and never uses it', () => {
    const declared = '{"sideEffects":"read_only","duplicates":"allow"}';
    givenOpened()
      .when(requestToolCall({ tool: { source: 'mcp:files', name: 'write_file', declared } }))
      .then({ data: { tool: { sideEffects: 'destructive', declared: { json: declared } } } });
  });

  it.each(['_', ' ', 'call_0\u0000', '호출-1', '🙂'.repeat(512), '__proto__', "'; --", '../..', 'a'.repeat(512)])(
    'keeps the call id %j verbatim',
    (callId) => {
      expect(CallId.safeParse(callId).success).toBe(true);
      const given = givenOpened().when(requestToolCall({ callId })).then({ data: { callId } });
      expect(viewAfter(given, receiptIdFor(callId)).callId).toBe(callId);
    },
  );

  it('asks for an approval that is bound to the operation', () => {
    const given = givenOpened()
      .when(requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }))
      .then(
        { type: 'ToolCallRequested', data: { approval: { required: true, reasons: [{ code: 'requested', ruleId: null }] } } },
        {
          type: 'ApprovalRequested',
          data: {
            receiptId: receiptIdFor(),
            approvalId: approvalIdFor(0),
            operationId: operationIdFor(),
            userId: 'u1',
            expiresAt: timeAfter(60),
            reasons: ['requested'],
          },
        },
      );
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status: 'awaiting_approval', approval: { state: 'pending', approvalId: 'apr_s1_0' } });
    expect(nextFor(view.status)).toBe('wait');
  });

  it('counts approvals in the session, not calls', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'a', requireApproval: true }),
      requestToolCall({ callId: 'b' }),
      requestToolCall({ callId: 'c', args: '{', requireApproval: true }),
    );
    given
      .when(requestToolCall({ callId: 'd', requireApproval: true }))
      .then({ type: 'ToolCallRequested' }, { type: 'ApprovalRequested', data: { approvalId: approvalIdFor(1) } });
  });
});

describe('arguments without an exact canonical form', () => {
  it.each([
    ['arguments_not_json', '{"path":"a.t'],
    ['arguments_not_json', ''],
    ['arguments_not_json', '{"a":NaN}'],
    ['arguments_duplicate_key', '{"amount":1,"amount":2}'],
    ['arguments_duplicate_key', '{"amount":1,"\\u0061mount":2}'],
    ['arguments_lone_surrogate', '{"a":"\\ud800"}'],
    ['arguments_number_out_of_range', '{"a":1e400}'],
    ['arguments_number_out_of_range', '{"a":1e-400}'],
    ['arguments_integer_not_exact', '{"a":9007199254740993}'],
    ['arguments_too_deep', '['.repeat(MAX_ARGUMENT_DEPTH + 1) + ']'.repeat(MAX_ARGUMENT_DEPTH + 1)],
  ])('are recorded and rejected as %s (%#)', (code, args) => {
    const given = givenOpened()
      .when(requestToolCall({ args, requireApproval: true, taskId: 't1' }))
      .then(
        { type: 'ToolCallRequested', data: { callId: 'call_0', operationId: null } },
        { type: 'ToolCallRejected', data: { receiptId: receiptIdFor(), code, attempt: null } },
      );
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status: 'rejected', operationId: null, approval: null, reason: { code } });
    expect(nextFor(view.status)).toBe('stop');
    given.when(dispatchToolCall({ args })).thenRefused('call_not_dispatchable');
    given.when(reportResult()).thenRefused('call_not_dispatched');
  });

  it.each(['{"a":1e21}', '{"__proto__":{"constructor":1},"0":2}', '"scalar"', 'null', '{"a":-0}'])('are not: %s', (args) => {
    givenOpened()
      .when(requestToolCall({ args }))
      .then({ data: { operationId: operationIdFor(args) } });
  });

  it('quotes nothing of the caller in what it says', () => {
    const [, rejected] = played(givenOpened(), requestToolCall({ args: '{"FAKEword":1,"FAKEword":2}' })).events.slice(1);
    expect(JSON.stringify(rejected)).not.toContain('FAKEword');
  });
});

describe('a request that is refused or rejected', () => {
  it('is rejected with a task, with the same answer whatever the task', () => {
    const answers = ['t1', 'no-such-task', 'task-of-another-user'].map((taskId) => {
      const given = givenOpened()
        .when(requestToolCall({ taskId, requireApproval: true }))
        .then({ type: 'ToolCallRequested', data: { taskId, association: { kind: 'none', taskId: null } } }, { type: 'ToolCallRejected' });
      return JSON.stringify(given.events[2]);
    });
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('task_not_eligible');
  });

  it('is rejected when an approver could not be shown the whole arguments', () => {
    const args = JSON.stringify({ text: 'a'.repeat(200_000) });
    const given = givenOpened()
      .when(requestToolCall({ args, requireApproval: true }))
      .then(
        { type: 'ToolCallRequested', data: { arguments: { state: 'cut' } } },
        { type: 'ToolCallRejected', data: { code: 'too_large_to_approve' } },
      );
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'rejected', approval: null });
  });

  it('is not rejected for its size when nobody has to approve it: the operation covers the full arguments', () => {
    const args = (end: string): string => JSON.stringify({ text: 'a'.repeat(200_000) + end });
    givenOpened()
      .when(requestToolCall({ args: args('x') }))
      .then({ type: 'ToolCallRequested', data: { arguments: { state: 'cut' }, operationId: operationIdFor(args('x')) } })
      .when(requestToolCall({ args: args('y') }))
      .thenRefused('call_conflict');
  });

  it('is refused in a closed session', () => {
    played(givenOpened(), closeSession()).when(requestToolCall()).thenRefused('session_closed');
  });

  it.each<[string, RequestChange]>([
    ['callId', { callId: FAKE_TOKEN }],
    ['turn', { turn: `turn ${FAKE_TOKEN}` }],
    ['tool.source', { tool: { source: FAKE_TOKEN, name: 'a', declared: null } }],
    ['tool.name', { tool: { source: 'mcp:a', name: FAKE_TOKEN, declared: null } }],
    ['taskId', { taskId: FAKE_TOKEN }],
  ])('is refused with a secret as %s, and not recorded', (_, change) => {
    givenOpened().when(requestToolCall(change)).thenRefused('identifier_is_secret');
  });

  it.each([
    ['nested over 512 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['with a key twice', '{"a":1,"a":2}'],
    ['with a lone surrogate', '"\\ud800"'],
  ])('is refused, and is no fault of ours, with a declaration %s', (_, declared) => {
    givenOpened()
      .when(requestToolCall({ tool: { source: 'mcp:a', name: 'b', declared } }))
      .thenRefused('body_anomaly');
  });

  it('is refused once the session has taken all its calls; what was requested before is still known', () => {
    const state = stateAfter(played(givenOpened(), requestToolCall()).events);
    const template = state.open.get(receiptIdFor())!;
    for (let n = 1; n < CALLS_PER_SESSION; n++) state.open.set(`rcp_${String(n).padStart(22, '0')}`, template);
    expect(state.calls).toBe(100_000);
    const context = decisionContext({ principal: APPROVER });
    expect(decide(state, requestToolCall(), context)).toEqual([]);
    expect(codeOf(() => decide(state, requestToolCall({ callId: 'one-more' }), context))).toBe('session_full');
    state.open.delete(`rcp_${'1'.padStart(22, '0')}`);
    expect(decide(state, requestToolCall({ callId: 'one-more' }), context)).toHaveLength(1);
  });
});
