import { createHash, randomUUID } from 'node:crypto';
import type { Role } from '@counterfoil/contracts';
import { digestOf, historicalCopyImported, historicalTaskImported, historicalTransitionImported } from '@counterfoil/testing';
import { ROUTE_ROLES } from '../apps/server/src/http/route-roles.js';
import { Agent, type CallAnswer } from './demo/agent.js';
import { CheckedHttp, DocumentedApi, type ApiDocument } from './support/documented-api.js';
import { EventStreamClient } from './support/event-stream.js';
import { appendRecords } from './support/old-records.js';
import { oldRow } from './support/old-rows.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const ok = { status: 'succeeded', exitCode: 0 } as const;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let running: RunningLedger;
let api: DocumentedApi;
let admin: CheckedHttp;
let http: CheckedHttp;
let approver: CheckedHttp;
let auditor: CheckedHttp;
let auditorKey: string;
let agent: Agent;

async function keyOf(principal: string, roles: readonly Role[]): Promise<string> {
  const userId = roles.includes('agent') ? { userId: 'u1' } : {};
  return (await admin.call<{ secret: string }>('POST', '/v1/keys', { principal, roles, ...userId })).secret;
}

beforeAll(async () => {
  running = await startLedger();
  const response = await fetch(new URL('/openapi.json', running.url));
  api = new DocumentedApi((await response.json()) as ApiDocument);
  admin = new CheckedHttp(api, running.url, running.adminKey);
  http = new CheckedHttp(api, running.url, await keyOf('agent:a', ['agent']));
  approver = new CheckedHttp(api, running.url, await keyOf('person:p', ['approver']));
  auditorKey = await keyOf('person:q', ['auditor']);
  auditor = new CheckedHttp(api, running.url, auditorKey);
  agent = new Agent(http, 's1');
});

afterAll(() => running.stop());

it('is public, and JSON', async () => {
  const response = await fetch(new URL('/openapi.json', running.url));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
});

it('the routes that the server has, those of the table of roles, and those described are the same', () => {
  const described = api.operations.map((operation) => operation.replaceAll(/\{([a-z]+)\}/g, ':$1')).toSorted();
  const live = running.routes().filter((route) => !/^(HEAD|OPTIONS) /.test(route));
  expect(described).toEqual(live.toSorted());
  expect(described).toEqual(Object.keys(ROUTE_ROLES).toSorted());
});

