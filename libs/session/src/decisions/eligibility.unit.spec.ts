import {
  activatePlan,
  addTask,
  after,
  APPROVER,
  approvalIdFor,
  changeTask,
  closePlan,
  closeSession,
  completeTask,
  dispatchToolCall,
  freeText,
  givenOpened,
  grantApproval,
  played,
  receiptIdFor,
  requestToolCall,
  stateAfter,
  taskPlan,
  viewAfter,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';

const twoTasks = activatePlan({ tasks: [taskPlan('t1', []), taskPlan('t2', [])] });
const active = played(givenOpened(), twoTasks);
const bound = requestToolCall({ taskId: 't1' });
const granting: Play = [grantApproval(), { principal: APPROVER }];
const waiting = played(active, requestToolCall({ taskId: 't1', requireApproval: true }));

const tasksOf = (given: GivenSession): string => JSON.stringify([...(stateAfter(given.events).plan?.tasks.values() ?? [])]);

describe('a call that names a task', () => {
  it('is bound to it while the task is pending or running', () => {
    const request = { type: 'ToolCallRequested', data: { association: { kind: 'task', taskId: 't1' }, planId: 'p1', taskId: 't1' } };
    active.when(bound).then(request);
    played(active, changeTask('start')).when(bound).then(request);
  });

  it.each<[string, GivenSession, string]>([
    ['no plan is active', givenOpened(), 't1'],
    ['the plan was closed', played(active, closePlan()), 't1'],
    ['the active plan has no such task', active, 't9'],
    ['the task was of the plan before', played(active, activatePlan({ planId: 'p2', tasks: [taskPlan('n1')] })), 't1'],
    ['it is blocked', played(active, changeTask('block')), 't1'],
    ['it failed', played(active, changeTask('fail')), 't1'],
    ['it was cancelled', played(active, changeTask('cancel')), 't1'],
    ['it succeeded', played(active, changeTask('start'), completeTask({}, { acceptance: freeText('ok') })), 't1'],
  ])('is recorded and rejected when %s, and the answer is the same for all', (_, given, taskId) => {
    const rejected = given
      .when(requestToolCall({ taskId }))
      .then(
        { type: 'ToolCallRequested', data: { association: { kind: 'none', taskId: null }, planId: null, taskId } },
        { type: 'ToolCallRejected', data: { code: 'task_not_eligible' } },
      );
    expect(viewAfter(rejected, receiptIdFor()).reason).toEqual({
      code: 'task_not_eligible',
      detail: 'The task is not a pending or running task of the active plan of this session.',
    });
    expect(tasksOf(rejected)).toBe(tasksOf(given));
  });

  it('is eligible again once its task was reopened', () => {
    played(active, changeTask('cancel'), changeTask('reopen'))
      .when(bound)
      .then({ type: 'ToolCallRequested', data: { planId: 'p1' } });
  });

  it('advances no task by being requested, dispatched or reported', () => {
    const ran = played(active, bound, dispatchToolCall());
    expect(stateAfter(ran.events).plan?.tasks.get('t1')?.status).toBe('pending');
    expect(ran.events.map(({ type }) => type)).toEqual(['SessionOpened', 'WorkingPlanActivated', 'ToolCallRequested', 'ToolDispatched']);
  });
});

describe('a call without a task', () => {
  it('is bound to none, although one single pending task would match', () => {
    const ran = played(played(givenOpened(), activatePlan()), requestToolCall({ args: '{"command":"npm test","cwd":"/w"}' }));
    expect(ran.events.at(-1)).toMatchObject({ data: { association: { kind: 'none', taskId: null }, planId: null, taskId: null } });
  });
});

describe('a task that changes while its call waits', () => {
  const refused = (given: GivenSession, code: string): void => {
    const before = tasksOf(given);
    const rejected = given
      .when(dispatchToolCall(), after(1))
      .then(
        { type: 'ApprovalVoided', data: { approvalId: approvalIdFor(), code } },
        { type: 'ToolCallRejected', data: { receiptId: receiptIdFor(), code } },
      );
    expect(tasksOf(rejected)).toBe(before);
    expect(viewAfter(rejected, receiptIdFor())).toMatchObject({ status: 'rejected', approval: { state: 'voided' } });
    rejected.when(dispatchToolCall(), after(1)).thenNothing();
  };

  it.each<[string, readonly Play[], string]>([
    ['it was cancelled', [changeTask('cancel')], 'task_not_eligible'],
    ['it was blocked', [changeTask('block')], 'task_not_eligible'],
    ['it failed', [changeTask('fail')], 'task_not_eligible'],
    ['it was completed', [changeTask('start'), completeTask({}, { acceptance: freeText('ok') })], 'task_not_eligible'],
    ['its plan was closed', [closePlan()], 'plan_not_active'],
    ['another plan has the same task ids', [activatePlan({ planId: 'p2', tasks: [taskPlan('t1', [])] })], 'plan_not_active'],
    ['the session was closed', [closeSession()], 'session_closed'],
  ])('does not let it run when %s, whether before or after the grant', (_, changes, code) => {
    if (code !== 'session_closed') refused(played(waiting, ...changes, granting), code);
    const after = played(waiting, granting, ...changes);
    if (code === 'session_closed') expect(viewAfter(after, receiptIdFor()).status).toBe('cancelled');
    else refused(after, code);
  });

  it('lets it run when the task was only started, or another one changed', () => {
    const others = [changeTask('start'), changeTask('cancel', 't2'), addTask(taskPlan('t3'))];
    played(waiting, ...others, granting)
      .when(dispatchToolCall())
      .then({ type: 'ToolDispatched', data: { planId: 'p1', taskId: 't1', outdates: 'task' } });
  });

  it('rejects a call that needs no approval just so', () => {
    played(active, bound, changeTask('cancel'))
      .when(dispatchToolCall())
      .then({ type: 'ToolCallRejected', data: { code: 'task_not_eligible' } });
  });
});
