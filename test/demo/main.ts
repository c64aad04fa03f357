/**
 * `npm run demo`: plays an agent through the HTTP API of the running ledger and prints the receipts that it leaves. It makes its own
 * keys, a session of its own and two tools of the source `demo`, and changes nothing else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, Http, type CallAnswer } from './agent.js';
import { planAndProof } from './plan.js';
import { say, showReceipts, type Receipt } from './show.js';

const url = process.env['COUNTERFOIL_URL'] ?? `http://127.0.0.1:${process.env['COUNTERFOIL_PORT'] ?? '4810'}`;

function adminKey(): string {
  const given = process.env['COUNTERFOIL_API_KEY'];
  if (given !== undefined && given !== '') return given;
  const file = join(process.env['COUNTERFOIL_KEYS'] ?? './data/keys', 'admin.key');
  if (!existsSync(file)) throw new Error(`There is no ${file}: start the ledger with npm start first, or set COUNTERFOIL_API_KEY.`);
  return readFileSync(file, 'utf8').trim();
}

/** The agent gets a key of its own: the admin, who approves here, must be somebody else than the requester (four eyes). */
async function makeAgent(admin: Http, run: string): Promise<Agent> {
  const key = await admin.call<{ secret: string }>('POST', '/v1/keys', {
    principal: `agent:demo-${run}`,
    userId: 'demo',
    roles: ['agent'],
  });
  return new Agent(new Http(url, key.secret), `demo-${run}`);
}

async function main(): Promise<void> {
  const admin = new Http(url, adminKey());
  // Two runs of one name leave the same receipts in two ledgers that have the same keys.
  const run = process.env['COUNTERFOIL_DEMO_RUN'] ?? Date.now().toString(36);
  const agent = await makeAgent(admin, run);
  await agent.open();
  say(`session ${agent.sessionId} is open`);

  await readsAndCommands(agent);
  await approvals(agent, admin);
  await theOddOnes(agent);
  await theLostOne(agent);
  const last = await planAndProof(agent, admin);

  const query = `/v1/receipts?session=${agent.sessionId}&limit=50`;
  const page = await admin.call<{ items: Receipt[] }>('GET', query, undefined, { 'counterfoil-min-position': last.position });
  showReceipts(page.items);
}

async function readsAndCommands(agent: Agent): Promise<void> {
  const ok = { status: 'succeeded' } as const;
  await agent.run('1', 'call_0', 'read_file', { path: 'README.md' }, ok, '# A readme. The words "not found" in it decide nothing.');
  const token = 'FAKE-demo-token-000111222333';
  await agent.run(
    '1',
    'call_1',
    'fetch',
    { url: 'https://example.invalid/', headers: { Authorization: `Bearer ${token}` } },
    ok,
    `sent ${token}`,
  );
  say('two reads; a secret in the arguments is redacted, in the output too');

  await agent.run('2', 'call_0', 'run', { command: 'npm test' }, { status: 'failed', exitCode: 1 }, 'all is ok, says the text');
  await agent.run('2', 'call_1', 'run', { command: 'npm test', cwd: '/w' }, { status: 'succeeded', exitCode: 0 }, 'Error: says the text');
  say('the same call id in another turn is another call; a command that fails and one that passes, whatever their words');
}

async function approvals(agent: Agent, admin: Http): Promise<void> {
  const wanted = { requireApproval: true };
  const deploy = await agent.request('3', 'call_0', 'deploy', { to: 'production' }, wanted);
  const waiting = agent.wait(deploy, 30);
  await decide(admin, deploy, 'grant');
  const granted = await waiting;
  say(`deploy waited for a person and is ${granted.call.status}`);
  const { attempt } = await agent.dispatch(granted);
  await agent.report(granted, attempt, { status: 'succeeded', exitCode: 0 }, 'deployed');

  const drop = await agent.request('3', 'call_1', 'drop_table', { table: 'users' }, wanted);
  await decide(admin, drop, 'deny');
  say(`drop_table is ${(await agent.wait(drop, 5)).call.status}`);

  const mail = await agent.request('3', 'call_2', 'send_mail', { to: 'everyone' }, { ...wanted, approvalExpiresSeconds: 1 });
  const expired = await agent.wait(mail, 10);
  say(`send_mail waited for nobody and is ${expired.call.status}`);

  const second = await agent.request('3', 'call_3', 'send_mail', { to: 'nobody' }, wanted);
  say(`another send_mail is ${(await agent.cancel(second, 'no longer needed')).call.status}`);
}

async function decide(admin: Http, asked: CallAnswer, verdict: 'grant' | 'deny'): Promise<void> {
  const { approval } = asked.call;
  if (approval === null) throw new Error('the call waits for no approval');
  // The approver names the operation that was shown: nothing else can be granted.
  await admin.call('POST', `/v1/approvals/${approval.approvalId}/${verdict}`, { operationId: approval.operationId });
}

async function theOddOnes(agent: Agent): Promise<void> {
  const twice = await agent.run('1', 'call_2', 'read_file', { path: 'README.md' }, { status: 'succeeded' }, '');
  say(`the same operation again in one turn is ${twice.call.status} (${twice.call.reason?.code ?? ''})`);

  // Models write arguments as text, and sometimes the text is cut: the call is recorded as what it was.
  const malformed = await agent.request('4', 'call_0', 'write_file', undefined, {
    argumentsJson: '{"path": "a.txt", "content": "cut off he',
  });
  say(`a call whose arguments are no JSON is ${malformed.call.status} (${malformed.call.reason?.code ?? ''})`);
}

async function theLostOne(agent: Agent): Promise<CallAnswer> {
  const asked = await agent.request('4', 'call_1', 'run', { command: 'sleep infinity' });
  await agent.dispatch(asked, 1);
  const lost = await agent.wait(asked, 15);
  say(`a call that was dispatched and never reported is ${lost.call.status}: neither failed nor succeeded`);
  return lost;
}

main().catch((error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}${cause}\n`);
  process.exitCode = 1;
});