/** Every route answers as it is described: one life after another, then a look at what they left. */
describe('what is answered is what is described', () => {
  afterEach(() => {
    expect(api.faults.splice(0)).toEqual([]);
  });

  it('tools and policy', async () => {
    const tool = { source: 'builtin', name: 'write_file', sideEffects: 'filesystem' };
    const schema = { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: true };
    const effect = { kind: 'file_write', path: '/path', content: '/content' };
    await admin.call('POST', '/v1/tools', { ...tool, inputSchema: schema, effect });
    await admin.call('POST', '/v1/tools', {
      source: 'builtin',
      name: 'run',
      sideEffects: 'process',
      effect: { kind: 'command', command: '/command' },
    });
    await admin.call('POST', '/v1/tools', { source: 'builtin', name: 'old', sideEffects: 'none', successExitCodes: [0, 1] });
    await admin.call('POST', '/v1/tools/retire', { source: 'builtin', name: 'old', reason: 'unused' });
    await admin.call('GET', '/v1/policy');
    const rule = { id: 'r1', match: { source: 'mcp:*' }, then: 'require_approval', expiresSeconds: 60 };
    await admin.call('PUT', '/v1/policy', { rules: [rule], unknownTools: 'allow' });
    await admin.call('GET', '/v1/policy?version=1');
    await auditor.call('GET', '/v1/tools?state=registered&limit=1');
  });

  it('a session with calls of every end', async () => {
    await agent.open();
    await agent.open();
    await agent.run('1', 'written', 'write_file', { path: 'a', content: 'x' }, ok, { text: 'ok' });
    await agent.run('1', 'failed', 'run', { command: 'x' }, { status: 'failed', exitCode: 1, error: { code: 'E1', message: 'no' } }, null);
    await http.call('POST', '/v1/sessions/s1/tool-calls', {
      callId: 'raw',
      turn: '1',
      tool: { source: 'builtin', name: 'run', declared: { any: ['thing'] } },
      argumentsJson: '{"command":"y"',
    });
    const held = await agent.request('1', 'held', 'pay', { n: 1 }, { requireApproval: true });
    await agent.request('1', 'held', 'pay', { n: 1 }, { requireApproval: true });
    await agent.wait(held, 0);
    await agent.cancel(held, 'changed my mind');
    await http.raw('POST', `/v1/sessions/s1/tool-calls/${held.call.receiptId}/dispatch`, '{}');
    const observed = { callId: 'seen', turn: '2', tool: { source: 'builtin', name: 'run' }, arguments: 1, outcome: ok, output: [1] };
    await http.call('POST', '/v1/sessions/s1/observed-calls', observed);
    const legacy = { action: 'bash', args: 'make', result: 'built', success: true, authorized: true, receiptId: 'receipt_1', exitCode: 0 };
    await http.call('POST', '/v1/sessions/s1/legacy-executions', legacy);
  });

  it('a lease that is extended, with a look at what was there before and after', async () => {
    const asked = await agent.request('3', 'long', 'write_file', { path: 'b', content: 'new' });
    const path = `/v1/sessions/s1/tool-calls/${asked.call.receiptId}`;
    const attempt = randomUUID();
    const before = { exists: true, sha256: sha256('old'), bytes: 3 };
    await http.call('POST', `${path}/dispatch`, { attempt, arguments: { path: 'b', content: 'new' }, before, leaseSeconds: 2 });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await http.call('POST', `${path}/heartbeat`, { attempt, leaseSeconds: 30 });
    const observation = { method: 'content_digest', observer: 'runtime', exists: true, sha256: sha256('new'), bytes: 3 };
    const { position } = await http.call<{ position: string }>('POST', `${path}/result`, {
      attempt,
      outcome: ok,
      output: 'x',
      observation,
    });
    expect(
      await auditor.call('GET', `/v1/receipts/${asked.call.receiptId}`, undefined, { 'counterfoil-min-position': position }),
    ).toMatchObject({ outcome: { status: 'succeeded' } });
  });

  it('approvals: granted, with other arguments, denied', async () => {
    const decide = async (callId: string, path: string, more: object): Promise<CallAnswer> => {
      const asked = await agent.request('4', callId, 'pay', { n: 1, callId }, { requireApproval: true });
      await approver.call('GET', `/v1/approvals/${asked.call.approval?.approvalId ?? ''}`, undefined, {
        'counterfoil-min-position': asked.position,
      });
      const body = { operationId: asked.call.operationId, ...more };
      const answer = await approver.call<CallAnswer>('POST', `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/${path}`, body);
      return path === 'deny' ? answer : (await agent.dispatch(answer)).answer;
    };
    await decide('granted', 'grant', { note: 'fine' });
    const amended = await decide('amended', 'grant', { arguments: { n: 2 } });
    expect(amended).toHaveProperty('amendedArguments.json', '{"n":2}');
    await decide('denied', 'deny', { note: 'no' });
    await auditor.call('GET', '/v1/approvals?limit=2');
    await auditor.call('GET', '/v1/approvals?state=pending&expiringWithin=60');
  });

  it('a plan with tasks that are moved and completed, and one that is not', async () => {
    const plan = '/v1/sessions/s1/plans';
    const command = { id: 'c1', kind: 'command', tool: { source: 'builtin', name: 'run' }, command: 'npm test' };
    const criteria = [
      command,
      { id: 'c2', kind: 'evidence', description: 'looked at' },
      { id: 'c3', kind: 'attestation', role: 'approver' },
    ];
    const tasks = [{ taskId: 't1', title: 'One', criteria }, { taskId: 't2' }, { taskId: 't3' }];
    await http.call('POST', plan, { planId: 'p0', tasks: [] });
    await http.call('POST', plan, { planId: 'p1', title: 'The plan', tasks });
    const move = (task: string, how: string): Promise<unknown> =>
      http.call('POST', `/v1/sessions/s1/tasks/${task}/${how}`, { reason: 'because' });
    await http.call('POST', '/v1/sessions/s1/tasks', {
      taskId: 't4',
      criteria: [{ id: 'e', kind: 'effect', path: 'a', sha256: sha256('x') }],
    });
    await move('t2', 'start');
    await move('t2', 'block');
    await move('t2', 'unblock');
    await move('t2', 'cancel');
    await move('t2', 'reopen');
    await move('t3', 'fail');
    await move('t1', 'start');
    const unmet = await http.raw('POST', '/v1/sessions/s1/tasks/t1/complete', '{"met":[]}');
    expect([unmet.status, unmet.body]).toEqual([409, expect.objectContaining({ code: 'completion_unmet' })]);
    const run = await agent.request('5', 'test', 'run', { command: 'npm test' }, { taskId: 't1' });
    const { attempt } = await agent.dispatch(run);
    await agent.report(run, attempt, ok, 'passed');
    const evidence = '/v1/sessions/s1/evidence';
    await http.call('POST', evidence, { evidenceId: 'e1', taskId: 't1', criterionId: 'c1', receiptId: run.call.receiptId });
    const observation = { path: 'a', method: 'look', observer: 'me', exists: true };
    await http.call('POST', evidence, { evidenceId: 'e2', taskId: 't1', criterionId: 'c2', observation });
    await approver.call('POST', evidence, { evidenceId: 'e3', taskId: 't1', criterionId: 'c3', attestation: { statement: 'I saw it' } });
    const met = ['1', '2', '3'].map((n) => ({ criterionId: `c${n}`, evidenceId: `e${n}` }));
    const { position } = await http.call<{ position: string }>('POST', '/v1/sessions/s1/tasks/t1/complete', { met });
    await auditor.call('GET', '/v1/sessions/s1/tasks/t1?plan=p1', undefined, { 'counterfoil-min-position': position });
    await auditor.call('GET', '/v1/tasks?session=s1&status=pending,succeeded');
    await auditor.call('GET', '/v1/sessions/s1/plans/p1');
    await http.call('POST', `${plan}/p1/close`, { reason: 'done' });
    await auditor.call('GET', '/v1/plans?session=s1');
  });

  it('a batch, and lists', async () => {
    const attempt = randomUUID();
    const call = { turn: '6', callId: 'b' };
    const request = { callId: 'b', turn: '6', tool: { source: 'builtin', name: 'pay' }, arguments: { n: 7 } };
    const { answers } = await http.call<{ answers: { body: { position: string } }[] }>('POST', '/v1/sessions/s1/batch', {
      items: [
        { do: 'request', body: request },
        { do: 'dispatch', call, body: { attempt, arguments: { n: 7 } } },
        { do: 'heartbeat', call, body: { attempt } },
        { do: 'result', call, body: { attempt, outcome: ok } },
        { do: 'cancel', call },
        { do: 'observe', body: { callId: 'c', turn: '6', tool: { source: 'builtin', name: 'pay' }, arguments: {}, outcome: ok } },
      ],
    });
    const atLeast = { 'counterfoil-min-position': answers.at(-1)?.body.position ?? '' };
    await auditor.call('GET', '/v1/receipts?session=s1', undefined, atLeast);
    const { items } = await auditor.call<{ items: { receiptId: string }[] }>(
      'GET',
      '/v1/receipts?session=s1&status=succeeded,failed&limit=200',
    );
    for (const { receiptId } of items) {
      await auditor.call('GET', `/v1/receipts/${receiptId}`);
      await auditor.call('GET', `/v1/receipts/${receiptId}?view=compat`);
    }
    await auditor.call('GET', '/v1/sessions');
    await auditor.call('GET', '/v1/sessions/s1');
    await http.call('POST', '/v1/sessions/s1/close', { reason: 'over' });
  });

  it('tasks and copies of old systems', async () => {
    await appendRecords(running.ledger, 'row', [historicalTaskImported(), historicalTaskImported({ contentDigest: digestOf('later') })]);
    await appendRecords(running.ledger, 'change', [historicalTransitionImported()], '2026-08-20T09:00:00Z');
    const min = { 'counterfoil-min-position': await appendRecords(running.ledger, 'copy', [historicalCopyImported()]) };
    await auditor.call('GET', '/v1/tasks?provenance=imported&status=pending', undefined, min);
    expect(await auditor.call('GET', '/v1/imported-tasks/row')).toMatchObject({ versions: 2, transitions: [{ recordKey: 'change' }] });
    await auditor.call('GET', '/v1/receipt-copies?receipt=receipt_0');
  });

  it('imports, and what they put aside', async () => {
    const run = await admin.call<{ importRun: string; position: string }>('POST', '/v1/imports?run=described', { nothing: 1 });
    const answer = await admin.raw('POST', '/v1/imports?run=second', `[${oldRow(1)},${oldRow(1, {}, { args: 'other' })}]`);
    expect([run.importRun, answer.status]).toEqual(['described', 201]);
    const { position } = answer.body as { position: string };
    const at = { 'counterfoil-min-position': position };
    await admin.call('GET', '/v1/imports/described');
    await auditor.call('GET', '/v1/imports?limit=5', undefined, at);
    const { items } = await auditor.call<{ items: unknown[] }>('GET', '/v1/imports/second/quarantined', undefined, at);
    expect(items).toHaveLength(1);
  });

  it('keys, health, and refusals', async () => {
    const { keyId } = await admin.call<{ keyId: string }>('POST', '/v1/keys', { principal: 'person:x', roles: ['auditor'] });
    await admin.call('GET', '/v1/keys');
    await admin.call('DELETE', `/v1/keys/${keyId}`);
    await admin.call('GET', '/health/live');
    await admin.call('GET', '/health/ready');
    await admin.call('GET', '/openapi.json');
    const nobody = new CheckedHttp(api, running.url, 'none');
    for (const operation of api.operations) {
      const [method = '', template = ''] = operation.split(' ');
      // A stream that is let in would not end: this one fits no schema.
      const path = template.replaceAll(/\{[a-z]+\}/g, 'none').replace('/stream', '/stream?types=none');
      const body = ['POST', 'PUT'].includes(method) ? '{"nothing":1}' : undefined;
      for (const client of [nobody, http, admin]) await client.raw(method, path, body);
      await http.raw(method, path, body === undefined ? undefined : '{');
    }
  });

  it('the stream sends documents as they are described', async () => {
    const stream = await EventStreamClient.open(running.url, auditorKey, `?session=s1&from=${running.ledger.token(0n)}`);
    const kinds = new Set<string>();
    const paths: Record<string, string> = { receipt: '/v1/receipts/x', approval: '/v1/approvals/x', task: '/v1/sessions/s1/tasks/x' };
    await stream.until(({ event, document }) => {
      kinds.add(event);
      api.check('GET', paths[event] ?? '', undefined, 200, document);
      return document['callId'] === 'c';
    });
    stream.leave();
    api.answered.add('GET /v1/stream');
    expect([...kinds].toSorted()).toEqual(['approval', 'receipt', 'task']);
  });

  it('every operation that is described was answered here', () => {
    expect(api.operations.filter((operation) => !api.answered.has(operation))).toEqual([]);
  });
});
