import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyLedger, openEventStore } from '@counterfoil/ledger';
import { ROUTE_ROLES } from '../apps/server/src/http/route-roles.js';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { oldRows } from './support/old-rows.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

/** A server looks at most once a second whether its ledger has ended, where the store doesn't refuse by itself. */
const SEEN_AFTER_MS = 1500;

/** Half of it is waited for; in the other half everything is to be sent. */
const LEASE_SECONDS = 20;

interface Command {
  readonly path: string;
  readonly body: unknown;
  /** By whom, where not by the agent. */
  readonly by?: 'admin' | 'approver' | 'importer';
  readonly text?: string;
}

interface Scene {
  readonly running: RunningLedger;
  readonly clients: Readonly<Record<'agent' | 'admin' | 'approver' | 'importer', Http>>;
  /** One for each route that records something, each of which a ledger that goes on would take. */
  readonly commands: Readonly<Record<string, Command>>;
}

const scenes: Scene[] = [];
afterAll(() => Promise.all(scenes.map(({ running }) => running.stop())));

async function scene(): Promise<Scene> {
  const running = await startLedger();
  const clients = {
    agent: await running.client('agent:a', ['agent']),
    admin: running.admin,
    approver: await running.client('person:p', ['approver']),
    importer: await running.client('service:i', ['importer']),
  };
  const commands = await prepared(running, clients.agent);
  const made = { running, clients, commands };
  scenes.push(made);
  return made;
}

const s1 = '/v1/sessions/s1';
const tool = { source: 'builtin', name: 'look' };
const ok = { status: 'succeeded', exitCode: 0 } as const;

async function prepared(running: RunningLedger, http: Http): Promise<Scene['commands']> {
  const agent = new Agent(http, 's1');
  await agent.open();
  await new Agent(http, 's2').open();
  await running.admin.call('POST', '/v1/tools', { source: 'builtin', name: 'old' });
  const tasks = ['start', 'block', 'unblock', 'complete', 'fail', 'cancel', 'reopen'].map((taskId) => ({ taskId }));
  await agent.post('plans', { planId: 'p1', tasks });
  const move = (task: string, ...hows: readonly string[]): Promise<unknown[]> =>
    Promise.all(hows.map((how) => agent.post(`tasks/${task}/${how}`, { reason: 'because' })));
  for (const task of ['block', 'unblock', 'complete', 'fail']) await move(task, 'start');
  await move('unblock', 'block');
  await move('reopen', 'cancel');
  const asked = (name: string, more = {}): Promise<CallAnswer> => agent.request('1', name, 'look', { name }, more);
  const dispatched = async (name: string): Promise<{ readonly id: string; readonly attempt: string }> => {
    const call = await asked(name);
    return { id: call.call.receiptId, attempt: (await agent.dispatch(call, LEASE_SECONDS)).attempt };
  };
  const [grant, deny] = [await asked('grant', { requireApproval: true }), await asked('deny', { requireApproval: true })];
  const [dispatch, cancel] = [await asked('dispatch'), await asked('cancel')];
  const [result, heartbeat] = [await dispatched('result'), await dispatched('heartbeat')];
  const key = await running.admin.call<{ keyId: string }>('POST', '/v1/keys', { principal: 'person:gone', roles: ['auditor'] });
  // A lease is extended at most once per half of it.
  await sleep((LEASE_SECONDS * 1000) / 2 + 200);
  const approval = ({ call }: CallAnswer, how: string): Command => ({
    path: `/v1/approvals/${call.approval?.approvalId ?? ''}/${how}`,
    body: { operationId: call.operationId },
    by: 'approver',
  });
  const task = (how: string, body: object = { reason: 'because' }): Command => ({ path: `${s1}/tasks/${how}/${how}`, body });
  const call = (id: string, how: string, body: object): Command => ({ path: `${s1}/tool-calls/${id}/${how}`, body });
  const fresh = (callId: string): object => ({ callId, turn: '2', tool, arguments: { callId } });
  return {
    'POST /v1/sessions': { path: '/v1/sessions', body: { sessionId: 'new', agent: 'a' } },
    'POST /v1/sessions/:s/tool-calls': { path: `${s1}/tool-calls`, body: fresh('new') },
    'POST /v1/sessions/:s/tool-calls/:id/dispatch': call(dispatch.call.receiptId, 'dispatch', {
      attempt: randomUUID(),
      operationId: dispatch.call.operationId,
      leaseSeconds: 60,
    }),
    'POST /v1/sessions/:s/tool-calls/:id/result': call(result.id, 'result', { attempt: result.attempt, outcome: ok }),
    'POST /v1/sessions/:s/tool-calls/:id/cancel': call(cancel.call.receiptId, 'cancel', { reason: 'not needed' }),
    'POST /v1/sessions/:s/tool-calls/:id/heartbeat': call(heartbeat.id, 'heartbeat', { attempt: heartbeat.attempt, leaseSeconds: 60 }),
    'POST /v1/sessions/:s/observed-calls': { path: `${s1}/observed-calls`, body: { ...fresh('observed'), outcome: ok } },
    'POST /v1/sessions/:s/legacy-executions': { path: `${s1}/legacy-executions`, body: { action: 'look', args: 'a', success: true } },
    'POST /v1/sessions/:s/batch': { path: `${s1}/batch`, body: { items: [{ do: 'request', body: fresh('batch') }] } },
    'POST /v1/sessions/:s/evidence': {
      path: `${s1}/evidence`,
      body: { evidenceId: 'e1', taskId: 'complete', observation: { path: 'a', method: 'look', observer: 'me', exists: true } },
    },
    'POST /v1/sessions/:s/tasks': { path: `${s1}/tasks`, body: { taskId: 'new' } },
    'POST /v1/sessions/:s/tasks/:t/start': task('start'),
    'POST /v1/sessions/:s/tasks/:t/block': task('block'),
    'POST /v1/sessions/:s/tasks/:t/unblock': task('unblock'),
    'POST /v1/sessions/:s/tasks/:t/complete': task('complete', { met: [], acceptance: 'it is done' }),
    'POST /v1/sessions/:s/tasks/:t/fail': task('fail'),
    'POST /v1/sessions/:s/tasks/:t/cancel': task('cancel'),
    'POST /v1/sessions/:s/tasks/:t/reopen': task('reopen'),
    'POST /v1/sessions/:s/plans/:p/close': { path: `${s1}/plans/p1/close`, body: { reason: 'done' } },
    'POST /v1/sessions/:s/plans': { path: `${s1}/plans`, body: { planId: 'p2', tasks: [] } },
    'POST /v1/approvals/:id/grant': approval(grant, 'grant'),
    'POST /v1/approvals/:id/deny': approval(deny, 'deny'),
    'POST /v1/sessions/:s/close': { path: '/v1/sessions/s2/close', body: {} },
    'POST /v1/tools': { path: '/v1/tools', body: { source: 'builtin', name: 'new' }, by: 'admin' },
    'POST /v1/tools/retire': { path: '/v1/tools/retire', body: { source: 'builtin', name: 'old' }, by: 'admin' },
    'PUT /v1/policy': { path: '/v1/policy', body: { rules: [], unknownTools: 'refuse' }, by: 'admin' },
    'POST /v1/imports': { path: '/v1/imports', body: null, text: oldRows(0, 2), by: 'importer' },
    'POST /v1/keys': { path: '/v1/keys', body: { principal: 'person:new', roles: ['auditor'] }, by: 'admin' },
    'DELETE /v1/keys/:id': { path: `/v1/keys/${key.keyId}`, body: undefined, by: 'admin' },
  };
}

