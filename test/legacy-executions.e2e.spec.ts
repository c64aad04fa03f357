import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, ReceiptDocument, TaskReading } from '@counterfoil/contracts';
import { createLogger } from '@counterfoil/runtime';
import { startServer } from '../apps/server/src/server.js';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { Planner } from './support/plans.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let key: string;
let http: Http;
let sessions = 0;

const RUN_CMD = { source: 'legacy', name: 'run_cmd', sideEffects: 'process', effect: { kind: 'command', command: '/command' } };
const READ_FILE = { source: 'legacy', name: 'read_file', sideEffects: 'read_only' };

beforeAll(async () => {
  running = await startLedger();
  for (const tool of [RUN_CMD, READ_FILE]) await running.admin.call('POST', '/v1/tools', tool);
  const body = { principal: 'agent:old', roles: ['agent'], userId: 'u1' };
  key = (await running.admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret;
  http = new Http(running.url, key);
});

afterAll(() => running.stop());

/** A session with this plan, if any. */
async function session(...tasks: readonly object[]): Promise<{ readonly id: string; readonly path: string; readonly planner: Planner }> {
  const id = `old-${String(sessions++)}`;
  await new Agent(http, id).open();
  const planner = new Planner(running, http, id);
  if (tasks.length > 0) await planner.post('plans', { planId: 'p1', tasks });
  return { id, path: `/v1/sessions/${id}/legacy-executions`, planner };
}

/** What an old runtime knew of one call, in its own words. */
const execution = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  action: 'bash',
  args: 'npm test',
  result: 'ok',
  success: true,
  authorized: true,
  startedAt: '2026-11-30T13:23:40.917135+00:00',
  completedAt: '2026-11-30T13:23:41+00:00',
  receiptId: 'receipt_fce59981309241ff9415ed04aba87bdf',
  operationId: '6ea7cdb8547174d4abde4b73533424cd',
  exitCode: 0,
  ...more,
});

const reported = (path: string, more: Record<string, unknown> = {}): Promise<CallAnswer> => http.call('POST', path, execution(more));

const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });
const receipt = ({ call, position }: CallAnswer): Promise<ReceiptDocument> =>
  http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, at(position));

