import { activatePlan, changeTask, closePlan, givenOpened, openSession, givenSession, played, stateAfter } from '@counterfoil/testing';
import type { TaskPlan } from '../commands.js';
import { about, accepted, found, inferredIn, inWords, NONE, planned, withCommand } from './testing/inferring.js';

describe('a task that the runtime names', () => {
  const exact = about('t1', { action: 'read_file', args: 'plain.txt' });

  it('is taken if it has no contract, whatever its status is', () => {
    const given = planned(inWords('t1', 'Anything'), about('t2', { action: 'git_push' }));
    for (const plays of [[], [changeTask('start')], [changeTask('block')], [changeTask('cancel')], accepted('t1')]) {
      expect(inferredIn(played(given, ...plays), { taskId: 't1' })).toEqual(found('t1', 'named'));
    }
  });

  it('is taken if the call keeps to its contract or to one of its commands, and not otherwise', () => {
    expect(inferredIn(planned(exact), { taskId: 't1' })).toEqual(found('t1', 'named'));
    expect(inferredIn(planned(exact), { taskId: 't1', args: 'b.txt' })).toEqual(NONE);
    expect(inferredIn(planned(exact), { taskId: 't1', action: 'git_push' })).toEqual(NONE);
    const command = planned(withCommand('t1', 'npm test'));
    expect(inferredIn(command, { taskId: 't1', action: 'bash', args: 'npm test' })).toEqual(found('t1', 'named'));
    expect(inferredIn(command, { taskId: 't1', action: 'bash', args: 'make' })).toEqual(NONE);
  });

  it('is the only one that is looked at', () => {
    const given = planned(exact, { ...exact, taskId: 't2', contract: { action: 'git_push' } });
    for (const taskId of ['t2', 't9', '', 'constructor', '__proto__']) expect(inferredIn(given, { taskId })).toEqual(NONE);
  });

  it('may be of an earlier plan, by its own contract still', () => {
    const closed = played(planned(exact, inWords('t3', 'x')), closePlan());
    expect(inferredIn(closed)).toEqual(NONE);
    expect(inferredIn(closed, { taskId: 't1' })).toEqual(found('t1', 'named'));
    expect(inferredIn(closed, { taskId: 't1', args: 'b.txt' })).toEqual(NONE);
    const superseded = played(
      planned(exact),
      activatePlan({ planId: 'p2', tasks: [about('t1', { action: 'git_push' }), inWords('t3', 'y')] }),
    );
    // The active plan's task of that name is meant, unless the plan is said.
    expect(inferredIn(superseded, { taskId: 't1' })).toEqual(NONE);
    expect(inferredIn(superseded, { taskId: 't1', planId: 'p1' })).toEqual(found('t1', 'named'));
    expect(inferredIn(superseded, { taskId: 't1', planId: 'p2', action: 'push' })).toEqual(NONE);
    expect(inferredIn(superseded, { taskId: 't3', planId: 'p1' })).toEqual(NONE);
    expect(inferredIn(superseded, { taskId: 't3', planId: 'p9' })).toEqual(NONE);
  });

  it('is never one of another session', () => {
    const other = played(givenSession(), openSession({ sessionId: 's2' }));
    expect(inferredIn(other, { taskId: 't1' })).toEqual(NONE);
  });

  it('is forgotten, of plans that are long over, as the oldest of two thousand', () => {
    const many = (plan: number): TaskPlan[] => Array.from({ length: 200 }, (_, n) => inWords(`p${plan}-t${n}`, 'x'));
    const plans = Array.from({ length: 11 }, (_, n) => activatePlan({ planId: `p${n}`, tasks: n === 0 ? [inWords('old', 'x')] : many(n) }));
    const before = played(givenOpened(), ...plans);
    expect(inferredIn(before, { taskId: 'old' }).kind).toBe('inferred');
    const after = played(before, activatePlan({ planId: 'last', tasks: [] }));
    expect(inferredIn(after, { taskId: 'old' })).toEqual(NONE);
    expect(inferredIn(after, { taskId: 'p1-t0' }).kind).toBe('inferred');
    expect(stateAfter(after.events).closedTasks.size).toBe(2000);
  });
});
