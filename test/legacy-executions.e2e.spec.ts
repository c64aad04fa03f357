import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { createLogger } from '@counterfoil/runtime';
import { startServer } from '../apps/server/src/server.js';
import { Http, type CallAnswer } from './demo/agent.js';
import { at, execution, OldRuntime } from './support/old-runtime.js';

let old: OldRuntime;

beforeAll(async () => {
  old = await OldRuntime.start();
});

afterAll(() => old.running.stop());

describe('what an old runtime reports', () => {
  it('is recorded once, never as authorised, and shown as its old record said', async () => {
    const { path } = await old.session();
    const first = await old.http.raw('POST', path, JSON.stringify(execution({ failure: null, generation: '2' })));
    expect(first).toMatchObject({
      status: 201,
      body: { call: { status: 'succeeded', approval: null, attempt: null, taskId: null }, next: 'stop' },
    });
    const again = await old.idle(path, execution({ failure: null, generation: '2' }));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await old.receipt(first.body as CallAnswer)).toMatchObject({
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
    const { path } = await old.session();
    const { call, position } = await old.reported(path, {
      action: 'write',
      args: 'a.txt|one\ntwo',
      taskId: 'task_1',
      verifiedEffect: 'file exists after write: /a.txt',
    });
    const view = await old.http.call('GET', `/v1/receipts/${call.receiptId}?view=compat`, undefined, at(position));
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
    const { path } = await old.session();
    const first = await old.reported(path, { receiptId: null });
    expect((await old.receipt(first)).callIdSource).toBe('synthetic');
    const unnamed = execution({ receiptId: null });
    expect(await old.idle(path, unnamed)).toMatchObject({ status: 200, body: { call: { receiptId: first.call.receiptId } } });
    const other = await old.reported(path, { receiptId: null, completedAt: '2026-11-30T13:23:42+00:00' });
    expect(other.call.receiptId).not.toBe(first.call.receiptId);
  });

  it('is a conflict under the same old receipt id with other content', async () => {
    const { path } = await old.session();
    await old.reported(path);
    for (const more of [{ result: 'other' }, { success: false }, { args: 'npm  test' }])
      expect(await old.idle(path, execution(more))).toMatchObject({ status: 409, body: { code: 'call_conflict' } });
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
    const { path } = await old.session();
    expect(await old.idle(path, execution(more))).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  it('is recorded with arguments of any kind, exactly as they came', async () => {
    const { path } = await old.session();
    const body = (args: string, receiptId: string): string =>
      `{"action":"read_file","args":${args},"success":null,"receiptId":"${receiptId}"}`;
    const of = async (args: string, id: string): Promise<ReceiptDocument> =>
      old.receipt((await old.http.raw('POST', path, body(args, id))).body as CallAnswer);
    expect(await of('{"file_path":"a","n":1.0}', 'r1')).toMatchObject({
      status: 'unknown',
      arguments: { json: '{"path":"a","n":1}' },
      outcome: null,
    });
    const twice = await of('{"a":1,"a":2}', 'r2');
    expect(twice).toMatchObject({ operationId: null, arguments: { json: '{"a":1,"a":2}', anomalies: ['duplicate_key'] } });
    expect(await of('[1,"two"]', 'r3')).toMatchObject({ arguments: { json: '{"args":[1,"two"]}' } });
    expect(await of('null', 'r4')).toMatchObject({ arguments: { json: 'null' } });
    const odd = await old.http.raw(
      'POST',
      path,
      '{"action":"x","success":false,"result":"\\ud800 \\u0000","verifiedEffect":"\\udc00","receiptId":"r5"}',
    );
    const read = await old.receipt(odd.body as CallAnswer);
    expect(read.result?.json).toBe('"\\ud800 \\u0000"');
    expect(await old.http.call('GET', `/v1/receipts/${read.receiptId}?view=compat`)).toMatchObject({
      verified_effect: '\udc00',
      result: '\ud800 \0',
    });
  });

  it('is recorded at any size, cut and marked as cut', async () => {
    const { path } = await old.session();
    const large = await old.reported(path, { args: `a.txt|${'x'.repeat(100_000)}`, action: 'write', result: 'ok\n'.repeat(50_000) });
    const view = (call: CallAnswer): Promise<Record<string, unknown>> =>
      old.http.call('GET', `/v1/receipts/${call.call.receiptId}?view=compat`);
    expect(await old.receipt(large)).toMatchObject({ arguments: { state: 'cut' }, result: { state: 'cut' } });
    expect(await view(large)).toMatchObject({ receipt_id: execution()['receiptId'], action: 'write', success: true, cut: true });
    // So long that nothing behind it is looked at: the old keys are derived from what is known.
    const huge = await old.reported(path, { result: 'x'.repeat(2_000_000), args: 'y'.repeat(2_000_000), receiptId: 'r2' });
    expect(await old.receipt(huge)).toMatchObject({ status: 'succeeded', result: { state: 'cut', bytes: 2_000_002 } });
    expect(await view(huge)).toMatchObject({ action: 'run_cmd', success: true, exit_code: 0, cut: true });
  });

  it('stays out of another user’s session, and of one that is closed', async () => {
    const { id, path } = await old.session();
    const other = await old.running.client('agent:other', ['agent'], { userId: 'u2' });
    expect(await other.raw('POST', path, JSON.stringify(execution()))).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await old.reported(path);
    await old.http.call('POST', `/v1/sessions/${id}/close`, {});
    expect(await old.idle(path, execution())).toMatchObject({ status: 200 });
    expect(await old.idle(path, execution({ receiptId: 'r2' }))).toMatchObject({ status: 409, body: { code: 'session_closed' } });
  });

  it('comes in batches too, each item as over its own route', async () => {
    const { id, path } = await old.session({ taskId: 't1', contract: { action: 'read_file' } });
    const items = [
      { do: 'legacy', body: execution({ action: 'read_file', args: 'a' }) },
      { do: 'legacy', body: execution({ action: 'read_file', args: { path: 'b' }, receiptId: 'r2' }) },
      { do: 'legacy', body: execution({ callId: 'native' }) },
    ];
    const batch = (): Promise<{ answers: { status: number; body: CallAnswer }[] }> =>
      old.http.call('POST', `/v1/sessions/${id}/batch`, { items });
    const { answers } = await batch();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 422]);
    expect((await batch()).answers.map(({ status }) => status)).toEqual([200, 200, 422]);
    expect(await old.idle(path, execution({ action: 'read_file', args: 'a' }))).toMatchObject({
      status: 200,
      body: { call: answers[0]?.body.call },
    });
    expect((await old.receipt(answers[1]!.body)).association).toEqual({ kind: 'inferred', taskId: 't1', basis: 'contract' });
  });
});

describe('a report that is sent again to another process', () => {
  it('is recognised, with an old receipt id and without', async () => {
    const { path } = await old.session({ taskId: 't1', contract: { action: 'run_cmd', args: 'npm test' } });
    const [named, unnamed] = [await old.reported(path), await old.reported(path, { receiptId: null })];
    const ledger = await old.running.open();
    const settings = { host: '127.0.0.1', port: 0, bodyLimitBytes: 1024 * 1024, log: 'error' } as const;
    const server = await startServer(
      ledger,
      settings,
      createLogger('error', () => undefined),
    );
    const before = await old.running.events();
    const after = new Http(server.url, old.key);
    for (const [answer, receiptId] of [
      [named, execution()['receiptId']],
      [unnamed, null],
    ] as const)
      expect(await after.raw('POST', path, JSON.stringify(execution({ receiptId })))).toMatchObject({
        status: 200,
        body: { call: answer.call },
      });
    expect(await after.raw('POST', path, JSON.stringify(execution({ result: 'x' })))).toMatchObject({ status: 409 });
    expect(await old.running.events()).toBe(before);
    await server.stop();
    await ledger.close();
  });
});

it('secrets in arguments, results and everything beside them stand nowhere', async () => {
  const { path } = await old.session();
  const secret = (n: number): string => `FAKE${String(n)}tokenQ7xY${String(n)}zW3vU9`;
  const calls = [
    await old.reported(path, {
      args: `curl -H "Authorization: Bearer ${secret(1)}" x`,
      result: `api_key=${secret(2)}`,
      verifiedEffect: `password: ${secret(3)}`,
      acceptance: `token=${secret(4)}`,
      operationId: `secret=${secret(5)}`,
      taskId: `password=${secret(6)}`,
    }),
    await old.reported(path, { receiptId: 'r2', args: { password: secret(7) }, result: `it was ${secret(7)}, and ${secret(1)} before` }),
    await old.reported(path, { receiptId: null, args: JSON.stringify({ api_key: secret(8) }), result: secret(8) }),
  ];
  const shown = await Promise.all(
    calls.map(async (call) => [await old.receipt(call), await old.http.call('GET', `/v1/receipts/${call.call.receiptId}?view=compat`)]),
  );
  const files = readdirSync(old.running.directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map(({ name }) => readFileSync(join(old.running.directory, name)).toString('latin1'));
  const all = [...bytes, old.running.log.join('\n'), JSON.stringify(shown)].join('\n');
  for (let n = 1; n <= 8; n++) expect(all).not.toContain(secret(n));
});
