import { codeOf } from '@counterfoil/testing';
import { ImportRuns, IMPORTS_AT_ONCE } from './import-runs.js';
import { beginningView } from './views.js';

const viewOf = (run: string): ReturnType<typeof beginningView> => beginningView(run, 'person:importer', false);

let runs: ImportRuns;
beforeEach(() => {
  runs = new ImportRuns();
});

const begin = (run: string, workspace = 'w1'): ReturnType<ImportRuns['begin']> => runs.begin(workspace, run, () => viewOf(run));

it('a run is found while it runs, with how far it is when it is asked', () => {
  let bytes = 1;
  begin('a').follow(() => ({ ...viewOf('a'), bytes }));
  expect(runs.find('w1', 'a')).toMatchObject({ state: 'running', bytes: 1 });
  bytes = 2;
  expect(runs.find('w1', 'a')).toMatchObject({ bytes: 2 });
});

it('and after its end, with how it ended', () => {
  const run = begin('a');
  run.end({ ...viewOf('a'), state: 'failed' });
  expect(runs.find('w1', 'a')).toMatchObject({ state: 'failed' });
});

it('in its workspace alone', () => {
  begin('a').end(viewOf('a'));
  begin('b');
  expect([runs.find('w2', 'a'), runs.find('w2', 'b')]).toEqual([null, null]);
  begin('b', 'w2');
});

it('one of a name runs at a time; when it has ended it may go on under its name', () => {
  const first = begin('a');
  expect(codeOf(() => begin('a'))).toBe('import_running');
  first.end({ ...viewOf('a'), state: 'interrupted' });
  begin('a');
  expect(runs.find('w1', 'a')).toMatchObject({ state: 'running' });
});

it('one that ended as if it had never begun leaves nothing', () => {
  begin('a').end(null);
  expect(runs.find('w1', 'a')).toBeNull();
});

it('a server takes so many at once, and another one when one has ended', () => {
  const all = Array.from({ length: IMPORTS_AT_ONCE }, (_, n) => begin(String(n), `w${String(n)}`));
  expect(codeOf(() => begin('more'))).toBe('too_many_imports');
  all[0]?.end(null);
  begin('more');
});

it('the last hundred that ended are kept; one that ended again is the last', () => {
  for (let n = 0; n < 100; n++) begin(String(n)).end(viewOf(String(n)));
  begin('0').end(viewOf('0'));
  begin('new').end(viewOf('new'));
  expect(['0', '1', '2', 'new'].map((run) => runs.find('w1', run) !== null)).toEqual([true, false, true, true]);
});
