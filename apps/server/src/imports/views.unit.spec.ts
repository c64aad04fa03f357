import { ImportView, type ImportDocument } from '@counterfoil/contracts';
import { foldAll, importFinished, importStream, recordedIn } from '@counterfoil/testing';
import { importsProjection } from '@counterfoil/read-models';
import { beginningView, documentView } from './views.js';

function documentOf(facts: Parameters<typeof importFinished>[0]): ImportDocument {
  const [doc] = foldAll(importsProjection, recordedIn(importStream('run-1'), importFinished(facts))).values();
  if (doc === undefined) throw new Error('there is no document');
  return doc;
}

it.each([
  [{}, 'finished', null],
  [{ interrupted: true }, 'interrupted', null],
  [{ inputs: 9, failedInputs: 2 }, 'failed', 'import_unreadable'],
  [{ interrupted: true, inputs: 9, failedInputs: 2 }, 'interrupted', null],
] as const)('an import of the ledger that ended with %j is %s', (facts, state, code) => {
  const view = documentView(documentOf(facts));
  expect([view.state, view.error?.code ?? null]).toEqual([state, code]);
  expect(ImportView.parse(view)).toEqual(view);
});

it('one that has only begun has counted nothing', () => {
  const view = beginningView('run-1', 'person:importer', true);
  expect(ImportView.parse(view)).toEqual(view);
  expect(view).toMatchObject({ state: 'running', totals: { read: 0 }, finishedAt: null, dryRun: true });
});
