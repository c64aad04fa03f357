import { admitArguments } from '@counterfoil/canonical';
import { SESSION_EVENTS, type SideEffectClass } from '@counterfoil/contracts';
import {
  activatePlan,
  changeTask,
  closeSession,
  codeOf,
  commandCriterion,
  completeTask,
  decisionContext,
  directoryOf,
  dispatchToolCall,
  FINGERPRINT_KEY,
  freeJson,
  givenOpened,
  observeToolCall,
  operationIdFor,
  played,
  receiptIdFor,
  recordEvidence,
  refolded,
  reportLegacyExecution,
  reportResult,
  requestToolCall,
  SESSION,
  stateAfter,
  taskPlan,
  toolSpec,
  viewAfter,
  WORKSPACE,
  type GivenSession,
  type LegacyChange,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { legacyReceiptIdOf } from './report-legacy-execution.js';

const RUN_CMD = { source: 'legacy', name: 'run_cmd' };
const runTool = (change: Parameters<typeof toolSpec>[0] = {}) =>
  directoryOf({ tools: [toolSpec({ ...RUN_CMD, sideEffects: 'process', effect: { kind: 'command', command: '/command' }, ...change })] });
const ran = (command: string, change: LegacyChange = {}) =>
  reportLegacyExecution({
    action: 'run_cmd',
    args: command,
    arguments: admitArguments(JSON.stringify({ command })),
    ...change,
  } as LegacyChange);

const receiptId = receiptIdFor('legacy:receipt_1', 'legacy');
const reported = givenOpened()
  .when(reportLegacyExecution({ failure: null, operationId: 'ab'.repeat(16) }))
  .then(
    {
      type: 'ToolCallRequested',
      data: {
        receiptId,
        turn: 'legacy',
        callId: 'legacy:receipt_1',
        callIdSource: 'legacy',
        tool: { source: 'legacy', name: 'read_file', version: null, sideEffects: 'destructive', declared: null },
        arguments: { json: '{"args":"plain.txt"}' },
        operationId: operationIdFor('{"args":"plain.txt"}', { source: 'legacy', name: 'read_file' }),
        association: { kind: 'none', taskId: null },
        planId: null,
        taskId: null,
        approval: { required: false, reasons: [] },
        provenance: { kind: 'live' },
      },
    },
    {
      type: 'ToolCallObserved',
      data: {
        receiptId,
        status: 'succeeded',
        outcome: { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null },
        recorded: { authorized: true, failure: null },
        result: { json: '"done"' },
        verification: { state: 'unavailable', method: null, expected: null, before: null, after: null, change: null },
        times: { startedAt: '2026-11-30T13:23:40.917135+00:00', completedAt: '2026-11-30T13:23:41+00:00' },
        outdates: 'session',
        planId: null,
        taskId: null,
      },
    },
  );

/** The second of the two events that a report leads to. */
const observedOf = (given: GivenSession): Record<string, unknown> => given.events.at(-1)?.data as Record<string, unknown>;

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

describe('the tool of a reported call', () => {
  const verificationOf = (change: LegacyChange, registry = runTool()): unknown =>
    observedOf(given([ran('make', change), registry]))['verification'];
  const given = ([command, registry]: readonly [ReturnType<typeof ran>, ReturnType<typeof runTool>]): GivenSession =>
    played(givenOpened(), [command, { registry }]);

  it('has the class that it is registered with, and is destructive else', () => {
    const classOf = (sideEffects: SideEffectClass): unknown =>
      (given([ran('make'), runTool({ sideEffects })]).events.at(-2)?.data as { tool: { sideEffects: string } }).tool.sideEffects;
    for (const sideEffects of ['read_only', 'process', 'internal'] as const) expect(classOf(sideEffects)).toBe(sideEffects);
    givenOpened()
      .when(reportLegacyExecution())
      .then({ data: { tool: { sideEffects: 'destructive' } } }, {});
  });

  it('is measured by its own rules if it is registered: a command by its exit status', () => {
    expect(verificationOf({ exitCode: 0 })).toMatchObject({
      state: 'verified',
      method: 'exit_status',
      expected: { json: '{"exitCodes":[0]}' },
    });
    expect(verificationOf({ exitCode: 1 })).toMatchObject({ state: 'failed', method: 'exit_status' });
    for (const change of [{}, { exitCode: -9, signal: 'SIGKILL' }, { exitCode: 0, success: null }])
      expect(verificationOf(change)).toMatchObject({ state: 'unavailable', method: null });
    expect(verificationOf({ exitCode: 0 }, runTool({ effect: null }))).toMatchObject({ state: 'unavailable' });
    expect(verificationOf({ exitCode: 0 }, runTool({ effect: null, sideEffects: 'read_only' }))).toMatchObject({ state: 'not_applicable' });
    expect(verificationOf({ exitCode: 0 }, directoryOf({}))).toMatchObject({ state: 'unavailable', expected: null });
  });

  it('is not verified by a file that was there afterwards', () => {
    const registry = directoryOf({ tools: [toolSpec({ source: 'legacy', name: 'write_file' })] });
    const command = reportLegacyExecution({ action: 'write_file', verifiedEffect: freeJson('"file exists after write: /a"') });
    const write = { ...command, arguments: admitArguments('{"path":"a","content":"b"}') };
    expect(observedOf(played(givenOpened(), [write, { registry }]))['verification']).toMatchObject({ state: 'unavailable', after: null });
  });

  it('outdates the evidence of every task unless it only reads', () => {
    const outdates = (sideEffects: SideEffectClass): unknown => observedOf(given([ran('make'), runTool({ sideEffects })]))['outdates'];
    expect((['read_only', 'process', 'destructive'] as const).map(outdates)).toEqual(['nothing', 'session', 'session']);
  });
});

describe('what a reported call is inferred to belong to', () => {
  const plan = played(
    givenOpened(),
    activatePlan({ tasks: [taskPlan('t1', [commandCriterion('c1', 'npm test', null)])] }),
    changeTask('start'),
  );
  const report = ran('npm test', { exitCode: 0, planId: 'p1', acceptance: freeJson('"npm test"') });
  const registry = runTool();
  const inferred = plan
    .when(report, { registry })
    .then(
      { data: { association: { kind: 'inferred', taskId: 't1', basis: 'criterion_args' }, planId: null, taskId: null } },
      { data: { planId: null, taskId: null, outdates: 'session', verification: { state: 'verified' } } },
    );

  it('is not changed by it in any way', () => {
    const tasksOf = ({ events }: GivenSession): unknown => [...(stateAfter(events).plan?.tasks.entries() ?? [])];
    expect(JSON.stringify(tasksOf(inferred))).toBe(JSON.stringify(tasksOf(plan)));
  });

  it('takes no proof from it: not as evidence, not for its very command, not by its name', () => {
    const proof = recordEvidence({ source: { kind: 'receipt', receiptId } });
    for (const criterionId of [null, 'c1']) inferred.when({ ...proof, criterionId }).thenRefused('evidence_unusable');
    expect(codeOf(() => decide(stateAfter(inferred.events), proof, decisionContext()))).toBe('evidence_unusable');
    inferred.when(completeTask({ c1: 'e1' })).thenRefused('completion_unmet');
    inferred.when(completeTask({ c1: receiptId })).thenRefused('completion_unmet');
    const named = played(plan, { ...report, taskId: 't1' });
    named.when(proof).thenRefused('evidence_unusable');
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
