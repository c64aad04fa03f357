import { admitArguments } from '@counterfoil/canonical';
import {
  decisionContext,
  FINGERPRINT_KEY,
  freeJson,
  givenOpened,
  observeToolCall,
  played,
  reportLegacyExecution,
  requestToolCall,
  SESSION,
  stateAfter,
  WORKSPACE,
  type LegacyChange,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { legacyReceiptIdOf } from './report-legacy-execution.js';
import { reported } from './testing/reported-calls.js';

/** Every member of a report, changed. */
const OTHERWISE: readonly [string, LegacyChange][] = [
  ['action', { action: 'list_dir' }],
  ['arguments', { args: 'b.txt' }],
  ['no arguments', { args: null }],
  ['empty arguments', { args: '' }],
  ['result', { result: freeJson('"other"') }],
  ['no result', { result: null }],
  ['success', { success: false }],
  ['no success', { success: null }],
  ['authorized', { authorized: false }],
  ['start', { startedAt: null }],
  ['end', { completedAt: '2026-11-30T13:23:42+00:00' }],
  ['operation id', { operationId: 'op' }],
  ['failure', { failure: 'timeout' }],
  ['exit code', { exitCode: 0 }],
  ['verified effect', { verifiedEffect: freeJson('"it is there"') }],
  ['acceptance', { acceptance: freeJson('"it is there"') }],
  ['task', { taskId: 't1' }],
  ['plan', { planId: 'p1' }],
  ['generation', { generation: '1' }],
];

describe('the same report again', () => {
  it.each([['receipt_1'], [null]])('adds nothing (old receipt id %s)', (id) => {
    const command = reportLegacyExecution({ receiptId: id });
    const given = played(givenOpened(), command);
    given.when(command).thenNothing();
    // Spelled otherwise it says the same.
    given.when({ ...command, args: freeJson('"\\u0070lain.txt"'), result: freeJson('"do\\u006ee"') }).thenNothing();
  });

  it.each(OTHERWISE)('with another %s is a conflict under its receipt id, and another call without one', (_what, change) => {
    const named = played(givenOpened(), reportLegacyExecution());
    named.when(reportLegacyExecution(change)).thenRefused('call_conflict');
    const unnamed = played(givenOpened(), reportLegacyExecution({ receiptId: null }));
    unnamed.when(reportLegacyExecution({ receiptId: null, ...change })).then({ type: 'ToolCallRequested' }, { type: 'ToolCallObserved' });
  });

  it('in another turn is another call, and so is one of another old receipt', () => {
    played(reported, reportLegacyExecution({ turn: 'learnrun_1' }), reportLegacyExecution({ receiptId: 'receipt_2' }))
      .when(reportLegacyExecution({ receiptId: 'receipt_2' }))
      .thenNothing();
  });

  it('is recognised by arguments that are no text as what they are, not as they are spelled', () => {
    const of = (args: string) => ({
      ...reportLegacyExecution({ receiptId: null }),
      args: freeJson(args),
      argsText: null,
      arguments: admitArguments(args),
    });
    const given = played(givenOpened(), of('{"n":1.0,"path":"a"}'));
    given.when(of('{ "path": "a", "n": 1 }')).thenNothing();
    given.when(of('{"path":"a","n":"1"}')).then({}, {});
    // What has no exact form is known by its spelling alone.
    const odd = played(givenOpened(), of('{"a":1,"a":2}'));
    odd.when(of('{"a":1,"a":2}')).thenNothing();
    odd.when(of('{"a":1, "a":2}')).then({}, {});
  });
});

describe('the id of a reported call', () => {
  it('without an old receipt id is made of the content under the session’s key, and marked', () => {
    const command = reportLegacyExecution({ receiptId: null });
    const { events } = played(givenOpened(), command);
    const { callId, callIdSource, receiptId: id } = events[1]?.data as Record<string, string>;
    expect(callId).toMatch(/^synthetic:k1:[A-Za-z0-9_-]{43}$/);
    expect(callIdSource).toBe('synthetic');
    const session = { workspaceId: WORKSPACE, sessionId: SESSION };
    expect(legacyReceiptIdOf(session, command, FINGERPRINT_KEY)).toBe(id);
    expect(legacyReceiptIdOf(session, command, { ...FINGERPRINT_KEY, secret: new Uint8Array(32) })).not.toBe(id);
    // A restart folds the events anew: the same report is still the same.
    expect(decide(stateAfter(events), command, decisionContext({ now: 0 }))).toEqual([]);
  });

  it.each(['call_abc', 'toolu_01', 'native:7', 'synthetic:x', 'rcp_0000000000000000000000', '日本 🙂', 'x'.repeat(480)])(
    'is a legacy one, however native its old receipt id looks: %s',
    (id) => {
      givenOpened()
        .when(reportLegacyExecution({ receiptId: id }))
        .then({ data: { callId: `legacy:${id}`, callIdSource: 'legacy' } }, {});
    },
  );

  it('is not the id of a native call of the same words', () => {
    const native = { callId: 'receipt_1', turn: 'legacy' };
    played(reported, observeToolCall(native)).when(observeToolCall(native)).thenNothing();
    // One that sends our spelling as its own is the same key with other content.
    reported.when(observeToolCall({ callId: 'legacy:receipt_1', turn: 'legacy' })).thenRefused('call_conflict');
    played(givenOpened(), requestToolCall({ callId: 'legacy:receipt_1', turn: 'legacy' }))
      .when(reportLegacyExecution())
      .thenRefused('call_conflict');
  });

  it('may be no secret', () => {
    const secret = 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE';
    for (const change of [{ receiptId: secret }, { failure: secret }, { action: secret }, { turn: secret }])
      givenOpened().when(reportLegacyExecution(change)).thenRefused('identifier_is_secret');
  });
});
