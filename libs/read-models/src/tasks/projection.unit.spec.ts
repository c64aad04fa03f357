import { TaskDocument as TaskSchema, type CounterfoilEvent, type Criterion, type TaskDocument } from '@counterfoil/contracts';
import {
  digestOf,
  evidenceRecorded,
  factsOf,
  historyStream,
  importedPair,
  liveCallObserved,
  payloadOf,
  plannedTask,
  projecting,
  RECEIPT,
  receiptNamed,
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
  toolCallObserved,
  toolCallRequested,
  toolDispatched,
  workingPlanActivated,
  workingPlanClosed,
} from '@counterfoil/testing';
import { LAST_RECEIPTS } from './evolve.js';
import { tasksProjection } from './projection.js';
import { taskKey } from './touched.js';

const { given, fault } = projecting(tasksProjection);
const keyOf = (taskId: string, planId = 'p1'): string => taskKey('w1', { sessionId: 's1', planId, taskId });
const KEY = keyOf('t1');

const command: Criterion = { id: 'c1', kind: 'command', tool: { source: 'builtin', name: 'run' }, fingerprint: digestOf('npm-test') };
const reviewed: Criterion = { id: 'c2', kind: 'attestation', role: 'approver' };
const planned = workingPlanActivated({ tasks: [plannedTask('t1', { criteria: [command, reviewed] })] });
const bound = { planId: 'p1', taskId: 't1' };
const asks = (label: string): CounterfoilEvent =>
  toolCallRequested({ ...bound, receiptId: receiptNamed(label), association: { kind: 'task', taskId: 't1' } });

/** The task after these events of a session that has the plan. */
const taskAfter = (...events: readonly CounterfoilEvent[]): TaskDocument =>
  given(...recordedIn(STREAM, sessionOpened(), planned, ...events)).doc(KEY);

const met = [
  { criterionId: 'c1', evidenceId: 'e1' },
  { criterionId: 'c2', evidenceId: 'e2' },
];

describe('a task', () => {
  it('begins as its plan has it', () => {
    const log = testLog({ principal: 'agent:planner' });
    log.append(STREAM, sessionOpened(), planned);
    given(...log.events).thenExactly({
      [KEY]: {
        workspaceId: 'w1',
        userId: 'u1',
        sessionId: 's1',
        planId: 'p1',
        taskId: 't1',
        status: 'pending',
        details: payloadOf({ title: 'Do t1' }),
        criteria: [
          { criterion: command, metBy: null },
          { criterion: reviewed, metBy: null },
        ],
        acceptance: null,
        reason: null,
        changedBy: 'agent:planner',
        evidence: [],
        lastReceipts: [],
        receiptCount: 0,
        reopened: 0,
        outdatedAt: null,
        times: { added: recordedAt(2), started: null, ended: null },
        addedPosition: '2',
        revision: '1',
        position: '2',
      },
    });
  });

  it('is one of several of one plan, and each is changed by its own events alone', () => {
    const plan = workingPlanActivated({ tasks: ['t1', 't2', 't3'].map((taskId) => plannedTask(taskId)) });
    given(...recordedIn(STREAM, sessionOpened(), plan, taskAdded({ task: plannedTask('t4') }), taskStarted({ taskId: 't2' }))).then({
      [keyOf('t1')]: { taskId: 't1', status: 'pending', revision: '1', details: payloadOf({ title: 'Do t1' }) },
      [keyOf('t2')]: { taskId: 't2', status: 'running', revision: '3', addedPosition: '2' },
      [keyOf('t3')]: { taskId: 't3', status: 'pending', revision: '1' },
      [keyOf('t4')]: { taskId: 't4', status: 'pending', revision: '2', addedPosition: '3' },
    });
  });

  it('is another one in the next plan, also under the same id', () => {
    const closed = workingPlanClosed({ cause: 'superseded', by: 'p2' });
    const next = workingPlanActivated({ planId: 'p2', supersedes: 'p1' });
    given(...recordedIn(STREAM, sessionOpened(), planned, taskStarted(), closed, next)).then({
      [KEY]: { status: 'running', revision: '2' },
      [keyOf('t1', 'p2')]: { status: 'pending', planId: 'p2' },
    });
  });

  const reason = payloadOf('because');
  it.each([
    ['running', [taskStarted({ reason })], { reason, times: { started: recordedAt(3), ended: null } }],
    ['blocked', [taskBlocked({ reason })], { reason, times: { started: null, ended: null } }],
    ['blocked', [taskStarted(), taskBlocked({ reason })], { reason, times: { started: recordedAt(3), ended: null } }],
    [
      'pending',
      [taskStarted(), taskBlocked({ reason }), taskUnblocked()],
      { reason: null, times: { started: recordedAt(3), ended: null } },
    ],
    ['failed', [taskStarted(), taskFailed({ reason })], { reason, times: { started: recordedAt(3), ended: recordedAt(4) } }],
    ['cancelled', [taskCancelled({ reason })], { reason, times: { started: null, ended: recordedAt(3) } }],
    ['succeeded', [taskStarted(), taskSucceeded({ met })], { reason: null, times: { started: recordedAt(3), ended: recordedAt(4) } }],
    ['pending', [taskCancelled(), taskReopened({ reason })], { reason, reopened: 1, times: { started: null, ended: null } }],
  ] as const)('is %s (%#)', (status, events, more) => {
    expect(taskAfter(...events)).toMatchObject({ status, ...more });
  });

  it('names who changed it', () => {
    const log = testLog();
    log.append(STREAM, sessionOpened(), planned);
    log.appendParts(STREAM, [taskStarted()], { principal: 'person:lead' });
    expect(given(...log.events).doc(KEY).changedBy).toBe('person:lead');
  });

  it('says which evidence met which criterion, and forgets it when it is reopened', () => {
    const ended = [taskStarted(), evidenceRecorded(), taskSucceeded({ met })];
    expect(taskAfter(...ended).criteria).toEqual([
      { criterion: command, metBy: 'e1' },
      { criterion: reviewed, metBy: 'e2' },
    ]);
    expect(taskAfter(...ended, taskReopened())).toMatchObject({
      status: 'pending',
      criteria: [{ metBy: null }, { metBy: null }],
      evidence: [{ evidenceId: 'e1' }],
      outdatedAt: '5',
      reopened: 1,
    });
  });

  it('keeps the reason of an explicit acceptance for as long as it stands', () => {
    const acceptance = payloadOf('seen on the big screen');
    const ended = [taskStarted(), taskSucceeded({ acceptance })];
    expect(taskAfter(...ended).acceptance).toEqual(acceptance);
    expect(taskAfter(...ended, taskReopened()).acceptance).toBeNull();
  });

  it('is not completed by a call that succeeded', () => {
    expect(taskAfter(taskStarted(), asks('a'), toolDispatched({ ...bound, outdates: 'task' }), evidenceRecorded()).status).toBe('running');
  });
});

