import type { Association, CriterionBody, TaskContract } from '@counterfoil/contracts';
import {
  activatePlan,
  addTask,
  changeTask,
  closePlan,
  commandCriterion,
  completeTask,
  FINGERPRINT_KEY,
  freeText,
  givenOpened,
  openSession,
  givenSession,
  played,
  stateAfter,
  taskPlan,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import type { TaskPlan } from '../commands.js';
import { inferredAssociation } from './infer.js';
import type { LegacyReport } from './report.js';

const NONE = { kind: 'none', taskId: null };
const found = (taskId: string, basis: string): object => ({ kind: 'inferred', taskId, basis });

const about = (taskId: string, contract: TaskContract): TaskPlan => ({ ...taskPlan(taskId, []), contract });
const inWords = (taskId: string, description: string): TaskPlan => ({ taskId, title: null, description, criteria: [] });
const withCommand = (taskId: string, command: string, more: Partial<CriterionBody> = {}): TaskPlan =>
  taskPlan(taskId, [{ ...commandCriterion('c1', command, null), ...more } as CriterionBody]);

const planned = (...tasks: readonly TaskPlan[]): GivenSession => played(givenOpened(), activatePlan({ tasks }));

function inferredIn({ events }: GivenSession, change: Partial<LegacyReport> = {}): Association {
  const report: LegacyReport = {
    key: FINGERPRINT_KEY,
    action: 'read_file',
    generation: null,
    args: 'plain.txt',
    taskId: null,
    planId: null,
    ...change,
  };
  return inferredAssociation(stateAfter(events), report);
}

const accepted = (taskId: string): readonly Play[] => [
  changeTask('start', taskId),
  completeTask({}, { taskId, acceptance: freeText('it is so') }),
];

describe('a task with a contract', () => {
  it('is found by its action and its arguments', () => {
    const given = planned(about('t1', { action: 'read_file', args: 'plain.txt' }), about('t2', { action: 'read_file', args: 'b.txt' }));
    expect(inferredIn(given)).toEqual(found('t1', 'contract_args'));
    expect(inferredIn(given, { args: 'b.txt' })).toEqual(found('t2', 'contract_args'));
    for (const args of ['c.txt', 'Plain.txt', 'plain', '', null]) expect(inferredIn(given, { args })).toEqual(NONE);
    expect(inferredIn(given, { action: 'write_file' })).toEqual(NONE);
    const only = planned(about('t1', { action: 'read_file', args: 'plain.txt' }));
    for (const args of ['b.txt', '', null]) expect(inferredIn(only, { args })).toEqual(NONE);
  });

  it('is found by its action alone if it names no arguments', () => {
    for (const contract of [{ action: 'read_file' }, { action: 'read_file', args: '' }, { action: 'read_file', args: ' \r\n' }]) {
      const given = planned(about('t1', contract));
      for (const args of ['plain.txt', '', null]) expect(inferredIn(given, { args })).toEqual(found('t1', 'contract'));
      expect(inferredIn(given, { action: 'list_dir' })).toEqual(NONE);
    }
  });

  it('is found by either spelling of an action, by the task manager’s aliases', () => {
    for (const [one, other] of [
      ['bash', 'run_cmd'],
      ['run_cmd', ' SH '],
      ['Status', 'git_status'],
      ['write', 'write_file'],
    ] as const) {
      expect(inferredIn(planned(about('t1', { action: one, args: 'x' })), { action: other, args: 'x' })).toEqual(
        found('t1', 'contract_args'),
      );
    }
    expect(inferredIn(planned(about('t1', { action: 'run_cmd' })), { action: 'exec' })).toEqual(NONE);
    expect(inferredIn(planned(about('t1', { action: 'exec' })), { action: 'exec' })).toEqual(found('t1', 'contract'));
  });

  it('takes an edit for a write as its runtime’s generation did', () => {
    const writes = planned(about('t1', { action: 'write_file' }));
    const edits = planned(about('t1', { action: 'edit_file' }));
    const edit = (given: GivenSession, generation: string | null): string | null =>
      inferredIn(given, { action: 'edit_file', generation }).taskId;
    expect([edit(writes, '1'), edit(writes, '2'), edit(writes, null)]).toEqual([null, 't1', 't1']);
    expect([edit(edits, '1'), edit(edits, '2'), edit(edits, null)]).toEqual(['t1', 't1', 't1']);
  });

  it('takes line breaks for blanks, and compares the whole text', () => {
    const long = `a.txt|${'x'.repeat(1500)}`;
    const given = planned(
      about('t1', { action: 'write_file', args: 'a.txt|one\r\ntwo\n' }),
      about('t2', { action: 'write_file', args: `${long}1` }),
    );
    for (const args of ['a.txt|one two', ' a.txt|one\ntwo', 'a.txt|one\r\ntwo\n'])
      expect(inferredIn(given, { action: 'write_file', args })).toEqual(found('t1', 'contract_args'));
    expect(inferredIn(given, { action: 'write_file', args: 'a.txt|one  two' })).toEqual(NONE);
    expect(inferredIn(given, { action: 'write_file', args: `${long}1` })).toEqual(found('t2', 'contract_args'));
    expect(inferredIn(given, { action: 'write_file', args: `${long}2` })).toEqual(NONE);
  });

  it('takes odd text for what it is', () => {
    const given = planned(about('t1', { action: 'read_file', args: '\ud800' }), about('t2', { action: 'read_file', args: 'a\0b' }));
    expect(inferredIn(given, { args: '\ud800' })).toEqual(found('t1', 'contract_args'));
    expect(inferredIn(given, { args: '\ud801' })).toEqual(NONE);
    expect(inferredIn(given, { args: 'a\0b' })).toEqual(found('t2', 'contract_args'));
  });

  it('is decided by it alone, whatever its criteria are', () => {
    const task = { ...withCommand('t1', 'npm test'), contract: { action: 'read_file' } };
    expect(inferredIn(planned(task), { action: 'run_cmd', args: 'npm test' })).toEqual(NONE);
    expect(inferredIn(planned(task))).toEqual(found('t1', 'contract'));
  });
});

describe('a task with command criteria', () => {
  it('is found by exactly one of their commands', () => {
    const given = planned(
      taskPlan('t1', [commandCriterion('c1', 'npm run lint', null), commandCriterion('c2', 'npm test', null)]),
      withCommand('t2', 'make'),
    );
    const run = (args: string | null): Association => inferredIn(given, { action: 'bash', args });
    expect(run('npm test')).toEqual(found('t1', 'criterion_args'));
    expect(run(' npm run lint\n')).toEqual(found('t1', 'criterion_args'));
    expect(run('make')).toEqual(found('t2', 'criterion_args'));
    for (const args of ['npm  test', 'npm test || true', 'echo npm test', 'NPM test', '', null]) expect(run(args)).toEqual(NONE);
  });

  it('is found in the spelling in which the criterion stands', () => {
    const given = planned(withCommand('t1', 'make\ntest'), withCommand('t2', 'make lint'));
    expect(inferredIn(given, { action: 'run_cmd', args: 'make\ntest' })).toEqual(found('t1', 'criterion_args'));
    expect(inferredIn(given, { action: 'run_cmd', args: 'make\nlint' })).toEqual(found('t2', 'criterion_args'));
  });

  it.each(['run', 'bash', 'exec', 'run_cmd', 'run_terminal_command'])('whose tool is called %s asks for a command', (name) => {
    const given = planned(withCommand('t1', 'npm test', { tool: { source: 'builtin', name } }));
    expect(inferredIn(given, { action: 'run_cmd', args: 'npm test' })).toEqual(found('t1', 'criterion_args'));
    expect(inferredIn(given, { action: 'write_file', args: 'npm test' })).toEqual(NONE);
  });

  it('whose tool is another asks for that', () => {
    const given = planned(withCommand('t1', 'all', { tool: { source: 'builtin', name: 'Make' } }));
    expect(inferredIn(given, { action: 'make', args: 'all' })).toEqual(found('t1', 'criterion_args'));
    expect(inferredIn(given, { action: 'run_cmd', args: 'all' })).toEqual(NONE);
  });

  it('is not found where the criterion names a directory, or a list of arguments', () => {
    const tasks = [taskPlan('t1', [commandCriterion()]), withCommand('t2', 'x', { command: ['npm', 'test'] })];
    expect(inferredIn(planned(...tasks), { action: 'run_cmd', args: 'npm test' })).toEqual(NONE);
  });
});

describe('of several tasks', () => {
  const exact = about('exact', { action: 'run_cmd', args: 'npm test' });
  const loose = about('loose', { action: 'run_cmd' });
  const command = withCommand('command', 'npm test');
  const run = { action: 'run_cmd', args: 'npm test' };

  it('the highest score wins, wherever it stands', () => {
    expect(inferredIn(planned(command, loose, exact), run)).toEqual(found('exact', 'contract_args'));
    expect(inferredIn(planned(exact, loose, command), run)).toEqual(found('exact', 'contract_args'));
    expect(inferredIn(planned(command, loose), run)).toEqual(found('loose', 'contract'));
    expect(inferredIn(planned(loose, command), { ...run, args: 'make' })).toEqual(found('loose', 'contract'));
  });

  it('a tie matches nothing, at any height, and a lower score is no way out', () => {
    for (const task of [exact, loose, command]) {
      expect(inferredIn(planned(task, { ...task, taskId: 'twin' }), run)).toEqual(NONE);
    }
    expect(inferredIn(planned(exact, { ...exact, taskId: 'twin' }, loose, command), run)).toEqual(NONE);
    // The tie is among the highest: one below it stands in nobody's way.
    expect(inferredIn(planned(exact, loose, { ...loose, taskId: 'twin' }), run)).toEqual(found('exact', 'contract_args'));
  });

  it('only pending and running ones are looked at', () => {
    const given = planned(exact, { ...exact, taskId: 'twin' });
    expect(inferredIn(played(given, changeTask('start', 'twin')), run)).toEqual(NONE);
    for (const plays of [
      [changeTask('cancel', 'twin')],
      [changeTask('block', 'twin')],
      [changeTask('start', 'twin'), changeTask('fail', 'twin')],
      accepted('twin'),
    ]) {
      expect(inferredIn(played(given, ...plays), run)).toEqual(found('exact', 'contract_args'));
    }
    const reopened = played(given, changeTask('cancel', 'twin'), changeTask('reopen', 'twin'));
    expect(inferredIn(reopened, run)).toEqual(NONE);
  });

  it('one that was added later counts as any other', () => {
    expect(inferredIn(played(planned(loose), addTask(exact)), run)).toEqual(found('exact', 'contract_args'));
  });
});

describe('a plan in words alone', () => {
  const steps = [inWords('t1', 'Inspect the repository'), inWords('t2', 'Write the parser'), inWords('t3', 'Run the tests')];
  const given = planned(...steps);

  it('gives its first unfinished step if its words hint at what was done', () => {
    for (const action of ['read_file', 'list_dir', 'list_tree', 'find_files'])
      expect(inferredIn(given, { action })).toEqual(found('t1', 'ordered_plan'));
    expect(inferredIn(played(given, changeTask('start')), {})).toEqual(found('t1', 'ordered_plan'));
    for (const action of ['write_file', 'run_cmd', 'git_push', 'anything']) expect(inferredIn(given, { action })).toEqual(NONE);
  });

  it('goes on with the next one, and back to the last that succeeded and fits', () => {
    const second = played(given, ...accepted('t1'));
    expect(inferredIn(second, { action: 'write' })).toEqual(found('t2', 'ordered_plan'));
    expect(inferredIn(second, { action: 'read_file' })).toEqual(found('t1', 'ordered_plan'));
    expect(inferredIn(second, { action: 'run_cmd' })).toEqual(NONE);
    const third = played(second, ...accepted('t2'));
    expect(inferredIn(third, { action: 'bash' })).toEqual(found('t3', 'ordered_plan'));
    expect(inferredIn(third, { action: 'write_file' })).toEqual(found('t2', 'ordered_plan'));
    expect(inferredIn(third, { action: 'find_files' })).toEqual(found('t1', 'ordered_plan'));
  });

  it('gives the latest of several earlier steps that fit', () => {
    const twice = planned(inWords('t1', 'Read it'), inWords('t2', 'Read it again'), inWords('t3', 'Write'));
    expect(inferredIn(played(twice, ...accepted('t1'), ...accepted('t2')))).toEqual(found('t2', 'ordered_plan'));
  });

  it('passes over steps that are blocked, failed or cancelled, and never goes back to them', () => {
    for (const plays of [[changeTask('block')], [changeTask('start'), changeTask('fail')], [changeTask('cancel')]]) {
      const passed = played(given, ...plays);
      expect(inferredIn(passed, { action: 'write_file' })).toEqual(found('t2', 'ordered_plan'));
      expect(inferredIn(passed)).toEqual(NONE);
    }
  });

  it('gives nothing once every step is over', () => {
    expect(inferredIn(played(given, ...steps.flatMap(({ taskId }) => accepted(taskId))))).toEqual(NONE);
  });

  it.each([
    ['a contract', about('t4', { action: 'git_push' })],
    ['a command criterion', withCommand('t4', 'npm test')],
  ])('gives nothing as soon as a task of it has %s, finished or not', (_what, task) => {
    const mixed = planned(...steps, task);
    expect(inferredIn(mixed)).toEqual(NONE);
    expect(inferredIn(played(mixed, changeTask('cancel', 't4')))).toEqual(NONE);
  });

  it('takes criteria that name no command for words', () => {
    const criteria: CriterionBody[] = [
      { id: 'c1', kind: 'evidence', description: 'git_push' },
      { id: 'c2', kind: 'effect', path: 'a', sha256: 'a'.repeat(64) },
      { id: 'c3', kind: 'attestation', role: 'approver' },
    ];
    expect(inferredIn(planned({ ...inWords('t1', 'List all'), criteria }))).toEqual(found('t1', 'ordered_plan'));
  });

  it('says nothing with words that were redacted', () => {
    expect(inferredIn(planned(inWords('t1', 'token: FAKEread-list-tree')))).toEqual(NONE);
  });
});

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

describe('where no plan is meant', () => {
  const given = planned(about('t1', { action: 'read_file' }));

  it('there is nothing to find', () => {
    expect(inferredIn(givenOpened())).toEqual(NONE);
    expect(inferredIn(played(given, closePlan()))).toEqual(NONE);
    expect(inferredIn(given, { planId: 'p2' })).toEqual(NONE);
    expect(inferredIn(given, { planId: 'p1' })).toEqual(found('t1', 'contract'));
    expect(inferredIn(planned(inWords('t1', 'read')), { planId: 'p2' })).toEqual(NONE);
  });
});
