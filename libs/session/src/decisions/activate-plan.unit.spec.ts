import {
  activatePlan,
  addTask,
  changeTask,
  closePlan,
  closeSession,
  commandCriterion,
  givenOpened,
  givenSession,
  played,
  stateAfter,
  taskPlan,
} from '@counterfoil/testing';
import { planView, taskView } from '../task.js';

const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';
const active = played(givenOpened(), activatePlan());

describe('a Working Plan', () => {
  it('is activated with its tasks, which are pending', () => {
    const given = givenOpened()
      .when(activatePlan({ tasks: [taskPlan('t1'), taskPlan('t2', [])] }))
      .then({
        type: 'WorkingPlanActivated',
        data: { planId: 'p1', userId: 'u1', supersedes: null, tasks: [{ taskId: 't1' }, { taskId: 't2', criteria: [] }] },
      });
    expect(planView(stateAfter(given.events), 'p1')).toEqual({
      planId: 'p1',
      state: 'active',
      tasks: [
        { planId: 'p1', taskId: 't1', status: 'pending', criteria: [{ id: 'c1', kind: 'command', metBy: null }] },
        { planId: 'p1', taskId: 't2', status: 'pending', criteria: [] },
      ],
    });
  });

  it('is the same again, also after it was closed; with other content it is a conflict', () => {
    active.when(activatePlan()).thenNothing();
    active.when(activatePlan({ title: 'another' })).thenRefused('plan_conflict');
    active.when(activatePlan({ tasks: [taskPlan('t1', [commandCriterion('c1', 'npm  test')])] })).thenRefused('plan_conflict');
    const closed = played(active, closePlan());
    closed.when(activatePlan()).thenNothing();
    closed.when(activatePlan({ tasks: [] })).thenRefused('plan_conflict');
    expect(planView(stateAfter(closed.events), 'p1')).toEqual({ planId: 'p1', state: 'closed', tasks: [] });
  });

  it('supersedes the one that was active, in one append', () => {
    const given = active
      .when(activatePlan({ planId: 'p2' }))
      .then(
        { type: 'WorkingPlanClosed', data: { planId: 'p1', cause: 'superseded', by: 'p2' } },
        { type: 'WorkingPlanActivated', data: { planId: 'p2', supersedes: 'p1' } },
      );
    expect(stateAfter(given.events).plan?.planId).toBe('p2');
  });

  it('is closed once', () => {
    const closed = active.when(closePlan()).then({ type: 'WorkingPlanClosed', data: { planId: 'p1', cause: 'closed', by: null } });
    closed.when(closePlan()).thenNothing();
    closed.when(changeTask('start')).thenRefused('plan_not_active');
    active.when(closePlan({ planId: 'p9' })).thenRefused('not_found');
  });

  it('needs an open session', () => {
    givenSession().when(activatePlan()).thenRefused('not_found');
    played(givenOpened(), closeSession()).when(activatePlan()).thenRefused('session_closed');
    const closed = played(active, closeSession());
    closed.when(activatePlan()).thenNothing();
    closed.when(addTask()).thenRefused('session_closed');
    closed.when(changeTask('start')).thenRefused('session_closed');
    closed.when(closePlan()).thenRefused('session_closed');
  });

  it('holds no secret in its words, and takes none as an id', () => {
    const tasks = [{ ...taskPlan('t1', []), description: `use api_key=${FAKE_TOKEN}` }];
    const given = givenOpened()
      .when(activatePlan({ title: `token: ${FAKE_TOKEN}`, tasks }))
      .then({ type: 'WorkingPlanActivated' });
    expect(JSON.stringify(given.events)).not.toContain('FAKE1a2B');
    for (const plan of [
      activatePlan({ planId: FAKE_TOKEN }),
      activatePlan({ tasks: [taskPlan(FAKE_TOKEN)] }),
      activatePlan({ tasks: [taskPlan('t1', [commandCriterion(FAKE_TOKEN)])] }),
    ]) {
      givenOpened().when(plan).thenRefused('identifier_is_secret');
    }
  });

  it('keeps the digest of an effect keyed only (promise 4)', () => {
    const sha256 = 'd'.repeat(64);
    const given = givenOpened()
      .when(activatePlan({ tasks: [taskPlan('t1', [{ id: 'c1', kind: 'effect', path: 'a.txt', sha256 }])] }))
      .then({ type: 'WorkingPlanActivated' });
    expect(JSON.stringify(given.events)).not.toContain(sha256);
    expect(JSON.stringify(given.events)).toContain('a.txt');
  });

  it('keeps a secret in a command criterion out of what is stored, and still tells the command apart', () => {
    const withSecret = (secret: string) => [taskPlan('t1', [commandCriterion('c1', `deploy --token ${secret}`)])];
    const given = givenOpened()
      .when(activatePlan({ tasks: withSecret(FAKE_TOKEN) }))
      .then({ type: 'WorkingPlanActivated' });
    expect(JSON.stringify(given.events)).not.toContain('FAKE1a2B');
    given.when(activatePlan({ tasks: withSecret('sk-FAKE9z8Y7x6W5v4U3t2S') })).thenRefused('plan_conflict');
  });
});

describe('a task that is added', () => {
  it('is pending in the active plan; the same again adds nothing, another one under its id is a conflict', () => {
    const added = active.when(addTask()).then({ type: 'TaskAdded', data: { planId: 'p1', userId: 'u1', task: { taskId: 't2' } } });
    expect(taskView(stateAfter(added.events), 't2')).toMatchObject({ planId: 'p1', status: 'pending' });
    added.when(addTask()).thenNothing();
    added.when(addTask({ ...taskPlan('t2'), title: 'other words' })).thenRefused('task_conflict');
    active.when(addTask(taskPlan('t1'))).thenNothing();
    active.when(addTask(taskPlan('t1', []))).thenRefused('task_conflict');
  });

  it('needs an active plan', () => {
    givenOpened().when(addTask()).thenRefused('plan_not_active');
  });

  it('is refused by a plan that is full', () => {
    const full = played(givenOpened(), activatePlan({ tasks: Array.from({ length: 200 }, (_, n) => taskPlan(`n${String(n)}`, [])) }));
    full.when(addTask()).thenRefused('plan_full');
    full.when(addTask(taskPlan('n0', []))).thenNothing();
  });
});