/** A request that appends nothing. */
async function idle(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const before = await running.events();
  const answer = await http.raw('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
  expect(await running.events()).toBe(before);
  return answer;
}

const tasksOf = async (id: string, position: string): Promise<string> =>
  JSON.stringify(
    (await http.call<Page<TaskReading>>('GET', `/v1/tasks?session=${id}`, undefined, at(position))).items.map(
      ({ position: _p, ...task }) => task,
    ),
  );

describe('what an old runtime reports', () => {
  it('is recorded once, never as authorised, and shown as its old record said', async () => {
    const { path } = await session();
    const first = await http.raw('POST', path, JSON.stringify(execution({ failure: null, generation: '2' })));
    expect(first).toMatchObject({
      status: 201,
      body: { call: { status: 'succeeded', approval: null, attempt: null, taskId: null }, next: 'stop' },
    });
    const again = await idle(path, execution({ failure: null, generation: '2' }));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await receipt(first.body as CallAnswer)).toMatchObject({
      callId: 'legacy:receipt_fce59981309241ff9415ed04aba87bdf',
      callIdSource: 'legacy',
      turn: 'legacy',
      tool: { source: 'legacy', name: 'run_cmd', sideEffects: 'process' },
      arguments: { json: '{"command":"npm test"}' },
      association: { kind: 'none', taskId: null },
      authorisation: { kind: 'observed', approvalId: null, by: null, recorded: { authorized: true, failure: null } },
      outcome: { status: 'succeeded', exitCode: 0 },
      verification: { state: 'verified', method: 'exit_status' },
      provenance: { kind: 'live' },
    });
  });

  it('gives its old keys back, and no digest over what was sent', async () => {
    const { path } = await session();
    const { call, position } = await reported(path, {
      action: 'write',
      args: 'a.txt|one\ntwo',
      taskId: 'task_1',
      verifiedEffect: 'file exists after write: /a.txt',
    });
    const view = await http.call('GET', `/v1/receipts/${call.receiptId}?view=compat`, undefined, at(position));
    expect(view).toEqual({
      receipt_id: 'receipt_fce59981309241ff9415ed04aba87bdf',
      operation_id: '6ea7cdb8547174d4abde4b73533424cd',
      action: 'write',
      args: 'a.txt|one\ntwo',
      authorized: true,
      started_at: '2026-11-30T13:23:40.917135+00:00',
      completed_at: '2026-11-30T13:23:41+00:00',
      success: true,
      result: 'ok',
      failure: null,
      exit_code: 0,
      verified_effect: 'file exists after write: /a.txt',
      acceptance: null,
      task_id: 'task_1',
      cut: false,
    });
  });

  it('without an old receipt id is known by its content', async () => {
    const { path } = await session();
    const first = await reported(path, { receiptId: null });
    expect((await receipt(first)).callIdSource).toBe('synthetic');
    const unnamed = execution({ receiptId: null });
    expect(await idle(path, unnamed)).toMatchObject({ status: 200, body: { call: { receiptId: first.call.receiptId } } });
    const other = await reported(path, { receiptId: null, completedAt: '2026-11-30T13:23:42+00:00' });
    expect(other.call.receiptId).not.toBe(first.call.receiptId);
  });

  it('is a conflict under the same old receipt id with other content', async () => {
    const { path } = await session();
    await reported(path);
    for (const more of [{ result: 'other' }, { success: false }, { args: 'npm  test' }])
      expect(await idle(path, execution(more))).toMatchObject({ status: 409, body: { code: 'call_conflict' } });
  });

  it.each([
    ['a native call id', { callId: 'call_1' }],
    ['the source of one', { callIdSource: 'native' }],
    ['an old digest', { args_sha256: 'ab'.repeat(32) }],
    ['a class', { sideEffects: 'read_only' }],
    ['no flag', { success: undefined }],
    ['a flag that is none', { success: 'yes' }],
    ['a result that is no text', { result: { text: 'ok' } }],
    ['an action of blanks', { action: '  ' }],
    ['a generation that there never was', { generation: '4' }],
  ])('is refused with %s', async (_what, more) => {
    const { path } = await session();
    expect(await idle(path, execution(more))).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  it('is recorded with arguments of any kind, exactly as they came', async () => {
    const { path } = await session();
    const body = (args: string, receiptId: string): string =>
      `{"action":"read_file","args":${args},"success":null,"receiptId":"${receiptId}"}`;
    const of = async (args: string, id: string): Promise<ReceiptDocument> =>
      receipt((await http.raw('POST', path, body(args, id))).body as CallAnswer);
    expect(await of('{"file_path":"a","n":1.0}', 'r1')).toMatchObject({
      status: 'unknown',
      arguments: { json: '{"path":"a","n":1}' },
      outcome: null,
    });
    const twice = await of('{"a":1,"a":2}', 'r2');
    expect(twice).toMatchObject({ operationId: null, arguments: { json: '{"a":1,"a":2}', anomalies: ['duplicate_key'] } });
    expect(await of('[1,"two"]', 'r3')).toMatchObject({ arguments: { json: '{"args":[1,"two"]}' } });
    expect(await of('null', 'r4')).toMatchObject({ arguments: { json: 'null' } });
    const odd = await http.raw(
      'POST',
      path,
      '{"action":"x","success":false,"result":"\\ud800 \\u0000","verifiedEffect":"\\udc00","receiptId":"r5"}',
    );
    const read = await receipt(odd.body as CallAnswer);
    expect(read.result?.json).toBe('"\\ud800 \\u0000"');
    expect(await http.call('GET', `/v1/receipts/${read.receiptId}?view=compat`)).toMatchObject({
      verified_effect: '\udc00',
      result: '\ud800 \0',
    });
  });

  it('is recorded at any size, cut and marked as cut', async () => {
    const { path } = await session();
    const large = await reported(path, { args: `a.txt|${'x'.repeat(100_000)}`, action: 'write', result: 'ok\n'.repeat(50_000) });
    const view = (call: CallAnswer): Promise<Record<string, unknown>> =>
      http.call('GET', `/v1/receipts/${call.call.receiptId}?view=compat`);
    expect(await receipt(large)).toMatchObject({ arguments: { state: 'cut' }, result: { state: 'cut' } });
    expect(await view(large)).toMatchObject({ receipt_id: execution()['receiptId'], action: 'write', success: true, cut: true });
    // So long that nothing behind it is looked at: the old keys are derived from what is known.
    const huge = await reported(path, { result: 'x'.repeat(2_000_000), args: 'y'.repeat(2_000_000), receiptId: 'r2' });
    expect(await receipt(huge)).toMatchObject({ status: 'succeeded', result: { state: 'cut', bytes: 2_000_002 } });
    expect(await view(huge)).toMatchObject({ action: 'run_cmd', success: true, exit_code: 0, cut: true });
  });

  it('stays out of another user’s session, and of one that is closed', async () => {
    const { id, path } = await session();
    const other = await running.client('agent:other', ['agent'], { userId: 'u2' });
    expect(await other.raw('POST', path, JSON.stringify(execution()))).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await reported(path);
    await http.call('POST', `/v1/sessions/${id}/close`, {});
    expect(await idle(path, execution())).toMatchObject({ status: 200 });
    expect(await idle(path, execution({ receiptId: 'r2' }))).toMatchObject({ status: 409, body: { code: 'session_closed' } });
  });

  it('comes in batches too, each item as over its own route', async () => {
    const { id, path } = await session({ taskId: 't1', contract: { action: 'read_file' } });
    const items = [
      { do: 'legacy', body: execution({ action: 'read_file', args: 'a' }) },
      { do: 'legacy', body: execution({ action: 'read_file', args: { path: 'b' }, receiptId: 'r2' }) },
      { do: 'legacy', body: execution({ callId: 'native' }) },
    ];
    const batch = (): Promise<{ answers: { status: number; body: CallAnswer }[] }> =>
      http.call('POST', `/v1/sessions/${id}/batch`, { items });
    const { answers } = await batch();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 422]);
    expect((await batch()).answers.map(({ status }) => status)).toEqual([200, 200, 422]);
    expect(await idle(path, execution({ action: 'read_file', args: 'a' }))).toMatchObject({
      status: 200,
      body: { call: answers[0]?.body.call },
    });
    expect((await receipt(answers[1]!.body)).association).toEqual({ kind: 'inferred', taskId: 't1', basis: 'contract' });
  });
});