describe('the calls of a task', () => {
  it('are counted, and the last ones named, the newest first', () => {
    const calls = Array.from({ length: LAST_RECEIPTS + 5 }, (_, n) => asks(`call-${n}-`));
    const doc = taskAfter(...calls);
    expect(doc.receiptCount).toBe(25);
    expect(doc.lastReceipts).toHaveLength(20);
    expect([doc.lastReceipts.at(0), doc.lastReceipts.at(-1)]).toEqual([receiptNamed('call-24-'), receiptNamed('call-5-')]);
  });

  it('are those that were bound to it', () => {
    const refused = toolCallRequested({ taskId: 't1', association: { kind: 'none', taskId: null } });
    const inferred = toolCallRequested({ ...bound, association: { kind: 'inferred', taskId: 't1' } });
    expect(taskAfter(toolCallRequested(), refused, inferred)).toMatchObject({ receiptCount: 0, lastReceipts: [], revision: '1' });
    const log = testLog();
    log.append(STREAM, sessionOpened(), planned);
    log.appendParts(historyStream('x'), importedPair('x', { requested: { association: { kind: 'recorded', taskId: 't1' } } }));
    given(...log.events).then({ [KEY]: { receiptCount: 0 } });
  });

  it.each([
    ['a state-changing call of its own', toolDispatched({ ...bound, outdates: 'task' }), '2'],
    ['a run of its own command criterion', toolDispatched({ ...bound, outdates: 'nothing' }), null],
    // That is the session's, and joined on read.
    ['a call that is bound to no task', toolDispatched({ outdates: 'session' }), null],
    ['an observed call of its own', liveCallObserved({ ...bound, outdates: 'task' }), '2'],
    ['an observed call of its own that changes nothing', liveCallObserved({ ...bound, outdates: 'nothing' }), null],
    ['an observed call that does not say', toolCallObserved(), null],
  ] as const)('outdate its evidence or not: %s', (_, event, revision) => {
    expect(taskAfter(event).outdatedAt).toBe(revision);
  });
});

