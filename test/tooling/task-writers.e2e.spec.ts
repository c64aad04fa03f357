import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TASK_EVENT = /^(WorkingPlan(Activated|Closed)|Task(Added|Started|Blocked|Unblocked|Succeeded|Failed|Cancelled|Reopened))$/;

/** What an old system said of its tasks: read, and obeyed by nobody. */
const OLD_TASK_EVENT = /^Historical(Task|Transition)Imported$/;

/** What runs in production, by path. */
function sources(): ReadonlyMap<string, ts.SourceFile> {
  const found = new Map<string, ts.SourceFile>();
  for (const top of ['apps', 'libs']) {
    for (const name of readdirSync(path.join(ROOT, top), { recursive: true, encoding: 'utf8' })) {
      const file = path.posix.join(top, name.replaceAll(path.sep, '/'));
      if (!file.endsWith('.ts') || /\.(spec|child)\.ts$|\/testing\//.test(file)) continue;
      found.set(file, ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true));
    }
  }
  return found;
}

const all = sources();

/** Files that hold such a node, in order. */
function filesWith(test: (node: ts.Node) => boolean): string[] {
  const has = (node: ts.Node): boolean => test(node) || (ts.forEachChild(node, (child) => (has(child) ? true : undefined)) ?? false);
  return [...all]
    .filter(([, source]) => has(source))
    .map(([file]) => file)
    .sort();
}

/** `event('TaskStarted', …)`, or `type: 'TaskStarted'` in an object. */
function makesTaskEvent(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node) || !TASK_EVENT.test(node.text)) return false;
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.arguments[0] === node && parent.expression.getText() === 'event';
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'type';
}

const namesOldTaskEvent = (node: ts.Node): boolean => (ts.isStringLiteral(node) || ts.isIdentifier(node)) && OLD_TASK_EVENT.test(node.text);

/** `historyEvent(…, 'HistoricalTaskImported', …)`, or `type: 'HistoricalTaskImported'` in an object. */
function makesOldTaskEvent(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node) || !OLD_TASK_EVENT.test(node.text)) return false;
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression.getText() === 'historyEvent';
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'type';
}

/** `store.restore(…)`: events of another ledger as they stand. */
const restores = (node: ts.Node): boolean => ts.isCallExpression(node) && node.expression.getText().endsWith('.restore');

/** `store.append(…)`, but not a part's own method of that name; or the helper that repeats it. */
function appends(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const callee = node.expression.getText();
  return callee === 'appendUntilAnswered' || (callee.endsWith('.append') && callee !== 'this.append');
}

describe('who can write what becomes of a task', () => {
  it('is the decisions on plans and tasks, and no other part', () => {
    expect(filesWith(makesTaskEvent)).toEqual(
      ['activate-plan', 'add-task', 'change-task', 'close-plan', 'complete-task'].map((name) => `libs/session/src/decisions/${name}.ts`),
    );
  });

  it('is not the importer either: what old systems said of tasks is made by it alone, and no decision knows of it', () => {
    expect(new Set(filesWith(makesOldTaskEvent).map((file) => path.posix.dirname(file)))).toEqual(new Set(['libs/history/src/import']));
    const knowing = new Set(filesWith(namesOldTaskEvent).map((file) => file.split('/').slice(0, 2).join('/')));
    expect([...knowing]).toEqual(['libs/contracts', 'libs/history', 'libs/read-models']);
  });

  it('cannot be got round: so few parts append at all', () => {
    // The adapters of the store hand on what they were given.
    const outside = (files: readonly string[]): string[] => files.filter((file) => !file.startsWith('libs/event-store/src/'));
    expect(outside(filesWith(appends))).toEqual([
      'libs/history/src/import/append-once.ts',
      'libs/history/src/import/finish-run.ts',
      'libs/ledger/src/access/access-registry.ts',
      'libs/ledger/src/copy/sealing.ts',
      'libs/ledger/src/sessions/session-repository.ts',
      'libs/ledger/src/store-answers.ts',
      'libs/ledger/src/tools/tool-registry.ts',
    ]);
    expect(outside(filesWith(restores))).toEqual(['libs/ledger/src/copy/restore-call.ts']);
  });
});
