import { admitArguments } from '@counterfoil/canonical';
import { SESSION_EVENTS } from '@counterfoil/contracts';
import {
  closeSession,
  directoryOf,
  dispatchToolCall,
  freeJson,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  refolded,
  reportLegacyExecution,
  reportResult,
  requestToolCall,
  stateAfter,
  toolSpec,
  viewAfter,
  type LegacyChange,
} from '@counterfoil/testing';
import { observedOf, ran, receiptId, reported, runTool } from './testing/reported-calls.js';

describe('a finished call of an old runtime', () => {
  it('is recorded in one append, as neither approved nor dispatched (promise 31)', () => {
    expect(viewAfter(reported, receiptId)).toMatchObject({
      status: 'succeeded',
      approval: null,
      attempt: null,
      taskId: null,
      reason: null,
    });
    expect(refolded(stateAfter(reported.events), reported.events, receiptId)).toMatchObject({ isObserved: true, callIdSource: 'legacy' });
  });

  it('leads to events that may be stored', () => {
    for (const { type, data } of reported.events) expect(SESSION_EVENTS[type].safeParse(data).error).toBeUndefined();
  });

  it('keeps its record in the old keys', () => {
    const { original } = observedOf(reported) as { original: { json: string } };
    expect(Object.entries(JSON.parse(original.json) as object)).toEqual([
      ['receipt_id', 'receipt_1'],
      ['operation_id', 'abababababababababababababababab'],
      ['action', 'read_file'],
      ['args', 'plain.txt'],
      ['authorized', true],
      ['started_at', '2026-11-30T13:23:40.917135+00:00'],
      ['completed_at', '2026-11-30T13:23:41+00:00'],
      ['success', true],
      ['result', 'done'],
      ['failure', null],
      ['exit_code', null],
      ['verified_effect', null],
      ['acceptance', null],
      ['task_id', null],
    ]);
  });

  it.each<[string, LegacyChange]>([
    ['that was not authorised', { authorized: false, success: false }],
    ['that a person denied', { failure: 'approval_denied', success: false }],
    ['that was one too many', { failure: 'duplicate_operation', success: false }],
  ])('%s was taken for one that has run: it has no effect to verify, and outdates no evidence', (_what, change) => {
    givenOpened()
      .when(reportLegacyExecution({ action: 'write_file', ...change }))
      .then(
        { type: 'ToolCallRequested' },
        { type: 'ToolCallObserved', data: { verification: { state: 'not_applicable', method: 'not_dispatched' }, outdates: 'nothing' } },
      );
    givenOpened()
      .when(reportLegacyExecution({ action: 'write_file', success: false }))
      .then(
        { type: 'ToolCallRequested' },
        { type: 'ToolCallObserved', data: { verification: { state: 'unavailable' }, outdates: 'session' } },
      );
  });

  it('is not rejected for anything, since it has run', () => {
    const registry = directoryOf({
      tools: [toolSpec({ source: 'legacy', name: 'read_file' })],
      violation: '/type',
      verdict: { then: 'refuse', reasons: [{ code: 'policy_refuses', ruleId: 'r1' }] },
    });
    for (const args of ['{"a":1,"a":2}', 'no json', '{}']) {
      const command = { ...reportLegacyExecution(), arguments: admitArguments(args) };
      givenOpened()
        .when(command, { registry })
        .then({ type: 'ToolCallRequested' }, { type: 'ToolCallObserved', data: { status: 'succeeded' } });
    }
    givenOpened()
      .when({ ...reportLegacyExecution(), arguments: admitArguments('{"a":1,"a":2}') })
      .then({ data: { operationId: null } }, {});
  });

  it('can neither be dispatched nor reported on any more', () => {
    reported.when(dispatchToolCall({ receiptId })).thenRefused('call_not_dispatchable');
    reported.when(reportResult({ receiptId })).thenRefused('call_not_dispatched');
  });

  it('stands in the way of its operation, as everything that succeeded does', () => {
    const again = requestToolCall({
      tool: { source: 'legacy', name: 'read_file', declared: null },
      turn: 'legacy',
      args: '{"args":"plain.txt"}',
    });
    const operationId = operationIdFor('{"args":"plain.txt"}', { source: 'legacy', name: 'read_file' });
    played(reported, again)
      .when(dispatchToolCall({ receiptId: receiptIdFor('call_0', 'legacy'), operationId }))
      .then({ type: 'ToolCallRejected', data: { code: 'duplicate_operation' } });
  });

  it('needs an open session', () => {
    played(givenOpened(), closeSession()).when(reportLegacyExecution()).thenRefused('session_closed');
    played(reported, closeSession())
      .when(reportLegacyExecution({ operationId: 'ab'.repeat(16) }))
      .thenNothing();
  });
});