describe('the evidence of a task', () => {
  it('stands with what it rests on, and who recorded it', () => {
    const source = { kind: 'attestation', statement: payloadOf('ok'), by: 'person:reviewer', roles: ['approver'] } as const;
    const facts = factsOf();
    const log = testLog();
    log.append(STREAM, sessionOpened(), planned, evidenceRecorded({ since: '1', criterionId: 'c1' }));
    const attested = evidenceRecorded({ evidenceId: 'e2', criterionId: 'c2', source: { ...source, roles: [...source.roles] }, facts });
    log.appendParts(STREAM, [attested], { principal: 'person:reviewer' });
    expect(given(...log.events).doc(KEY).evidence).toEqual([
      {
        evidenceId: 'e1',
        criterionId: 'c1',
        source: { kind: 'receipt', receiptId: RECEIPT },
        facts: factsOf({ status: 'succeeded', exitCode: 0 }),
        since: '1',
        recordedAt: recordedAt(3),
        by: 'agent:tester',
      },
      // It rests on the moment at which it was recorded.
      { evidenceId: 'e2', criterionId: 'c2', source, facts, since: '3', recordedAt: recordedAt(4), by: 'person:reviewer' },
    ]);
  });
});

describe('an event of a task that can not follow', () => {
  const begun = [sessionOpened(), planned];
  const ended = [...begun, taskStarted(), taskSucceeded()];
  it.each([
    ['a start of a task that was never planned', [sessionOpened(), taskStarted()]],
    ['a start in another plan', [...begun, taskStarted({ planId: 'p2' })]],
    ['evidence of nothing', [sessionOpened(), evidenceRecorded()]],
    ['a call of nothing', [sessionOpened(), asks('a')]],
    ['a call that does not say of which plan its task is', [...begun, toolCallRequested({ association: { kind: 'task', taskId: 't1' } })]],
    ['a dispatch that does not say which task it outdates', [...begun, toolDispatched({ outdates: 'task' })]],
    ['an observed call that does not say which task it outdates', [...begun, liveCallObserved({ outdates: 'task' })]],
    ['a second planning', [...begun, planned]],
    ['a task that is added twice', [...begun, taskAdded({ task: plannedTask('t1') })]],
    ['a second start', [...begun, taskStarted(), taskStarted()]],
    ['an end of what was never started', [...begun, taskSucceeded()]],
    ['an unblocking of what is not blocked', [...begun, taskUnblocked()]],
    ['a second block', [...begun, taskBlocked(), taskBlocked()]],
    ['a reopening of what runs', [...begun, taskStarted(), taskReopened()]],
    ['a start after the end', [...ended, taskStarted()]],
    ['a failure after success', [...ended, taskFailed()]],
    ['a cancellation after success', [...ended, taskCancelled()]],
    ['a block after the end', [...ended, taskBlocked()]],
    ['evidence under a known id', [...begun, evidenceRecorded(), evidenceRecorded()]],
  ] as const)('is a fault: %s', (_, events) => {
    fault('projection_fault', ...recordedIn(STREAM, ...events));
  });
});

describe('the tasks projection', () => {
  it('makes documents that fit their schema, in the order of their keys', () => {
    const dispatched = toolDispatched({ ...bound, outdates: 'task' });
    for (const events of [
      [],
      [taskStarted(), asks('a'), dispatched, evidenceRecorded()],
      [taskStarted(), evidenceRecorded(), taskSucceeded({ met }), taskReopened()],
      [taskCancelled({ reason: payloadOf('no') })],
    ]) {
      const doc = taskAfter(...events);
      expect(JSON.stringify(TaskSchema.parse(doc))).toBe(JSON.stringify(doc));
    }
  });

  it('takes nothing from streams that are no session, or from a plan without tasks', () => {
    given(...recordedIn(historyStream('x'), planned, taskStarted())).thenNothing();
    given(...recordedIn(STREAM, sessionOpened(), workingPlanActivated({ tasks: [] }), workingPlanClosed())).thenNothing();
  });

  it('keeps the tasks of two workspaces and sessions apart, also under one id', () => {
    const log = testLog();
    log.append('session-w1/s1', planned, taskStarted());
    log.append('session-w2/s1', planned);
    log.append('session-w1/s2', planned, taskBlocked());
    given(...log.events).then({
      'w1/s1/p1/t1': { workspaceId: 'w1', sessionId: 's1', status: 'running' },
      'w2/s1/p1/t1': { workspaceId: 'w2', sessionId: 's1', status: 'pending' },
      'w1/s2/p1/t1': { workspaceId: 'w1', sessionId: 's2', status: 'blocked' },
    });
  });

  it('gives fields to list by', () => {
    expect(tasksProjection.fields(taskAfter(taskStarted()))).toEqual({
      workspace: 'w1',
      user: 'u1',
      session: 's1',
      plan: 'p1',
      status: 'running',
      addedPosition: 2,
    });
  });
});
