import { TaskStatus, type TaskReading } from '@counterfoil/contracts';
import { manyPlans, projectedCollection } from '@counterfoil/testing';
import { plansProjection } from '../plans/projection.js';
import type { Collection } from '../port.js';
import { receiptsProjection } from '../receipts/projection.js';
import { sessionsProjection } from '../sessions/projection.js';
import type { ReadScope } from '../shared/scope.js';
import { TaskListQuery } from './list-query.js';
import { tasksProjection } from './projection.js';
import { findTasks, planTasks, readTask, splitTaskQuery, type TaskFilters, type TaskSources } from './queries.js';

const { events } = manyPlans(90);
const sources: TaskSources = {
  tasks: projectedCollection(tasksProjection, events),
  plans: projectedCollection(plansProjection, events),
  sessions: projectedCollection(sessionsProjection, events),
  receipts: projectedCollection(receiptsProjection, events),
};
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u1' };

async function pages(filters: TaskFilters, scope = WORKSPACE, limit = 7): Promise<readonly TaskReading[]> {
  const all: TaskReading[] = [];
  let cursor: string | undefined;
  do {
    const page = await findTasks(sources, scope, filters, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const nameOf = (task: TaskReading): string => [task.workspaceId, task.sessionId, task.planId, task.taskId].join('/');

describe('findTasks', () => {
  it('lists the tasks of a workspace, the last added first, each once', async () => {
    const stored: { readonly name: string; readonly at: number }[] = [];
    for await (const { id, doc } of sources.tasks.scan()) {
      if (doc?.workspaceId === 'w1') stored.push({ name: id, at: Number(doc.addedPosition) });
    }
    const expected = stored.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1)).map(({ name }) => name);
    expect(expected.length).toBeGreaterThan(150);
    expect((await pages({})).map(nameOf)).toEqual(expected);
  });

  it.each([
    { session: 's1' },
    { session: 's1', plan: 'p3' },
    { plan: 'p2' },
    { plan: 'none' },
    { status: ['running'] },
    { status: ['failed', 'pending', 'blocked'] },
    { status: ['running', 'cancelled'], session: 's4' },
    { status: [...TaskStatus.options], plan: 'p3' },
  ] as readonly TaskFilters[])('lists those that %j asks for', async (filters) => {
    const { session, plan, status } = filters;
    for (const scope of [WORKSPACE, USER]) {
      const expected = (await pages({}, scope)).filter(
        (task) =>
          (session === undefined || task.sessionId === session) &&
          (plan === undefined || task.planId === plan) &&
          (status === undefined || status.includes(task.status)),
      );
      if (scope === WORKSPACE) expect(expected.length > 0).toBe(plan !== 'none');
      expect(await pages(filters, scope)).toEqual(expected);
    }
  });

  it("shows a single user the tasks of its own sessions, and nobody else's", async () => {
    const all = await pages({});
    expect(await pages({}, USER)).toEqual(all.filter((task) => task.userId === 'u1'));
    expect(await pages({}, { workspaceId: 'w1', userId: 'u9' })).toEqual([]);
    expect(await pages({ session: 's0' }, USER)).toEqual([]);
    expect(new Set((await pages({}, { workspaceId: 'w2', userId: null })).map((task) => task.workspaceId))).toEqual(new Set(['w2']));
  });

  it('joins the state of the plan, the staleness of evidence and the states of the last calls', async () => {
    const running = await pages({ status: ['running'] });
    const [fresh, stale] = [running.filter(isFresh), running.filter((task) => !isFresh(task))];
    expect(fresh.length).toBeGreaterThan(5);
    expect(stale.length).toBeGreaterThan(5);
    for (const task of running) {
      expect(task.lastReceipts).toMatchObject([{ status: 'succeeded' }]);
      const session = (await sources.sessions.get(`w1/${task.sessionId}`))?.doc;
      const [evidence] = task.evidence;
      expect(isFresh(task)).toBe(Number(evidence?.since) >= Number(session?.outdatedAt ?? -1));
      const plan = (await sources.plans.get(`w1/${task.sessionId}/${task.planId}`))?.doc;
      expect(task.planState).toBe(plan?.state);
    }
    expect(new Set(running.map((task) => task.planState))).toEqual(new Set(['active', 'closed']));
  });

  it('looks each kind of document up at once, however many tasks a page has', async () => {
    const asked: string[] = [];
    const counting = Object.fromEntries(
      Object.entries(sources as unknown as Record<string, Collection<unknown>>).map(([name, collection]) => [
        name,
        {
          ...collection,
          get: (id: string) => (asked.push(`get ${name}`), collection.get(id)),
          getMany: (ids: readonly string[]) => (asked.push(`getMany ${name}`), collection.getMany(ids)),
          find: (query: Parameters<typeof collection.find>[0]) => (asked.push(`find ${name}`), collection.find(query)),
        },
      ]),
    ) as unknown as TaskSources;
    const { items } = await findTasks(counting, WORKSPACE, {}, { limit: 200 });
    expect(items.flatMap((task) => task.lastReceipts).length).toBeGreaterThan(10);
    expect(asked.sort()).toEqual(['find tasks', 'getMany plans', 'getMany receipts', 'getMany sessions']);
  });

  it('takes a cursor only with its filters and scope', async () => {
    const filters: TaskFilters = { status: ['pending', 'running'] };
    const { nextCursor } = await findTasks(sources, WORKSPACE, filters, { limit: 2 });
    const reading = (scope: ReadScope, other: TaskFilters): Promise<unknown> =>
      findTasks(sources, scope, other, { cursor: nextCursor ?? '' });
    await expect(reading(WORKSPACE, { status: ['running', 'pending'] })).resolves.toMatchObject({ items: expect.any(Array) as unknown });
    await expect(reading(WORKSPACE, {})).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading(WORKSPACE, { ...filters, plan: 'p1' })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading(USER, filters)).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });

  it.each([
    [WORKSPACE, {}, 'by_position'],
    [USER, {}, 'by_user'],
    [USER, { session: 's1' }, 'by_session'],
    [WORKSPACE, { session: 's1', plan: 'p1', status: ['running'] }, 'by_session_plan'],
    [WORKSPACE, { plan: 'p1', status: ['running'] }, 'by_plan'],
    [USER, { status: ['running'] }, 'by_user'],
    [WORKSPACE, { status: ['running', 'failed'] }, 'by_status'],
  ] as const)('reads (%j) %j by %s', (scope, filters, index) => {
    expect(planTasks(scope, filters).index).toBe(index);
  });
});

