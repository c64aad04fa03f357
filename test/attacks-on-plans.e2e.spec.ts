import { Agent, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

/** Each test is named after what an attacker did to an earlier build. */
let running: RunningLedger;
let http: Http;
let agent: Agent;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

/** Status and code of a refusal that recorded nothing. */
async function refused(path: string, text: string, by: Http = http, method = 'POST'): Promise<[number, string]> {
  const before = await running.events();
  const { status, body } = await by.raw(method, path, text);
  expect(await running.events()).toBe(before);
  return [status, (body as { code: string }).code];
}

const million = `[${'{},'.repeat(1_000_000)}{}]`;

it.each([
  ['POST', '/v1/sessions/s1/plans', `{"planId":"p1","tasks":${million}}`],
  ['POST', '/v1/sessions/s1/plans', `{"planId":${million}}`],
  ['POST', '/v1/sessions/s1/batch', `{"items":${million}}`],
  ['PUT', '/v1/policy', `{"rules":${million}}`],
])('a million empty values were each validated before they were counted: %s %s', async (method, path, text) => {
  const by = path === '/v1/policy' ? running.admin : http;
  expect(await refused(path, text, by, method)).toEqual([400, 'body_too_many_values']);
});

it('what a client declares, and nobody uses, was read at any length', async () => {
  const body = { callId: 'c', turn: '1', tool: { source: 's', name: 'n', declared: 'x'.repeat(70_000) }, arguments: {} };
  expect(await refused('/v1/sessions/s1/tool-calls', JSON.stringify(body))).toEqual([422, 'invalid_request']);
});

it('arguments of a million small values held everybody up; they are recorded as too large', async () => {
  const asked = await agent.request('1', 'many', 'n', undefined, { argumentsJson: `[${'1,'.repeat(300_000)}1]` });
  expect([asked.call.status, asked.call.reason?.code]).toEqual(['rejected', 'arguments_too_large']);
});

it('a plan of ten thousand criteria was weighed for seconds, and then refused as too large', async () => {
  const criteria = Array.from({ length: 50 }, (_, n) => ({ id: `c${String(n)}`, kind: 'evidence', description: 'x' }));
  const tasks = Array.from({ length: 9 }, (_, n) => ({ taskId: `t${String(n)}`, criteria }));
  expect(await refused('/v1/sessions/s1/plans', JSON.stringify({ planId: 'big', tasks }))).toEqual([422, 'invalid_request']);
  const { status } = await http.raw('POST', '/v1/sessions/s1/plans', JSON.stringify({ planId: 'big', tasks: tasks.slice(0, 8) }));
  expect(status).toBe(201);
});

it('a list of criteria that were not met quoted a token', async () => {
  await agent.post('tasks/t0/start', { planId: 'big' });
  const body = { met: [{ criterionId: 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE', evidenceId: 'e' }] };
  const { status, body: answer } = await agent.try('tasks/t0/complete', body);
  expect([status, (answer as { code: string }).code]).toEqual([422, 'identifier_is_secret']);
  expect(JSON.stringify(answer)).not.toContain('FAKE');
});
