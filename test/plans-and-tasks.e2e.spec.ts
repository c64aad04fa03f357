import type { Page, PlanDocument, ReceiptDocument, TaskReading } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { Planner } from './support/plans.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let approver: Http;
let sessions = 0;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  approver = await running.client('person:approver', ['approver']);
});

afterAll(() => running.stop());

const ok = { status: 'succeeded', exitCode: 0 } as const;
const task = (taskId: string, criteria: readonly object[] = []): object => ({ taskId, title: `do ${taskId}`, criteria });
const plan = (planId: string, ...tasks: readonly object[]): object => ({ planId, title: 'a plan', tasks });
const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });

/** A fresh session with an active plan `p1` of the tasks t1, t2 and t3. */
async function planned(): Promise<{ planner: Planner; agent: Agent }> {
  const agent = new Agent(http, `plans-${String(sessions++)}`);
  await agent.open();
  const planner = new Planner(running, http, agent.sessionId);
  await planner.post('plans', plan('p1', task('t1'), task('t2'), task('t3')));
  return { planner, agent };
}

describe('a Working Plan', () => {
  it('is activated once: the same again adds nothing, other content under its id is a conflict', async () => {
    const { planner } = await planned();
    const again = await planner.idle('plans', plan('p1', task('t1'), task('t2'), task('t3')));
    expect([again.status, again.body.plan]).toMatchObject([200, { planId: 'p1', state: 'active' }]);
    expect(again.body.plan.tasks.map(({ taskId, status }) => [taskId, status])).toEqual(['t1', 't2', 't3'].map((id) => [id, 'pending']));
    expect(await planner.refused('plans', plan('p1', task('t1')))).toEqual([409, 'plan_conflict']);
  });

  it('is superseded by the next one, whose tasks may have the same ids', async () => {
    const { planner } = await planned();
    await planner.post('tasks/t1/start');
    const next = await planner.post('plans', plan('p2', task('t1'), task('t9')));
    expect(next.plan.tasks.map(({ taskId, status }) => [taskId, status])).toEqual([
      ['t1', 'pending'],
      ['t9', 'pending'],
    ]);
    expect(await planner.refused('tasks/t2/start')).toEqual([404, 'not_found']);
    const path = `/v1/sessions/${planner.sessionId}/plans/`;
    expect(await http.call('GET', `${path}p1`, undefined, at(next.position))).toMatchObject({
      state: 'closed',
      closedBecause: 'superseded',
      supersededBy: 'p2',
      tasks: [{ taskId: 't1', status: 'running' }, { taskId: 't2' }, { taskId: 't3' }],
    });
    expect(await http.call('GET', `${path}p2`, undefined, at(next.position))).toMatchObject({ state: 'active', supersedes: 'p1' });
    const old = await planner.idle('plans', plan('p1', task('t1'), task('t2'), task('t3')));
    expect([old.status, old.body.plan.state]).toEqual([200, 'closed']);
  });

  it('that is closed takes no more tasks, and its tasks stay as they are', async () => {
    const { planner } = await planned();
    await planner.post('tasks/t1/start');
    const closed = await planner.post('plans/p1/close', { reason: 'enough' });
    expect(closed.plan.state).toBe('closed');
    expect((await planner.idle('plans/p1/close', { reason: 'again' })).status).toBe(200);
    expect(await planner.refused('tasks', task('t4'))).toEqual([409, 'plan_not_active']);
    expect(await planner.refused('tasks/t1/complete', { acceptance: 'done' })).toEqual([409, 'plan_not_active']);
    expect(await planner.read('t1', closed.position, 'p1')).toMatchObject({ status: 'running', planState: 'closed' });
    expect(await planner.refused('plans/none/close')).toEqual([404, 'not_found']);
    expect(await planner.refused(`plans/${'x'.repeat(200)}/close`)).toEqual([404, 'not_found']);
  });
});

