import { TaskStatus, type ImportedTaskReading } from '@counterfoil/contracts';
import {
  historicalTaskImported,
  historicalTransitionImported,
  historyStream,
  manyImported,
  OLD_TASK,
  projectedCollection,
  testLog,
  type TestLog,
} from '@counterfoil/testing';
import type { ReadScope } from '../shared/scope.js';
import { taskTransitionsProjection } from '../task-transitions/projection.js';
import { TRANSITIONS_MAX } from '../task-transitions/queries.js';
import { TaskListQuery } from '../tasks/list-query.js';
import { importedTasksProjection } from './projection.js';
import {
  findImportedTasks,
  getImportedTask,
  planImportedTasks,
  splitImportedTaskQuery,
  type ImportedTaskFilters,
  type ImportedTaskSources,
} from './queries.js';

const sourcesOf = ({ events }: TestLog): ImportedTaskSources => ({
  importedTasks: projectedCollection(importedTasksProjection, events),
  taskTransitions: projectedCollection(taskTransitionsProjection, events),
});

const COUNT = 120;
const sources = sourcesOf(manyImported(COUNT));
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u1' };

async function pages(filters: ImportedTaskFilters, scope = WORKSPACE): Promise<readonly ImportedTaskReading[]> {
  const all: ImportedTaskReading[] = [];
  let cursor: string | undefined;
  do {
    const page = await findImportedTasks(sources, scope, filters, { limit: 7, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findImportedTasks', () => {
  it('lists the imported tasks of a workspace, the last imported first, each once', async () => {
    const ofWorkspace = Array.from({ length: COUNT }, (_, n) => n).filter((n) => n % 4 !== 3);
    expect((await pages({})).map(({ recordKey }) => recordKey)).toEqual(ofWorkspace.map((n) => `c${n}`).toReversed());
  });

  it.each([
    { user: 'u2' },
    { session: 's1' },
    { task: 'task_4' },
    { task: 'none' },
    { status: ['cancelled'] },
    { status: ['pending', 'running', 'succeeded'] },
    { status: ['pending', 'cancelled'], session: 's4' },
    { user: 'u1', status: ['running'], session: 's1' },
    { status: [...TaskStatus.options], task: 'task_0' },
  ] as readonly ImportedTaskFilters[])('lists those that %j asks for', async (filters) => {
    const { user, session, status, task } = filters;
    for (const scope of [WORKSPACE, USER]) {
      const expected = (await pages({}, scope)).filter(
        (one) =>
          (user === undefined || one.userId === user) &&
          (session === undefined || one.sessionId === session) &&
          (task === undefined || one.taskId === task) &&
          (status === undefined || (one.status !== null && status.includes(one.status))),
      );
      if (scope === WORKSPACE) expect(expected.length > 0).toBe(task !== 'none');
      expect(await pages(filters, scope)).toEqual(expected);
    }
  });

  it('shows a single user its own, and those that name no user to whoever reads the whole workspace', async () => {
    const all = await pages({});
    expect(await pages({}, USER)).toEqual(all.filter(({ userId }) => userId === 'u1'));
    expect(all.filter(({ userId }) => userId === null).length).toBeGreaterThan(10);
    expect(await pages({ user: 'u2' }, USER)).toEqual([]);
    expect(await pages({}, { workspaceId: 'w1', userId: 'not an id' })).toEqual([]);
    expect(new Set((await pages({}, { workspaceId: 'w2', userId: null })).map(({ workspaceId }) => workspaceId))).toEqual(new Set(['w2']));
  });

  it('takes a cursor only with its filters and scope', async () => {
    const filters: ImportedTaskFilters = { status: ['pending', 'running'] };
    const { nextCursor } = await findImportedTasks(sources, WORKSPACE, filters, { limit: 2 });
    const reading = (scope: ReadScope, other: ImportedTaskFilters): Promise<unknown> =>
      findImportedTasks(sources, scope, other, { cursor: nextCursor ?? '' });
    await expect(reading(WORKSPACE, { status: ['running', 'pending'] })).resolves.toHaveProperty('items');
    for (const other of [{}, { ...filters, user: 'u1' }, { ...filters, task: 't' }, { ...filters, session: 's' }]) {
      await expect(reading(WORKSPACE, other)).rejects.toMatchObject({ code: 'cursor_mismatch' });
    }
    await expect(reading(USER, filters)).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });

  it.each([
    [WORKSPACE, {}, 'by_position'],
    [USER, {}, 'by_user'],
    [WORKSPACE, { user: 'u1', status: ['running'] }, 'by_user'],
    [USER, { session: 's1' }, 'by_session'],
    [WORKSPACE, { session: 's1', task: 't' }, 'by_task'],
    [WORKSPACE, { status: ['running', 'failed'] }, 'by_status'],
  ] as const)('reads (%j) %j by %s', (scope, filters, index) => {
    expect(planImportedTasks(scope, filters).index).toBe(index);
  });
});

describe('an imported task as it is read', () => {
  it('has what the old event log says of it, oldest first, and nothing of the same id elsewhere', async () => {
    let found = 0;
    for (const task of await pages({})) {
      const expected: string[] = [];
      for await (const { doc } of sources.taskTransitions.scan()) {
        if (doc?.workspaceId !== 'w1' || doc.taskId !== task.taskId) continue;
        if (doc.coordinates['userId'] !== task.coordinates['userId'] || doc.sessionId !== task.sessionId) continue;
        expected.push(`${doc.createdAt ?? '~'} ${doc.recordKey}`);
      }
      expect(task.transitions.map(({ createdAt, recordKey }) => `${createdAt ?? '~'} ${recordKey}`)).toEqual(expected.sort());
      expect(task.transitionsComplete).toBe(true);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(COUNT);
  });

  it('has none of another user’s task with the same id, whose log says that it succeeded', async () => {
    const log = testLog({ occurredAt: '2026-08-20T09:00:00Z' });
    const first = { ...OLD_TASK, userId: 'ana' };
    log.append(historyStream('row'), historicalTaskImported({ recordKey: 'row', coordinates: { ...OLD_TASK, userId: 'ben' } }));
    log.append(historyStream('t1'), historicalTransitionImported({ recordKey: 't1', coordinates: first }));
    log.append(historyStream('t2'), historicalTransitionImported({ recordKey: 't2', coordinates: { ...first, userId: null } }));
    log.append(historyStream('t3'), historicalTransitionImported({ recordKey: 't3', coordinates: { ...OLD_TASK, sessionId: 'other' } }));
    expect(await getImportedTask(sourcesOf(log), WORKSPACE, 'row')).toMatchObject({
      recordedStatus: 'pending',
      transitions: [],
      transitionsComplete: true,
    });
  });

  it('tells a single user nothing that was given to another one', async () => {
    const log = testLog({ occurredAt: '2026-08-20T09:00:00Z' });
    const coordinates = { ...OLD_TASK, userId: null };
    const of = (userId: string) => ({ coordinates, given: { userId, sessionId: null } });
    log.append(historyStream('row'), historicalTaskImported({ recordKey: 'row', ...of('u1') }));
    log.append(historyStream('t1'), historicalTransitionImported({ recordKey: 't1', ...of('u1') }));
    log.append(historyStream('t2'), historicalTransitionImported({ recordKey: 't2', ...of('u2') }));
    const keysFor = async (scope: ReadScope): Promise<unknown> =>
      (await getImportedTask(sourcesOf(log), scope, 'row'))?.transitions.map(({ recordKey }) => recordKey);
    expect(await keysFor(USER)).toEqual(['t1']);
    expect(await keysFor(WORKSPACE)).toEqual(['t1', 't2']);
  });

  it.each([
    ['names no task', { taskId: null }, [], true],
    ['holds an identifier that was withheld', { userId: null }, ['identifier_withheld'], false],
  ] as const)('has none where its row %s, and says whether there may be some', async (_, part, anomalies, complete) => {
    const log = testLog();
    const facts = { coordinates: { ...OLD_TASK, ...part }, anomalies: [...anomalies] };
    log.append(historyStream('row'), historicalTaskImported({ recordKey: 'row', ...facts }));
    log.append(historyStream('t1'), historicalTransitionImported({ recordKey: 't1', ...facts }));
    const task = await getImportedTask(sourcesOf(log), WORKSPACE, 'row');
    expect([task?.transitions, task?.transitionsComplete]).toEqual([[], complete]);
  });

  it(`has at most ${TRANSITIONS_MAX} changes, and says so`, async () => {
    const log = testLog({ occurredAt: '2026-08-20T09:00:00Z' });
    log.append(historyStream('row'), historicalTaskImported({ recordKey: 'row' }));
    const add = (n: number): void => {
      const recordKey = `t${String(n).padStart(4, '0')}`;
      log.append(historyStream(recordKey), historicalTransitionImported({ recordKey }));
    };
    for (let n = TRANSITIONS_MAX; n > 0; n--) add(n);
    const read = () => getImportedTask(sourcesOf(log), WORKSPACE, 'row');
    expect(await read()).toMatchObject({ transitionsComplete: true, transitions: { length: TRANSITIONS_MAX, 0: { recordKey: 't0001' } } });
    add(0);
    expect(await read()).toMatchObject({ transitionsComplete: false, transitions: { length: TRANSITIONS_MAX, 0: { recordKey: 't0000' } } });
  });

  it('shows neither its place in lists nor the digest of its content', async () => {
    const task = await getImportedTask(sources, WORKSPACE, 'c0');
    expect(Object.keys(task ?? {})).not.toEqual(expect.arrayContaining(['importedPosition']));
    expect(Object.keys(task ?? {})).not.toEqual(expect.arrayContaining(['contentDigest']));
  });
});

describe('getImportedTask', () => {
  it('gives a task of its scope alone, as lists do', async () => {
    const [some] = await pages({ user: 'u1' });
    if (some === undefined) throw new Error('there is no task');
    expect(await getImportedTask(sources, WORKSPACE, some.recordKey)).toEqual(some);
    expect(await getImportedTask(sources, USER, some.recordKey)).toEqual(some);
    expect(await getImportedTask(sources, { workspaceId: 'w1', userId: 'u2' }, some.recordKey)).toBeNull();
    expect(await getImportedTask(sources, { workspaceId: 'w2', userId: null }, some.recordKey)).toBeNull();
    expect(await getImportedTask(sources, WORKSPACE, 'none')).toBeNull();
    const [nobodys] = (await pages({})).filter(({ userId }) => userId === null);
    expect(await getImportedTask(sources, USER, nobodys?.recordKey ?? '')).toBeNull();
  });
});

describe('the query string of imported tasks', () => {
  it('becomes filters and a page', () => {
    const asked = { provenance: 'imported', user: 'u1', session: 's1', status: 'running,failed', task: 'task ü', limit: '5' };
    expect(splitImportedTaskQuery(TaskListQuery.parse(asked))).toEqual({
      filters: { user: 'u1', session: 's1', status: ['running', 'failed'], task: 'task ü' },
      page: { limit: 5, cursor: undefined },
    });
  });

  it.each([
    { provenance: 'imported', plan: 'p1' },
    { provenance: 'imported', status: 'done' },
    { provenance: 'imported', task: '\ud800' },
    { provenance: 'both' },
    { provenance: 'live', user: 'u1' },
    { provenance: 'live', task: 't1' },
    { task: 't1' },
  ])('refuses %j', (query) => {
    expect(TaskListQuery.safeParse(query).success).toBe(false);
  });
});
