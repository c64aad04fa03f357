import type { PlanDocument, ReceiptDocument, SessionDocument, TaskReading } from '@counterfoil/contracts';
import { Agent, Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let sessions = 0;

let mine: Http;
/** An agent of another workspace, with the same user id. */
let theirs: Http;

beforeAll(async () => {
  running = await startLedger();
  mine = await running.client('agent:a', ['agent']);
  const made = { principal: 'person:there', roles: ['admin'], workspace: 'elsewhere' };
  const admin = new Http(running.url, (await running.admin.call<{ secret: string }>('POST', '/v1/keys', made)).secret);
  const key = { principal: 'agent:there', roles: ['agent'], userId: 'u1' };
  theirs = new Http(running.url, (await admin.call<{ secret: string }>('POST', '/v1/keys', key)).secret);
});

afterAll(() => running.stop());

/** A session with a plan of these tasks. */
async function planned(http: Http, sessionId: string, ...taskIds: readonly string[]): Promise<Agent> {
  const agent = new Agent(http, sessionId);
  await agent.open();
  await agent.post('plans', { planId: 'p1', tasks: taskIds.map((taskId) => ({ taskId })) });
  return agent;
}

const newId = (): string => `scope-${String(sessions++)}`;

describe('a task that a call names', () => {
  it('is that of the active plan of its own session, when it is pending or running', async () => {
    const agent = await planned(mine, newId(), 't1');
    expect((await agent.request('1', 'c', 'write', {}, { taskId: 't1' })).call.status).toBe('requested');
  });

  /** In each of them a task t1 could be worked on, but for this one thing. */
  const BROKEN: readonly [string, () => Promise<Agent>][] = [
    [
      'is no task of the plan',
      async () => {
        const agent = await planned(mine, newId(), 't1');
        await agent.post('plans', { planId: 'p2', tasks: [{ taskId: 't2' }] });
        return agent;
      },
    ],
    [
      'is neither pending nor running',
      async () => {
        const agent = await planned(mine, newId(), 't1');
        await agent.post('tasks/t1/block', {});
        return agent;
      },
    ],
    [
      'is of another session',
      async () => {
        await planned(mine, newId(), 't1');
        return planned(mine, newId(), 't2');
      },
    ],
    [
      'is of another user',
      async () => {
        await planned(await running.client('agent:b', ['agent'], { userId: 'u2' }), newId(), 't1');
        return planned(mine, newId(), 't2');
      },
    ],
    [
      'is of another workspace, in a session of the same name',
      async () => {
        const sessionId = newId();
        await planned(theirs, sessionId, 't1');
        return planned(mine, sessionId, 't2');
      },
    ],
    ['is nowhere', () => planned(mine, newId(), 't2')],
  ];
  const reasons = new Set<string>();

  it.each(BROKEN)('%s: the call is recorded and rejected, and nothing else happens', async (_what, world) => {
    const agent = await world();
    const before = await running.events();
    const { call, next } = await agent.request('1', 'c', 'write', {}, { taskId: 't1' });
    expect([call.status, call.reason?.code, next]).toEqual(['rejected', 'task_not_eligible', 'stop']);
    expect(await running.events()).toBe(before + 2n);
    reasons.add(JSON.stringify(call.reason));
    // So the answer says nothing of what there is elsewhere.
    expect(reasons.size).toBe(1);
  });
});

describe('the workspace of a call', () => {
  it('is that of its session, plan, task and receipt, and stands in the name of the stream with its evidence', async () => {
    const sessionId = newId();
    const agent = await planned(theirs, sessionId, 't1');
    const done = await agent.request('1', 'c', 'write', { n: 1 }, { taskId: 't1' });
    const { attempt } = await agent.dispatch(done);
    await agent.report(done, attempt, { status: 'succeeded' }, 'yes');
    const evidence = { evidenceId: 'e1', taskId: 't1', receiptId: done.call.receiptId };
    const { position } = (await agent.post('evidence', evidence)) as { position: string };
    const read = <T>(path: string): Promise<T> => theirs.call<T>('GET', path, undefined, { 'counterfoil-min-position': position });
    const [receipt, session, plan, task] = [
      await read<ReceiptDocument>(`/v1/receipts/${done.call.receiptId}`),
      await read<SessionDocument>(`/v1/sessions/${sessionId}`),
      await read<PlanDocument>(`/v1/sessions/${sessionId}/plans/p1`),
      await read<TaskReading>(`/v1/sessions/${sessionId}/tasks/t1`),
    ];
    expect([receipt, session, plan, task].map(({ workspaceId }) => workspaceId)).toEqual(Array(4).fill('elsewhere'));
    expect(task.evidence.map(({ evidenceId, source }) => [evidenceId, source])).toEqual([
      ['e1', { kind: 'receipt', receiptId: receipt.receiptId }],
    ]);
    const types: string[] = [];
    for await (const { type } of running.ledger.store.readStream(`session-elsewhere/${sessionId}`)) types.push(type);
    expect(types).toEqual(expect.arrayContaining(['WorkingPlanActivated', 'ToolCallRequested', 'ToolExecuted', 'EvidenceRecorded']));
  });

  it('comes from the key alone: no request can name one, and no path is one', async () => {
    const agent = await planned(mine, newId(), 't1');
    for (const workspaceId of ['elsewhere', 'default']) {
      const path = `/v1/sessions/${agent.sessionId}/tool-calls`;
      const body = { callId: 'c', turn: '1', tool: { source: 's', name: 'n' }, arguments: {}, workspaceId };
      expect(await mine.raw('POST', path, JSON.stringify(body))).toMatchObject({ status: 422 });
    }
    for (const workspace of ['elsewhere/', '/home/x', '../elsewhere', 'Elsewhere', '']) {
      const key = { principal: 'agent:x', roles: ['agent'], userId: 'u1', workspace };
      expect(await running.admin.raw('POST', '/v1/keys', JSON.stringify(key))).toMatchObject({ status: 422 });
    }
  });
});