describe('a task that is inferred', () => {
  const contracted = { taskId: 't1', title: 'Test it', contract: { action: 'run_cmd', args: 'npm test' } };
  const checked = {
    taskId: 't2',
    criteria: [{ id: 'c1', kind: 'command', tool: { source: 'legacy', name: 'run_cmd' }, command: 'make lint' }],
  };

  it('is shown with its rule, lists the receipt, and is as it was', async () => {
    const { id, path, planner } = await session(contracted, checked);
    const { position } = await planner.post('tasks/t1/start');
    const before = await tasksOf(id, position);
    const call = await reported(path);
    expect((await receipt(call)).association).toEqual({ kind: 'inferred', taskId: 't1', basis: 'contract_args' });
    const byTask = await http.call<Page<ReceiptDocument>>('GET', `/v1/receipts?session=${id}&task=t1`, undefined, at(call.position));
    expect(byTask.items.map(({ receiptId }) => receiptId)).toEqual([call.call.receiptId]);
    expect(await tasksOf(id, call.position)).toBe(before);
    expect(await planner.read('t1', call.position)).toMatchObject({ status: 'running', receiptCount: 0, lastReceipts: [], evidence: [] });
  });

  it('is neither proven nor completed by a run of its very command', async () => {
    const { path, planner } = await session(contracted, checked);
    await planner.post('tasks/t2/start');
    const run = await reported(path, { args: 'make lint' });
    expect(await receipt(run)).toMatchObject({
      association: { taskId: 't2', basis: 'criterion_args' },
      verification: { state: 'verified' },
    });
    const evidence = { evidenceId: 'e1', taskId: 't2', criterionId: 'c1', receiptId: run.call.receiptId };
    const refused = await planner.idle('evidence', evidence);
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([409, 'evidence_unusable', 'observed']);
    const met = [{ criterionId: 'c1', evidenceId: 'e1' }];
    expect(await planner.refused('tasks/t2/complete', { met })).toEqual([409, 'completion_unmet']);
  });

  it('may have been named, and is none of another session', async () => {
    const { path } = await session({ taskId: 'mine' });
    await session({ taskId: 'theirs' });
    expect((await receipt(await reported(path, { taskId: 'mine', receiptId: 'r1' }))).association).toEqual({
      kind: 'inferred',
      taskId: 'mine',
      basis: 'named',
    });
    const [theirs, nobodys] = [
      await reported(path, { taskId: 'theirs', receiptId: 'r2' }),
      await reported(path, { taskId: 'nobodys', receiptId: 'r3' }),
    ];
    expect([(await receipt(theirs)).association, (await receipt(nobodys)).association]).toEqual([
      { kind: 'none', taskId: null },
      { kind: 'none', taskId: null },
    ]);
  });

  it('loses evidence to a state-changing report, and none to one that only reads', async () => {
    const { planner, path } = await session({ taskId: 't1', criteria: [{ id: 'c1', kind: 'evidence', description: 'seen' }] });
    await planner.post('tasks/t1/start');
    await planner.post('evidence', {
      evidenceId: 'e1',
      taskId: 't1',
      observation: { path: 'a', method: 'look', observer: 'x', exists: true },
    });
    const stale = async ({ position }: CallAnswer): Promise<boolean | undefined> => (await planner.read('t1', position)).evidence[0]?.stale;
    expect(await stale(await reported(path, { action: 'read_file', args: 'a', receiptId: 'r1' }))).toBe(false);
    expect(await stale(await reported(path, { receiptId: 'r2' }))).toBe(true);
  });

  it('follows the order of a plan in words', async () => {
    const { path, planner } = await session(
      { taskId: 't1', description: 'Read the repository' },
      { taskId: 't2', title: 'Write the parser' },
    );
    const associationOf = async (more: Record<string, unknown>): Promise<unknown> =>
      (await receipt(await reported(path, more))).association;
    expect(await associationOf({ action: 'tree', args: '.', receiptId: 'r1' })).toEqual({ kind: 'none', taskId: null });
    expect(await associationOf({ action: 'list_tree', args: '.', receiptId: 'r2' })).toEqual({
      kind: 'inferred',
      taskId: 't1',
      basis: 'ordered_plan',
    });
    expect(await associationOf({ action: 'write', args: 'a|b', receiptId: 'r3' })).toEqual({ kind: 'none', taskId: null });
    await planner.post('tasks/t1/start');
    await planner.post('tasks/t1/complete', { acceptance: 'I read it' });
    expect(await associationOf({ action: 'write', args: 'a|b', receiptId: 'r4' })).toEqual({
      kind: 'inferred',
      taskId: 't2',
      basis: 'ordered_plan',
    });
  });
});

