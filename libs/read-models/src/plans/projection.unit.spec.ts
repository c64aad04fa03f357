import { PlanDocument as PlanSchema, type CounterfoilEvent, type PlanDocument } from '@counterfoil/contracts';
import {
  evidenceRecorded,
  historyStream,
  payloadOf,
  plannedTask,
  projecting,
  recordedAt,
  recordedIn,
  sessionOpened,
  STREAM,
  taskAdded,
  taskBlocked,
  taskCancelled,
  taskFailed,
  taskReopened,
  taskStarted,
  taskSucceeded,
  taskUnblocked,
  testLog,
  toolCallRequested,
  toolDispatched,
  workingPlanActivated,
  workingPlanClosed,
} from '@counterfoil/testing';
import { planKey, plansProjection } from './projection.js';

const { given, fault } = projecting(plansProjection);
const KEY = planKey('w1', 's1', 'p1');
const planned = workingPlanActivated({ tasks: [plannedTask('t1'), plannedTask('t2')] });

const planAfter = (...events: readonly CounterfoilEvent[]): PlanDocument =>
  given(...recordedIn(STREAM, sessionOpened(), planned, ...events)).doc(KEY);

describe('a plan', () => {
  it('begins active, with its tasks in their order', () => {
    const log = testLog({ principal: 'agent:planner' });
    log.append(STREAM, sessionOpened(), workingPlanActivated({ tasks: [plannedTask('t2'), plannedTask('t1')], supersedes: 'p0' }));
    given(...log.events).thenExactly({
      [KEY]: {
        workspaceId: 'w1',
        userId: 'u1',
        sessionId: 's1',
        planId: 'p1',
        title: payloadOf('The plan'),
        state: 'active',
        closedBecause: null,
        supersedes: 'p0',
        supersededBy: null,
        reason: null,
        tasks: [
          { taskId: 't2', status: 'pending' },
          { taskId: 't1', status: 'pending' },
        ],
        activatedAt: recordedAt(2),
        activatedBy: 'agent:planner',
        closedAt: null,
        activatedPosition: '2',
        revision: '1',
        position: '2',
      },
    });
  });

  const running = [taskStarted()];
  it.each([
    ['running', running],
    ['blocked', [...running, taskBlocked()]],
    ['pending', [...running, taskBlocked(), taskUnblocked()]],
    ['succeeded', [...running, taskSucceeded()]],
    ['failed', [...running, taskFailed()]],
    ['cancelled', [...running, taskCancelled()]],
    ['pending', [...running, taskCancelled(), taskReopened()]],
  ] as const)('has a task that is %s (%#)', (status, events) => {
    expect(planAfter(...events).tasks).toEqual([
      { taskId: 't1', status },
      { taskId: 't2', status: 'pending' },
    ]);
  });

  it('gets further tasks at its end', () => {
    expect(planAfter(taskStarted(), taskAdded({ task: plannedTask('t3') })).tasks.map(({ taskId }) => taskId)).toEqual(['t1', 't2', 't3']);
  });

  it('ends by being closed, with a reason, and its tasks as they were', () => {
    const reason = payloadOf('done with it');
    expect(planAfter(taskStarted(), workingPlanClosed({ reason }))).toMatchObject({
      state: 'closed',
      closedBecause: 'closed',
      supersededBy: null,
      reason,
      closedAt: recordedAt(4),
      tasks: [{ status: 'running' }, { status: 'pending' }],
    });
  });

  it('ends by being superseded, by a plan of its own', () => {
    const events = [workingPlanClosed({ cause: 'superseded', by: 'p2' }), workingPlanActivated({ planId: 'p2', supersedes: 'p1' })];
    given(...recordedIn(STREAM, sessionOpened(), planned, ...events)).then({
      [KEY]: { state: 'closed', closedBecause: 'superseded', supersededBy: 'p2' },
      [planKey('w1', 's1', 'p2')]: { state: 'active', supersedes: 'p1' },
    });
  });

  it('is changed by no call and no evidence', () => {
    const bound = { planId: 'p1', taskId: 't1' };
    const calls = [
      toolCallRequested({ ...bound, association: { kind: 'task', taskId: 't1' } }),
      toolDispatched({ ...bound, outdates: 'task' }),
    ];
    expect(planAfter(...calls, evidenceRecorded())).toEqual(planAfter());
  });

  it.each([
    ['a second activation', [planned, planned]],
    ['an end of nothing', [workingPlanClosed()]],
    ['a second end', [planned, workingPlanClosed(), workingPlanClosed()]],
    ['a task of nothing', [taskAdded()]],
    ['a task that it has', [planned, taskAdded({ task: plannedTask('t1') })]],
    ['a change of a task that it has not', [planned, taskStarted({ taskId: 't9' })]],
    ['a change of a task after its end', [planned, workingPlanClosed(), taskStarted()]],
    ['a task after its end', [planned, workingPlanClosed(), taskAdded()]],
  ] as const)('is at fault with %s', (_, events) => {
    fault('projection_fault', ...recordedIn(STREAM, sessionOpened(), ...events));
  });
});

describe('the plans projection', () => {
  it('takes nothing from streams that are no session', () => {
    given(...recordedIn(historyStream('x'), planned, taskStarted())).thenNothing();
  });

  it('makes documents that fit their schema, in the order of their keys', () => {
    for (const events of [[], [taskStarted(), taskAdded({ task: plannedTask('t3') })], [workingPlanClosed()]]) {
      const doc = planAfter(...events);
      expect(JSON.stringify(PlanSchema.parse(doc))).toBe(JSON.stringify(doc));
    }
  });

  it('gives fields to list by', () => {
    expect(plansProjection.fields(planAfter(workingPlanClosed()))).toEqual({
      workspace: 'w1',
      user: 'u1',
      session: 's1',
      state: 'closed',
      activatedPosition: 2,
    });
  });
});
