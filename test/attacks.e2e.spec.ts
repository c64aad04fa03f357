import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

/** Each test is named after what an attacker did to an earlier build. */
let running: RunningLedger;
let http: Http;
let agent: Agent;
const calls = '/v1/sessions/s1/tool-calls';

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

const request = (args: string, more = ''): string =>
  `{"callId":"c${String(Math.random())}","turn":"1","tool":{"source":"s","name":"n"},"arguments":${args}${more}}`;

/** Asks the server again and again until the work is done: it must live, and answer, all the time. */
async function answersMeanwhile(work: Promise<unknown>): Promise<void> {
  const state = { done: false };
  const finished = work.finally(() => {
    state.done = true;
  });
  const isDone = (): boolean => state.done;
  while (!isDone()) {
    expect((await fetch(`${running.url}/health/live`)).status).toBe(200);
    await sleep(20);
  }
  await finished;
}

it.each([
  ['a list of environment variables', `[${'"A_TOKEN=x1y2z3w4",'.repeat(800_000)}"B=1"]`],
  ['a list of objects with passwords', `[${'{"password":"x1y2z3w4"},'.repeat(600_000)}1]`],
])('17 MB of %s took the process down: they are recorded as too large', async (_name, args) => {
  let answer: Awaited<ReturnType<Http['raw']>> | undefined;
  await answersMeanwhile(http.raw('POST', calls, request(args)).then((given) => (answer = given)));
  expect([answer?.status, (answer?.body as CallAnswer).call.reason?.code]).toEqual([201, 'arguments_too_large']);
  const output = await agent.request('out', `o${String(args.length)}`, 'run', { n: args.length });
  const { attempt } = await agent.dispatch(output);
  const path = `${calls}/${output.call.receiptId}/result`;
  const reported = await http.raw('POST', path, `{"attempt":"${attempt}","outcome":{"status":"succeeded"},"output":${args}}`);
  expect([reported.status, (reported.body as CallAnswer).call.status]).toEqual([200, 'succeeded']);
});

it('an error answer was as large as its request', async () => {
  const members = Array.from({ length: 15_000 }, (_, n) => `"token=x${String(n)}b":1`).join(',');
  const { status, body } = await http.raw('POST', '/v1/sessions', `{"sessionId":"s9",${members}}`);
  expect(status).toBe(422);
  expect(JSON.stringify(body).length).toBeLessThan(10_000);
});

it('a time with a fraction of 250,000 digits was stored', async () => {
  const { status } = await http.raw('POST', calls, request('{}', `,"occurredAt":"2026-01-01T00:00:00.${'1'.repeat(250_000)}Z"`));
  expect(status).toBe(422);
});

it('a body was read before the key was looked at', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(running.url);
    const socket = connect(Number(port), hostname, () => {
      // The body is announced and never sent: only a server that looks at the key first answers.
      socket.write('POST /v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 17000000\r\n\r\n{');
    });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => {
      resolve(text);
    });
    socket.on('error', reject);
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).toContain('"code":"unauthenticated"');
});

it.each([
  ['a URL that cannot be read', '/v1/sessions/ZqSECRET%'],
  ['an id of 2,000 characters', `/v1/sessions/${'ZqSECRET'.repeat(250)}`],
])('%s was quoted back', async (_name, path) => {
  const answer = await fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${running.adminKey}` } });
  const text = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
  expect(text).not.toContain('ZqSECRET');
});

it('a long-poll told a revoked key what came after', async () => {
  const body = { principal: 'agent:leaver', roles: ['agent'], userId: 'u1' };
  const { secret, keyId } = await running.admin.call<{ secret: string; keyId: string }>('POST', '/v1/keys', body);
  const leaver = new Http(running.url, secret);
  const asked = await new Agent(leaver, 's1').request('poll', 'p', 'pay', {}, { requireApproval: true });
  const waiting = leaver.raw('GET', `${calls}/${asked.call.receiptId}?wait=30s`);
  await sleep(200);
  await running.admin.call('DELETE', `/v1/keys/${keyId}`);
  const { approval } = asked.call;
  await running.admin.call('POST', `/v1/approvals/${approval?.approvalId ?? ''}/grant`, { operationId: approval?.operationId });
  expect((await waiting).status).toBe(401);
});

it('arguments that were hidden whole could be approved', async () => {
  await agent.request('hide', 'a', 'login', { password: 'aaaaaaaaaaaaaaB1' });
  const asked = await agent.request('hide', 'b', 'run', { cmd: `rm -rf /; ${'a'.repeat(30_000)}` }, { requireApproval: true });
  expect([asked.call.status, asked.call.reason?.code]).toEqual(['rejected', 'too_large_to_approve']);
});

it('a password of the same request stood in its call id', async () => {
  const password = 'FAKEsame7xQ9request';
  const body = { callId: password, turn: '1', tool: { source: 's', name: 'n' }, arguments: { password } };
  const { status, body: answer } = await http.raw('POST', calls, JSON.stringify(body));
  expect([status, (answer as { code: string }).code]).toEqual([422, 'identifier_is_secret']);
});

it('an agent that may also read the workspace acted for another user', async () => {
  const both = await running.client('agent:both', ['agent', 'auditor', 'approver'], { userId: 'u2' });
  const asked = await agent.request('other', 'a', 'run', { command: 'x' });
  const call = `${calls}/${asked.call.receiptId}`;
  expect((await both.raw('GET', call)).status).toBe(200);
  for (const [path, body] of [
    [`${call}/cancel`, '{}'],
    [`${call}/dispatch`, `{"attempt":"00000000-0000-4000-8000-000000000000","operationId":"${asked.call.operationId ?? ''}"}`],
    [calls, request('{}')],
    ['/v1/sessions/s1/close', '{}'],
  ] as const) {
    expect([path, (await both.raw('POST', path, body)).status]).toEqual([path, 404]);
  }
});

it('the key id of a new key could be a credential', async () => {
  const body = { keyId: 'AKIAFAKEFAKEFAKE1234', principal: 'person:x', roles: ['auditor'] };
  const { status, body: answer } = await running.admin.raw('POST', '/v1/keys', JSON.stringify(body));
  expect([status, (answer as { code: string }).code]).toEqual([422, 'identifier_is_secret']);
});