describe('a report that is sent again to another process', () => {
  it('is recognised, with an old receipt id and without', async () => {
    const { path } = await session({ taskId: 't1', contract: { action: 'run_cmd', args: 'npm test' } });
    const [named, unnamed] = [await reported(path), await reported(path, { receiptId: null })];
    const ledger = await running.open();
    const settings = { host: '127.0.0.1', port: 0, bodyLimitBytes: 1024 * 1024, log: 'error' } as const;
    const server = await startServer(
      ledger,
      settings,
      createLogger('error', () => undefined),
    );
    const before = await running.events();
    const after = new Http(server.url, key);
    for (const [answer, receiptId] of [
      [named, execution()['receiptId']],
      [unnamed, null],
    ] as const)
      expect(await after.raw('POST', path, JSON.stringify(execution({ receiptId })))).toMatchObject({
        status: 200,
        body: { call: answer.call },
      });
    expect(await after.raw('POST', path, JSON.stringify(execution({ result: 'x' })))).toMatchObject({ status: 409 });
    expect(await running.events()).toBe(before);
    await server.stop();
    await ledger.close();
  });
});

it('secrets in arguments, results and everything beside them stand nowhere', async () => {
  const { path } = await session();
  const secret = (n: number): string => `FAKE${String(n)}tokenQ7xY${String(n)}zW3vU9`;
  const calls = [
    await reported(path, {
      args: `curl -H "Authorization: Bearer ${secret(1)}" x`,
      result: `api_key=${secret(2)}`,
      verifiedEffect: `password: ${secret(3)}`,
      acceptance: `token=${secret(4)}`,
      operationId: `secret=${secret(5)}`,
      taskId: `password=${secret(6)}`,
    }),
    await reported(path, { receiptId: 'r2', args: { password: secret(7) }, result: `it was ${secret(7)}, and ${secret(1)} before` }),
    await reported(path, { receiptId: null, args: JSON.stringify({ api_key: secret(8) }), result: secret(8) }),
  ];
  const shown = await Promise.all(
    calls.map(async (call) => [await receipt(call), await http.call('GET', `/v1/receipts/${call.call.receiptId}?view=compat`)]),
  );
  const files = readdirSync(running.directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map(({ name }) => readFileSync(join(running.directory, name)).toString('latin1'));
  const all = [...bytes, running.log.join('\n'), JSON.stringify(shown)].join('\n');
  for (let n = 1; n <= 8; n++) expect(all).not.toContain(secret(n));
});

describe('a thousand native calls that the old rules would have matched', () => {
  const scenes = [
    {
      rule: 'contract_args',
      tasks: [{ taskId: 't1', contract: { action: 'run_cmd', args: 'npm test' } }, { taskId: 't2' }],
      action: 'run_cmd',
      args: 'npm test',
    },
    {
      rule: 'contract',
      tasks: [{ taskId: 't1', contract: { action: 'write_file' } }, { taskId: 't2' }],
      action: 'write_file',
      args: 'a.txt|alpha',
    },
    {
      rule: 'criterion_args',
      tasks: [{ taskId: 't1', criteria: [{ id: 'c1', kind: 'command', tool: { source: 'legacy', name: 'run_cmd' }, command: 'make' }] }],
      action: 'run_cmd',
      args: 'make',
    },
    {
      rule: 'ordered_plan',
      tasks: [
        { taskId: 't1', title: 'Run the tests' },
        { taskId: 't2', title: 'Commit' },
      ],
      action: 'run_cmd',
      args: 'npm test',
    },
  ] as const;

  it.each(scenes)('are of no task ($rule)', async ({ rule, tasks, action, args }) => {
    const { id, path, planner } = await session(...tasks);
    const { position } = await planner.post('tasks/t1/start');
    const before = await tasksOf(id, position);
    const tool = { source: 'legacy', name: action };
    const items = Array.from({ length: 250 }, (_, n) => {
      const called = { callId: `c${String(n)}`, turn: `t${String(n)}`, tool, arguments: n % 3 === 0 ? { command: args } : { args } };
      const item =
        n % 2 === 0
          ? { do: 'observe', body: { ...called, outcome: { status: 'succeeded', exitCode: 0 } } }
          : { do: 'request', body: called };
      return [
        item,
        ...(n % 10 === 1
          ? [
              {
                do: 'dispatch',
                call: { turn: called.turn, callId: called.callId },
                body: { attempt: randomUUID(), arguments: called.arguments },
              },
            ]
          : []),
      ];
    }).flat();
    let last = position;
    for (let from = 0; from < items.length; from += 100) {
      const body = { items: items.slice(from, from + 100) };
      const { answers } = await http.call<{ answers: { status: number; body: CallAnswer }[] }>('POST', `/v1/sessions/${id}/batch`, body);
      expect(answers.filter(({ status }) => status >= 400)).toEqual([]);
      last = answers.at(-1)?.body.position ?? last;
    }
    let cursor = '';
    let seen = 0;
    do {
      const page: Page<ReceiptDocument> = await http.call('GET', `/v1/receipts?session=${id}&limit=100${cursor}`, undefined, at(last));
      for (const { association, taskId } of page.items) expect([association, taskId]).toEqual([{ kind: 'none', taskId: null }, null]);
      seen += page.items.length;
      cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== '');
    expect(seen).toBe(250);
    expect(await tasksOf(id, last)).toBe(before);
    // The same over the legacy adapter is put to the task, which shows that the rules would have matched.
    expect((await receipt(await reported(path, { action, args }))).association).toEqual({
      kind: 'inferred',
      taskId: 't1',
      basis: rule,
    });
  });
});
