import type { TaskStatus } from '@counterfoil/contracts';
import {
  activatePlan,
  addTask,
  changeTask,
  completeTask,
  freeText,
  givenOpened,
  played,
  recordEvidence,
  stateAfter,
  taskPlan,
  type GivenSession,
} from '@counterfoil/testing';
import type { TaskChange } from '../commands.js';
import { taskView } from '../task.js';

const accepted = completeTask({}, { acceptance: freeText('looked at') });
const active = played(givenOpened(), activatePlan({ tasks: [taskPlan('t1', [])] }));

/** The task in each of its states. */
const IN: Readonly<Record<TaskStatus, GivenSession>> = {
  pending: active,
  running: played(active, changeTask('start')),
  blocked: played(active, changeTask('block')),
  succeeded: played(active, changeTask('start'), accepted),
  failed: played(active, changeTask('fail')),
  cancelled: played(active, changeTask('cancel')),
};

/** What each change leads to from where; everything else is refused (design §4, States). */
const LEADS: Readonly<Record<TaskChange, Partial<Record<TaskStatus, TaskStatus>>>> = {
  start: { pending: 'running' },
  block: { pending: 'blocked', running: 'blocked' },
  unblock: { blocked: 'pending' },
  fail: { pending: 'failed', running: 'failed', blocked: 'failed' },
  cancel: { pending: 'cancelled', running: 'cancelled', blocked: 'cancelled' },
  reopen: { succeeded: 'pending', failed: 'pending', cancelled: 'pending' },
};

const statusAfter = (given: GivenSession): string | undefined => taskView(stateAfter(given.events), 't1')?.status;

describe('the states of a task', () => {
  const changes = Object.keys(LEADS) as TaskChange[];
  const states = Object.keys(IN) as TaskStatus[];
  const rows = changes.flatMap((change) => states.map((from) => [change, from, LEADS[change][from] ?? null] as const));

  it.each(rows)('%s a %s task: %s', (change, from, to) => {
    const given = IN[from];
    expect(statusAfter(given)).toBe(from);
    // With a reason of its own, so that it is not what led here said again.
    const command = changeTask(change, 't1', 'because');
    if (to === null) {
      given.when(command).thenRefused('task_state');
      return;
    }
    const after = given.when(command).then({ data: { planId: 'p1', taskId: 't1' } });
    expect(statusAfter(after)).toBe(to);
    after.when(command).thenNothing();
    expect(JSON.stringify(after.events.at(-1))).toContain('because');
  });

  it('leave a terminal one by a reopening alone (promise 16)', () => {
    for (const state of ['succeeded', 'failed', 'cancelled'] as const) {
      for (const change of ['start', 'block', 'unblock', 'fail', 'cancel'] as const) {
        IN[state].when(changeTask(change, 't1', 'once more')).thenRefused('task_state');
      }
      expect(statusAfter(played(IN[state], changeTask('reopen'), changeTask('start')))).toBe('running');
    }
  });

  it('tell a retry from another command of the same kind', () => {
    const cancelled = played(active, changeTask('cancel', 't1', 'no time'));
    cancelled.when(changeTask('cancel', 't1', 'no time')).thenNothing();
    cancelled.when(changeTask('cancel', 't1', 'no money')).thenRefused('task_state');
  });

  it('are those of the named task alone', () => {
    const two = played(givenOpened(), activatePlan({ tasks: [taskPlan('t1'), taskPlan('t2')] }), changeTask('start', 't2'));
    expect(statusAfter(two)).toBe('pending');
    two.when(changeTask('start', 't9')).thenRefused('not_found');
  });
});

describe('a command that names its plan', () => {
  it('does nothing to another plan with the same task ids, also when it is a retry that comes late', () => {
    const later = played(active, activatePlan({ planId: 'p2', tasks: [taskPlan('t1', [])] }));
    for (const command of [changeTask('start'), completeTask(), recordEvidence(), { ...addTask(), task: taskPlan('t3') }]) {
      later.when({ ...command, planId: 'p1' }).thenRefused('plan_not_active');
    }
    later.when({ ...changeTask('start'), planId: 'p2' }).then({ type: 'TaskStarted', data: { planId: 'p2' } });
    later.when({ ...addTask(), planId: 'p2' }).then({ type: 'TaskAdded', data: { planId: 'p2' } });
  });
});

describe('a task without criteria', () => {
  it('needs an explicit acceptance with a reason, and takes nothing else', () => {
    IN.running.when(completeTask({})).thenRefused('completion_unmet');
    IN.running.when(completeTask({ c1: 'e1' }, { acceptance: freeText('yes') })).thenRefused('completion_unmet');
    IN.running.when(accepted).then({ type: 'TaskSucceeded', data: { met: [], acceptance: { json: '"looked at"' } } });
  });

  it('is completed once, and only while it runs', () => {
    IN.succeeded.when(accepted).thenNothing();
    IN.succeeded.when(completeTask({}, { acceptance: freeText('looked at twice') })).thenRefused('task_state');
    for (const state of ['pending', 'blocked', 'failed', 'cancelled'] as const) IN[state].when(accepted).thenRefused('task_state');
  });
});