describe('a task', () => {
  it('is added to the active plan once', async () => {
    const { planner } = await planned();
    const body = task('t4', [{ id: 'c1', kind: 'evidence', description: 'a reason' }]);
    const added = await planner.post('tasks', body);
    expect(added.task).toEqual({ planId: 'p1', taskId: 't4', status: 'pending', criteria: [{ id: 'c1', kind: 'evidence', metBy: null }] });
    expect((await planner.idle('tasks', body)).status).toBe(200);
    expect(await planner.refused('tasks', task('t4'))).toEqual([409, 'task_conflict']);
  });

  it.each([
    [['start'], 'running'],
    [['block'], 'blocked'],
    [['start', 'block'], 'blocked'],
    [['start', 'block', 'unblock'], 'pending'],
    [['fail'], 'failed'],
    [['block', 'fail'], 'failed'],
    [['start', 'cancel'], 'cancelled'],
    [['start', 'fail', 'reopen'], 'pending'],
    [['cancel', 'reopen', 'start'], 'running'],
  ])('%j leads to %s, and the last of them again adds nothing', async (changes, status) => {
    const { planner } = await planned();
    const answers = [];
    for (const change of changes) answers.push(await planner.post(`tasks/t1/${change}`, { reason: change }));
    expect(answers.at(-1)?.task.status).toBe(status);
    const again = await planner.idle(`tasks/t1/${changes.at(-1) ?? ''}`, { reason: changes.at(-1) });
    expect([again.status, again.body.task.status]).toEqual([200, status]);
  });

  it.each([
    [[], ['unblock', 'reopen', 'complete']],
    [['start'], ['start', 'unblock', 'reopen']],
    [['block'], ['block', 'start', 'reopen', 'complete']],
    [['fail'], ['start', 'block', 'unblock', 'fail', 'cancel', 'complete']],
    [['cancel'], ['start', 'block', 'unblock', 'fail', 'cancel', 'complete']],
  ])('after %j it takes none of %j', async (changes, refused) => {
    const { planner } = await planned();
    for (const change of changes) await planner.post(`tasks/t1/${change}`, { reason: 'first' });
    for (const change of refused) {
      expect(await planner.refused(`tasks/t1/${change}`, change === 'complete' ? { acceptance: 'x' } : { reason: 'second' })).toEqual([
        409,
        'task_state',
      ]);
    }
  });

  it('without criteria is completed by an explicit acceptance with its reason, and by nothing else', async () => {
    const { planner } = await planned();
    await planner.post('tasks/t1/start');
    const without = await planner.idle('tasks/t1/complete', {});
    expect([without.status, without.body.code, without.body.unmet]).toMatchObject([
      409,
      'completion_unmet',
      [{ criterionId: null, code: 'acceptance_missing' }],
    ]);
    const done = await planner.post('tasks/t1/complete', { acceptance: 'I looked at it' });
    expect(done.task.status).toBe('succeeded');
    expect((await planner.idle('tasks/t1/complete', { acceptance: 'I looked at it' })).status).toBe(200);
    expect(await planner.refused('tasks/t1/complete', { acceptance: 'another reason' })).toEqual([409, 'task_state']);
    expect(await planner.read('t1', done.position)).toMatchObject({ status: 'succeeded', acceptance: { json: '"I looked at it"' } });
    expect((await planner.post('tasks/t1/reopen', { reason: 'not so' })).task.status).toBe('pending');
  });

  it('is moved by no call, whatever the call does', async () => {
    const { planner, agent } = await planned();
    const before = JSON.stringify(await planner.post('tasks/t2/start').then(({ position }) => planner.read('t2', position)));
    const bound = await agent.request('1', 'c', 'write', { path: 't2' }, { taskId: 't1' });
    const { attempt } = await agent.dispatch(bound);
    const done = await agent.report(bound, attempt, ok, 'task t1 and t2 are done');
    expect(await planner.read('t1', done.position)).toMatchObject({
      status: 'pending',
      receiptCount: 1,
      lastReceipts: [{ receiptId: bound.call.receiptId, status: 'succeeded' }],
    });
    expect(JSON.stringify(await planner.read('t2', done.position))).toBe(before);
  });

  it('of another user can be neither seen nor moved', async () => {
    const { planner } = await planned();
    const { position } = await planner.post('tasks/t1/start');
    const other = await running.client('agent:other', ['agent'], { userId: 'u2' });
    for (const [path, body] of [
      ['plans', plan('p9')],
      ['plans/p1/close', {}],
      ['tasks', task('t9')],
      ['tasks/t1/block', {}],
      ['tasks/t1/complete', { acceptance: 'x' }],
      ['evidence', { evidenceId: 'e', taskId: 't1', attestation: {} }],
    ] as const)
      expect(await planner.refused(path, body, other)).toEqual([404, 'not_found']);
    for (const path of [`/v1/sessions/${planner.sessionId}/plans/p1`, `/v1/sessions/${planner.sessionId}/tasks/t1`])
      expect(await other.raw('GET', path, undefined, at(position))).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const path of ['/v1/plans', '/v1/tasks'])
      expect(await other.call<Page<unknown>>('GET', path, undefined, at(position))).toMatchObject({ items: [] });
  });

  it('is moved by approvers in the whole workspace, and by nobody who only reads it', async () => {
    const { planner } = await planned();
    const both = await running.client('agent:both', ['agent', 'auditor'], { userId: 'u2' });
    expect(await planner.refused('tasks/t1/start', {}, both)).toEqual([404, 'not_found']);
    expect(await planner.refused('plans', plan('p9'), both)).toEqual([404, 'not_found']);
    const path = `/v1/sessions/${planner.sessionId}/tasks/t1/start`;
    const started = await approver.call<{ position: string }>('POST', path, { reason: 'go on' });
    expect(await planner.read('t1', started.position)).toMatchObject({ status: 'running', changedBy: 'person:approver' });
  });
});

