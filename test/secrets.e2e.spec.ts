import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

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

const secret = (n: number): string => `FAKE${String(n)}tokenQ7xY${String(n)}zW3vU9`;

/** Every byte of the ledger's files but the keys, the log, and what the API shows. */
async function everything(): Promise<string> {
  const files = readdirSync(running.directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map(({ name }) => readFileSync(join(running.directory, name)).toString('latin1'));
  const { position } = await http.call<{ position: string }>('POST', '/v1/sessions', { sessionId: 's-probe' });
  const read = (path: string): Promise<unknown> => http.call('GET', path, undefined, { 'counterfoil-min-position': position });
  const shown = await Promise.all(['/v1/receipts?limit=200', '/v1/tasks', '/v1/plans', '/v1/tools'].map(read));
  return [...bytes, running.log.join('\n'), JSON.stringify(shown)].join('\n');
}

it('a secret that came under a key name stands nowhere, nor where the same call names it in plain', async () => {
  const args = {
    url: `https://u:${secret(1)}@example.invalid/`,
    headers: { 'X-Api-Key': secret(2) },
    body: JSON.stringify({ api_key: secret(3) }),
  };
  const asked = await agent.request('1', 'a', 'fetch', args);
  const { attempt } = await agent.dispatch(asked);
  const message = `the key ${secret(2)} was refused, and so was ${secret(3)} (${secret(1)})`;
  await http.call('POST', `/v1/sessions/s1/tool-calls/${asked.call.receiptId}/result`, {
    attempt,
    outcome: { status: 'failed', exitCode: 1, error: { code: 'refused', message } },
    output: [`Authorization: Bearer ${secret(4)}`, { nested: { deep: [{ password: secret(5) }] } }],
  });
  const all = await everything();
  for (let n = 1; n <= 5; n++) expect(all).not.toContain(secret(n));
});

it('a secret of one call is redacted in the next call of the session', async () => {
  await agent.request('2', 'a', 'login', { password: secret(6) });
  const asked = await agent.request('2', 'b', 'run', { command: `curl -d ${secret(6)} example.invalid` });
  expect(asked.call.status).toBe('requested');
  expect(await everything()).not.toContain(secret(6));
});

it('text that is no JSON, notes, reasons and declared data pass the door too', async () => {
  await agent.request('3', 'a', 'write', undefined, { argumentsJson: `{"token": "${secret(7)}", "content": "cut` });
  const tool = { source: 's', name: 'n', declared: { authorization: `Bearer ${secret(8)}` } };
  await http.call('POST', '/v1/sessions/s1/tool-calls', { callId: 'b', turn: '3', tool, arguments: {} });
  const waiting = await agent.request('3', 'c', 'pay', {}, { requireApproval: true });
  const note = `password=${secret(9)}`;
  await running.admin.call('POST', `/v1/approvals/${waiting.call.approval?.approvalId ?? ''}/deny`, { note });
  const cancelled = await agent.request('3', 'd', 'pay', { n: 1 });
  await agent.cancel(cancelled, `token=${secret(10)}`);
  await http.call('POST', '/v1/sessions', { sessionId: 's2' });
  await http.call('POST', '/v1/sessions/s2/close', { reason: `api_key: ${secret(11)}` });
  const all = await everything();
  for (let n = 7; n <= 11; n++) expect(all).not.toContain(secret(n));
});

it('words of plans and tasks, reasons, evidence and finished calls pass the door too', async () => {
  const criteria = [{ id: 'c1', kind: 'evidence', description: `the password=${secret(20)} works` }];
  const task = { taskId: 't1', title: `token=${secret(21)}`, description: `Authorization: Bearer ${secret(22)}`, criteria };
  await agent.post('plans', { planId: 'p1', title: `api_key=${secret(23)}`, tasks: [task, { taskId: 't2' }] });
  await agent.post('tasks/t1/start', { reason: `password=${secret(24)}` });
  const observation = { path: `https://u:${secret(25)}@example.invalid/`, method: 'look', observer: 'me', exists: true };
  await agent.post('evidence', { evidenceId: 'e1', taskId: 't1', observation });
  const person = await running.client('person:p', ['approver']);
  const attestation = { statement: `I used password=${secret(26)}` };
  await person.call('POST', '/v1/sessions/s1/evidence', { evidenceId: 'e2', taskId: 't1', attestation });
  await agent.post('tasks/t2/start', {});
  await agent.post('tasks/t2/complete', { acceptance: `token=${secret(27)}` });
  const finished = { callId: 'o', turn: '4', tool: { source: 's', name: 'n' }, arguments: { password: secret(28) } };
  await agent.post('observed-calls', { ...finished, outcome: { status: 'failed' }, output: `it was ${secret(28)}` });
  await agent.post('plans/p1/close', { reason: `api_key: ${secret(29)}` });
  const all = await everything();
  for (let n = 20; n <= 29; n++) expect(all).not.toContain(secret(n));
});

it('edited arguments that hold a secret are neither recorded nor echoed', async () => {
  const asked = await agent.request('5', 'a', 'pay', { n: 1 }, { requireApproval: true });
  const path = `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/grant`;
  const edited = { operationId: asked.call.operationId, arguments: { token: secret(30) }, note: `password=${secret(31)}` };
  const answer = await running.admin.raw('POST', path, JSON.stringify(edited));
  expect(answer.status).toBe(409);
  const all = JSON.stringify(answer) + (await everything());
  for (const n of [30, 31]) expect(all).not.toContain(secret(n));
});

it('a tool, its schema and why it was retired hold none', async () => {
  const tool = { source: 's', name: 'tool', inputSchema: { type: 'object', default: { api_key: secret(32) } } };
  const refused = await running.admin.raw('POST', '/v1/tools', JSON.stringify(tool));
  expect(refused.status).toBe(422);
  await running.admin.call('POST', '/v1/tools', { source: 's', name: 'tool' });
  await running.admin.call('POST', '/v1/tools/retire', { source: 's', name: 'tool', reason: `token=${secret(33)}` });
  const all = JSON.stringify(refused) + (await everything());
  for (const n of [32, 33]) expect(all).not.toContain(secret(n));
});

it('what is refused is not echoed, and not logged', async () => {
  const body = JSON.stringify({ sessionId: 's1', [secret(12)]: secret(13) });
  const answer = await http.raw('POST', '/v1/sessions', body);
  const cut = await http.raw('POST', '/v1/sessions', `{"sessionId":"${secret(14)}`);
  const text = JSON.stringify([answer, cut]) + running.log.join('\n');
  for (const n of [13, 14]) expect(text).not.toContain(secret(n));
});
