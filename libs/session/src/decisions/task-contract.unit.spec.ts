import { SESSION_EVENTS, type EventData, type TaskContract } from '@counterfoil/contracts';
import { activatePlan, addTask, givenOpened, played, stateAfter, taskPlan, type GivenSession } from '@counterfoil/testing';
import type { TaskPlan } from '../commands.js';

const about = (contract: TaskContract | null | undefined): TaskPlan => ({
  ...taskPlan('t1', []),
  ...(contract === undefined ? {} : { contract }),
});
const planned = (contract?: TaskContract | null): GivenSession => played(givenOpened(), activatePlan({ tasks: [about(contract)] }));
const taskIn = ({ events }: GivenSession): EventData<'TaskAdded'>['task'] => {
  const [task] = (events.at(-1)?.data as EventData<'WorkingPlanActivated'>).tasks;
  if (task === undefined) throw new Error('no task was planned');
  return task;
};

describe('the contract of a task', () => {
  it('is stored by its canonical action, its arguments keyed; its words stand in the details alone', () => {
    const task = taskIn(planned({ action: ' Bash', args: 'npm run\nbuild' }));
    expect(task.contract).toEqual({ action: 'run_cmd', argsFingerprint: expect.stringMatching(/^k1:[A-Za-z0-9_-]{43}$/) as string });
    expect(JSON.parse(task.details.json)).toMatchObject({ contract: { action: ' Bash', args: 'npm run\nbuild' } });
    expect(JSON.stringify({ ...task, details: null })).not.toMatch(/npm|Bash/);
    expect(taskIn(planned({ action: 'run_cmd', args: ' npm run build ' })).contract).toEqual(task.contract);
    expect(taskIn(planned({ action: 'run_cmd', args: 'npm run' })).contract).not.toEqual(task.contract);
  });

  it('has no arguments where their text is empty', () => {
    for (const contract of [{ action: 'run_cmd' }, { action: 'run_cmd', args: '' }, { action: 'run_cmd', args: ' \n' }])
      expect(taskIn(planned(contract)).contract).toEqual({ action: 'run_cmd', argsFingerprint: null });
  });

  it('is what the schema of the event takes, with or without it', () => {
    for (const { events } of [planned(), planned({ action: 'x', args: 'y' })])
      for (const { type, data } of events) expect(SESSION_EVENTS[type].safeParse(data).success).toBe(true);
  });

  it('leaves a task that has none exactly what it was: nothing new in its event, and the same fingerprint', () => {
    const task = taskIn(planned());
    expect(Object.keys(task)).toEqual(['taskId', 'details', 'criteria', 'fingerprint']);
    expect(taskIn(planned(null))).toEqual(task);
    expect(task.details.json).toBe('{"title":"task t1","description":null,"criteria":[]}');
    // As it was before there were contracts: a plan that was sent then is recognised when it is sent again.
    expect(task.fingerprint).toBe('k1:9UojxTcrgQq4dSRfTB6V_FT8HLiF8rci2wpGSsjABdw');
  });

  it('belongs to what is planned: another one is another task', () => {
    const given = planned({ action: 'run_cmd', args: 'make' });
    const plan = (contract: TaskContract | null) => activatePlan({ tasks: [about(contract)] });
    given.when(plan({ action: 'run_cmd', args: 'make' })).thenNothing();
    given.when(addTask(about({ action: 'run_cmd', args: 'make' }))).thenNothing();
    for (const other of [null, { action: 'run_cmd' }, { action: 'run_cmd', args: 'make all' }, { action: 'bash', args: 'make' }]) {
      given.when(plan(other)).thenRefused('plan_conflict');
      given.when(addTask(about(other))).thenRefused('task_conflict');
    }
  });

  it('may hold no secret in its action, and none of its arguments is stored', () => {
    givenOpened()
      .when(activatePlan({ tasks: [about({ action: 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE' })] }))
      .thenRefused('identifier_is_secret');
    const { events } = planned({ action: 'run_cmd', args: 'curl -H "Authorization: Bearer FAKEfakeFAKEfake1234"' });
    expect(JSON.stringify(events)).not.toContain('FAKE');
  });

  it('is known of a task that is added as of one that came with its plan', () => {
    const added = played(planned(), addTask({ ...about({ action: 'write', args: 'a|b' }), taskId: 't2' }));
    const task = stateAfter(added.events).plan?.tasks.get('t2');
    expect(task?.contract).toEqual({ action: 'write_file', argsFingerprint: expect.any(String) as string });
    expect(stateAfter(added.events).plan?.tasks.get('t1')?.contract).toBeNull();
  });
});