describe('the status of a reported call', () => {
  it.each<[boolean | null, string]>([
    [true, 'succeeded'],
    [false, 'failed'],
    [null, 'unknown'],
  ])('follows the old flag: %s is %s, whatever else is said', (success, status) => {
    const says: readonly LegacyChange[] = [
      { result: freeJson('"Error: not found"'), failure: 'nonzero_exit', exitCode: 3 },
      { result: freeJson('"ok, all tests passed"'), exitCode: 0, acceptance: freeJson('"npm test"'), verifiedEffect: freeJson('"there"') },
      { result: null, authorized: false, failure: 'approval_denied' },
    ];
    for (const change of says) {
      const given = givenOpened()
        .when(reportLegacyExecution({ ...change, success }))
        .then({}, { data: { status } });
      expect(viewAfter(given, receiptId).status).toBe(status);
      expect(observedOf(given)).toMatchObject({ recorded: { authorized: change.authorized ?? true, failure: change.failure ?? null } });
    }
  });

  it('keeps exit code, signal and failure code as facts beside it', () => {
    const outcome = (change: LegacyChange): unknown => observedOf(played(givenOpened(), reportLegacyExecution(change)))['outcome'];
    expect(outcome({ exitCode: 3, success: true })).toMatchObject({ status: 'succeeded', exitCode: 3, error: null });
    expect(outcome({ exitCode: -15, signal: 'SIGTERM', success: false, failure: 'nonzero_exit' })).toEqual({
      status: 'failed',
      exitCode: -15,
      signal: 'SIGTERM',
      isError: null,
      error: { code: 'nonzero_exit', message: null },
    });
    expect(outcome({ success: null, exitCode: 0 })).toBeNull();
  });

  it('is not changed by exit codes that its tool declares', () => {
    played(givenOpened())
      .when(ran('grep x', { success: false, exitCode: 1 }), { registry: runTool({ successExitCodes: [0, 1] }) })
      .then({}, { data: { status: 'failed', outcome: { status: 'failed', exitCode: 1 }, verification: { state: 'verified' } } });
  });
});

describe('secrets of a reported call', () => {
  it('stand in none of its places, nor where a later one repeats them', () => {
    const secret = 'FAKE-value-of-a-key-xYz9';
    const first = {
      ...reportLegacyExecution({ args: `{"api_key":"${secret}"}` }),
      arguments: admitArguments(`{"api_key":"${secret}"}`),
      result: freeJson(JSON.stringify(`it was ${secret}`)),
      verifiedEffect: freeJson(JSON.stringify(`${secret} exists`)),
      acceptance: freeJson(JSON.stringify(`echo ${secret}`)),
      operationId: `op of ${secret}`,
      taskId: `task ${secret}`,
    };
    const given = played(givenOpened(), first, reportLegacyExecution({ receiptId: 'receipt_2', result: freeJson(JSON.stringify(secret)) }));
    expect(given.events).toHaveLength(5);
    expect(JSON.stringify(given.events)).not.toContain('FAKE');
  });

  it('of its arguments are still told apart by fingerprint and operation', () => {
    const of = (value: string) => ({
      ...reportLegacyExecution({ receiptId: null, args: `token: ${value}` }),
      arguments: admitArguments(`{"token":"${value}"}`),
    });
    const { events } = played(givenOpened(), of('FAKE-one-xYz9w'), of('FAKE-two-xYz9w'));
    expect(events.filter(({ type }) => type === 'ToolCallRequested')).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('FAKE');
  });
});

it('odd text is kept as it came', () => {
  const given = played(givenOpened(), { ...reportLegacyExecution(), result: freeJson('"\\ud800 \\u0000"') });
  expect(observedOf(given)).toMatchObject({
    result: { json: '"\\ud800 \\u0000"' },
    original: { json: expect.stringContaining('"result":"\\ud800 \\u0000"') as string },
  });
});
