import type { Association } from '@counterfoil/contracts';
import { addTask, changeTask, closePlan, commandCriterion, givenOpened, played, taskPlan, type GivenSession } from '@counterfoil/testing';
import { about, accepted, found, inferredIn, inWords, NONE, planned, withCommand } from './testing/inferring.js';

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