describe('a call that names a task', () => {
  it('which is not eligible is rejected, and recorded, with one and the same sentence', async () => {
    const { planner, agent } = await planned();
    const { agent: elsewhere, planner: there } = await planned();
    await there.post('tasks', task('only-there'));
    await planner.post('tasks/t1/block');
    await planner.post('tasks/t2/fail');
    const asked = [
      await agent.request('1', 'a', 'write', {}, { taskId: 'nowhere' }),
      await agent.request('1', 'b', 'write', {}, { taskId: 'only-there' }),
      await agent.request('1', 'c', 'write', {}, { taskId: 't1' }),
      await agent.request('1', 'd', 'write', {}, { taskId: 't2' }),
    ];
    for (const { call } of asked) expect(call).toMatchObject({ status: 'rejected', reason: { code: 'task_not_eligible' } });
    expect(new Set(asked.map(({ call }) => JSON.stringify(call.reason))).size).toBe(1);
    expect((await elsewhere.request('1', 'b', 'write', {}, { taskId: 'only-there' })).call.status).toBe('requested');
  });

  const changes: readonly [string, string, (planner: Planner) => Promise<unknown>][] = [
    ['task_not_eligible', 'its task is cancelled', (planner) => planner.post('tasks/t1/cancel')],
    ['task_not_eligible', 'its task is blocked', (planner) => planner.post('tasks/t1/block')],
    ['plan_not_active', 'the plan is superseded by one with the same task ids', (planner) => planner.post('plans', plan('p2', task('t1')))],
    ['plan_not_active', 'the plan is closed', (planner) => planner.post('plans/p1/close')],
  ];
  it.each(changes)('%s at dispatch: while it waited for approval, %s', async (code, _what, change) => {
    const { planner, agent } = await planned();
    const asked = await agent.request('1', 'c', 'write', { n: 1 }, { taskId: 't1', requireApproval: true });
    const id = asked.call.approval?.approvalId ?? '';
    await approver.call('POST', `/v1/approvals/${id}/grant`, { operationId: asked.call.operationId });
    await change(planner);
    const granted = await approver.call<CallAnswer>('GET', `/v1/sessions/${planner.sessionId}/tool-calls/${asked.call.receiptId}`);
    const tasks = async (position: string): Promise<TaskReading[]> => [
      ...(await http.call<Page<TaskReading>>('GET', `/v1/tasks?session=${planner.sessionId}`, undefined, at(position))).items,
    ];
    const before = await tasks(granted.position);
    const { answer } = await agent.dispatch(asked);
    expect(answer.call).toMatchObject({ status: 'rejected', reason: { code }, approval: { state: 'voided' } });
    const after = await tasks(answer.position);
    // But for the state of the call that it names, the task is what it was.
    const strip = (all: TaskReading[]): string => JSON.stringify(all.map(({ lastReceipts: _last, ...rest }) => rest));
    expect(strip(after)).toBe(strip(before));
  });

  it('shows it in its receipt, and one without a task is unassociated', async () => {
    const { agent } = await planned();
    const bound = await agent.request('1', 'a', 'write', { n: 1 }, { taskId: 't1' });
    const free = await agent.request('1', 'b', 'write', { taskId: 't1' });
    const read = (asked: CallAnswer): Promise<ReceiptDocument> =>
      http.call('GET', `/v1/receipts/${asked.call.receiptId}`, undefined, at(free.position));
    expect(await read(bound)).toMatchObject({ association: { kind: 'task', taskId: 't1' }, planId: 'p1', taskId: 't1' });
    expect(await read(free)).toMatchObject({ association: { kind: 'none', taskId: null }, planId: null, taskId: null });
  });
});