const isFresh = (task: TaskReading): boolean => task.evidence.every(({ stale }) => !stale);

describe('readTask', () => {
  it('gives a task of its scope alone, as lists do', async () => {
    const [some] = await pages({ status: ['running'], session: 's1' });
    if (some === undefined) throw new Error('there is no task');
    expect(await readTask(sources, WORKSPACE, some)).toEqual(some);
    expect(await readTask(sources, { workspaceId: 'w1', userId: some.userId }, some)).toEqual(some);
    expect(await readTask(sources, { workspaceId: 'w1', userId: 'u9' }, some)).toBeNull();
    expect(await readTask(sources, { workspaceId: 'w3', userId: null }, some)).toBeNull();
    expect(await readTask(sources, WORKSPACE, { ...some, taskId: 'none' })).toBeNull();
  });
});

describe('the query string of tasks', () => {
  it('becomes filters and a page', () => {
    const query = TaskListQuery.parse({ session: 's1', plan: 'p1', status: 'running,failed,running', limit: '5' });
    expect(splitTaskQuery(query)).toEqual({
      filters: { session: 's1', plan: 'p1', status: ['running', 'failed'] },
      page: { limit: 5, cursor: undefined },
    });
  });

  it.each([{ status: 'done' }, { status: '' }, { session: 'a/b' }, { plan: '' }, { user: 'u1' }, { limit: '0' }])('refuses %j', (query) => {
    expect(TaskListQuery.safeParse(query).success).toBe(false);
  });
});
