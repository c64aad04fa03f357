import type { CriterionBody } from '@counterfoil/contracts';
import { changeTask, played } from '@counterfoil/testing';
import { about, accepted, found, inferredIn, inWords, NONE, planned, withCommand } from './testing/inferring.js';

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