describe('lists', () => {
  it('of tasks: by session, plan and status, newest first, page by page', async () => {
    const { planner } = await planned();
    await planner.post('tasks/t2/start');
    const { position } = await planner.post('plans', plan('p2', task('u1')));
    const list = async (query: string): Promise<string[]> => {
      const page = await http.call<Page<TaskReading>>('GET', `/v1/tasks?session=${planner.sessionId}${query}`, undefined, at(position));
      return page.items.map(({ planId, taskId }) => `${planId}/${taskId}`);
    };
    expect((await list('')).sort()).toEqual(['p1/t1', 'p1/t2', 'p1/t3', 'p2/u1']);
    expect(await list('&plan=p2')).toEqual(['p2/u1']);
    expect(await list('&status=running')).toEqual(['p1/t2']);
    const first = await http.call<Page<TaskReading>>('GET', `/v1/tasks?session=${planner.sessionId}&limit=3`, undefined, at(position));
    const path = `/v1/tasks?session=${planner.sessionId}&limit=3&cursor=${first.nextCursor ?? ''}`;
    const rest = await http.call<Page<TaskReading>>('GET', path);
    expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([3, 1, null]);
    const plans = await http.call<Page<PlanDocument>>('GET', `/v1/plans?session=${planner.sessionId}`);
    expect(plans.items.map(({ planId, state }) => [planId, state])).toEqual([
      ['p2', 'active'],
      ['p1', 'closed'],
    ]);
    expect(await http.raw('GET', '/v1/tasks?nothing=1')).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  it('a task without a plan beside it is read in the active one', async () => {
    const { planner } = await planned();
    const { position } = await planner.post('plans', plan('p2', task('t1', [{ id: 'c', kind: 'evidence', description: 'x' }])));
    expect(await planner.read('t1', position)).toMatchObject({ planId: 'p2', planState: 'active' });
    expect(await planner.read('t1', position, 'p1')).toMatchObject({ planId: 'p1', planState: 'closed' });
    for (const path of ['tasks/t2', 'tasks/t1?plan=none', 'plans/none'])
      expect(await http.raw('GET', `/v1/sessions/${planner.sessionId}/${path}`)).toMatchObject({ status: 404 });
  });
});

describe('what a plan cannot be', () => {
  it.each([
    ['two tasks of one id', plan('q', task('t'), task('t')), 422, 'invalid_request'],
    [
      'two criteria of one id',
      plan(
        'q',
        task(
          't',
          [1, 2].map(() => ({ id: 'c', kind: 'evidence', description: '' })),
        ),
      ),
      422,
      'invalid_request',
    ],
    ['a criterion of an unknown kind', plan('q', task('t', [{ id: 'c', kind: 'hope' }])), 422, 'invalid_request'],
    ['201 tasks', plan('q', ...Array.from({ length: 201 }, (_, n) => task(`t${String(n)}`))), 422, 'invalid_request'],
    ['an id that is a secret', plan('ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE'), 422, 'identifier_is_secret'],
    ['an unknown field', { ...plan('q'), steps: [] }, 422, 'invalid_request'],
    ['text that could be read in two ways', '{"planId":"q","planId":"r","tasks":[]}', 400, 'body_anomaly'],
  ])('%s', async (_name, body, status, code) => {
    const { planner } = await planned();
    expect(await planner.refused('plans', body)).toEqual([status, code]);
  });
});
