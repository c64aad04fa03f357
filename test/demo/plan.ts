import { createHash, randomUUID } from 'node:crypto';
import type { Agent, CallAnswer, Http } from './agent.js';
import { say } from './show.js';

const FILES = { source: 'demo', name: 'write_file' };
const SHELL = { source: 'demo', name: 'run' };
const CHECK = { command: 'npm test', cwd: '/w' };

/**
 * The second half of the demo: a plan of three tasks, and what counts as proof. The files are pretended; what an observer would have
 * found is what the agent reports.
 */
export async function planAndProof(agent: Agent, admin: Http): Promise<CallAnswer> {
  await registerTools(admin);
  await activate(agent);
  await writes(agent);
  await byCommand(agent);
  await byStaleEvidence(agent);
  return cancelledWhileItWaited(agent, admin);
}

/** Only what is registered has an effect to be held to: an unregistered tool is destructive, and nothing about it can be verified. */
async function registerTools(admin: Http): Promise<void> {
  await admin.call('POST', '/v1/tools', {
    ...FILES,
    version: '1',
    sideEffects: 'filesystem',
    effect: { kind: 'file_write', path: '/path', content: '/content' },
    inputSchema: {
      type: 'object',
      required: ['path', 'content'],
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      additionalProperties: false,
    },
  });
  await admin.call('POST', '/v1/tools', {
    ...SHELL,
    version: '1',
    sideEffects: 'process',
    effect: { kind: 'command', command: '/command', cwd: '/cwd' },
  });
}

async function activate(agent: Agent): Promise<void> {
  const criteria = [{ id: 'tests', kind: 'command', tool: SHELL, ...CHECK }];
  await agent.post('plans', {
    planId: 'release',
    title: 'Ship it',
    tasks: [
      { taskId: 'fix', title: 'Fix the parser', criteria },
      { taskId: 'docs', title: 'Write it down', criteria },
      { taskId: 'deploy', title: 'Put it out', criteria: [{ id: 'seen', kind: 'attestation', role: 'approver' }] },
    ],
  });
  for (const task of ['fix', 'docs', 'deploy']) await agent.post(`tasks/${task}/start`, {});
  say('a plan of three tasks: fix, docs, deploy');
}

const stateOf = (content: string): object => ({
  exists: true,
  sha256: createHash('sha256').update(content).digest('hex'),
  bytes: Buffer.byteLength(content),
});
const observed = (content: string): object => ({ method: 'content_digest', observer: 'demo', ...stateOf(content) });

async function write(agent: Agent, callId: string, content: string, before: object, found: string): Promise<void> {
  const asked = await agent.request('5', callId, FILES.name, { path: `${callId}.txt`, content }, { tool: FILES, taskId: 'fix' });
  const { attempt } = await agent.dispatch(asked, 60, { before });
  const done = await agent.report(asked, attempt, { status: 'succeeded' }, 'written', { observation: observed(found) });
  const receipt = await agent.receipt(done);
  const change = receipt.verification.change === null ? '' : ` (${receipt.verification.change})`;
  say(`${callId}: the tool says it ${receipt.status}; its effect is ${receipt.verification.state}${change}`);
}

async function writes(agent: Agent): Promise<void> {
  await write(agent, 'a-new-file', 'alpha', { exists: false }, 'alpha');
  await write(agent, 'other-content', 'alpha', { exists: false }, 'something else');
  await write(agent, 'there-before', 'alpha', stateOf('alpha'), 'alpha');
}

/** A command bound to a task, offered as evidence for its criterion. */
async function check(agent: Agent, callId: string, taskId: string, command: string): Promise<string> {
  const asked = await agent.request('6', callId, SHELL.name, { ...CHECK, command }, { tool: SHELL, taskId });
  const { attempt } = await agent.dispatch(asked);
  await agent.report(asked, attempt, { status: 'succeeded', exitCode: 0 }, 'ok');
  const evidenceId = `${callId}-${randomUUID().slice(0, 8)}`;
  await agent.post('evidence', { evidenceId, taskId, receiptId: asked.call.receiptId });
  return evidenceId;
}

async function complete(agent: Agent, taskId: string, evidenceId: string): Promise<string> {
  const body = { met: [{ criterionId: 'tests', evidenceId }] };
  const { status, body: answer } = await agent.try(`tasks/${taskId}/complete`, body);
  if (status === 200) return (answer as { task: { status: string } }).task.status;
  const { code, unmet } = answer as { code: string; unmet?: { code: string }[] };
  return `refused: ${unmet?.map((one) => one.code).join(', ') ?? code}`;
}

async function byCommand(agent: Agent): Promise<void> {
  const lookalike = await check(agent, 'lookalike', 'fix', 'npm test || true');
  say(`fix, with a run of \`npm test || true\`, is ${await complete(agent, 'fix', lookalike)}`);
  const exact = await check(agent, 'exact', 'fix', 'npm test');
  say(`fix, with a run of exactly \`npm test\`, is ${await complete(agent, 'fix', exact)}`);
}

async function byStaleEvidence(agent: Agent): Promise<void> {
  const before = await check(agent, 'too-early', 'docs', 'npm test');
  const edit = await agent.request('6', 'last-edit', FILES.name, { path: 'README.md', content: '#' }, { tool: FILES, taskId: 'docs' });
  const { attempt } = await agent.dispatch(edit);
  await agent.report(edit, attempt, { status: 'succeeded' }, 'written');
  say(`docs, with a test run from before the last edit, is ${await complete(agent, 'docs', before)}`);
}

async function cancelledWhileItWaited(agent: Agent, admin: Http): Promise<CallAnswer> {
  const wanted = { tool: SHELL, taskId: 'deploy', requireApproval: true };
  const asked = await agent.request('7', 'deploy', SHELL.name, { command: 'make deploy', cwd: '/w' }, wanted);
  const { approval } = asked.call;
  if (approval === null) throw new Error('the call waits for no approval');
  await agent.post('tasks/deploy/cancel', { reason: 'not today' });
  await admin.call('POST', `/v1/approvals/${approval.approvalId}/grant`, { operationId: approval.operationId });
  const { answer } = await agent.dispatch(asked);
  say(
    `deploy was cancelled while its call waited: granted all the same, the call is ${answer.call.status} (${answer.call.reason?.code ?? ''})`,
  );
  return answer;
}