/** A batch answers for each of its items. */
async function send({ clients, commands }: Scene, route: string): Promise<{ status: number; body: unknown }> {
  const { path, body, text, by = 'agent' } = commands[route] as Command;
  const method = route.split(' ')[0] ?? '';
  const answer = await clients[by].raw(method, path, text ?? (body === undefined ? undefined : JSON.stringify(body)));
  return route.endsWith('/batch') && answer.status === 200
    ? ((answer.body as { answers: { status: number; body: unknown }[] }).answers[0] ?? answer)
    : answer;
}

async function moveAway({ ledger, directory }: RunningLedger): Promise<void> {
  const target = await openEventStore({ kind: 'sqlite', file: join(directory, 'moved.db') });
  expect(await copyLedger(ledger.store, target, { seal: true, sealGraceMs: 0 })).toMatchObject({ ok: true, sealed: true });
  await target.close();
}

const recording = Object.keys(ROUTE_ROLES).filter((route) => !route.startsWith('GET '));

describe('a ledger that has ended', () => {
  it('takes no command of any route, each of which one that goes on takes', async () => {
    const [goingOn, ended] = await Promise.all([scene(), scene()]);
    expect(Object.keys(goingOn.commands).sort()).toEqual(recording.toSorted());
    const taken: unknown[] = [];
    for (const route of Object.keys(goingOn.commands)) taken.push([route, (await send(goingOn, route)).status < 300]);
    expect(taken).toEqual(Object.keys(goingOn.commands).map((route) => [route, true]));

    await moveAway(ended.running);
    await sleep(SEEN_AFTER_MS);
    const events = await ended.running.events();
    for (const route of recording) {
      const { status, body } = await send(ended, route);
      expect([route, status, body]).toEqual([route, 409, expect.objectContaining({ code: 'ledger_sealed', retryable: false })]);
    }
    expect(await ended.running.events()).toBe(events);
  }, 120_000);
});
