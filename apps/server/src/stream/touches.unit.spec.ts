import type { LedgerEvent } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalRequested,
  evidenceRecorded,
  historicalReceiptImported,
  plannedTask,
  RECEIPT,
  sessionOpened,
  SESSION,
  STREAM,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  WORKSPACE,
  workingPlanActivated,
} from '@counterfoil/testing';
import { STREAM_KINDS, touchesOf } from './touches.js';

const ALL = new Set(STREAM_KINDS);

/** As it is read from a session's stream. */
const recorded = (event: { readonly type: string; readonly data: unknown }, more: object = {}): LedgerEvent =>
  ({ stream: STREAM, revision: 1n, position: 5n, id: 'x', version: 1, metadata: {}, part: 0, parts: 1, ...event, ...more }) as LedgerEvent;

const receipt = { kind: 'receipt', id: RECEIPT };
const approval = { kind: 'approval', id: `${WORKSPACE}/${APPROVAL}` };
const task = (taskId: string): object => ({ kind: 'task', id: `${WORKSPACE}/${SESSION}/p1/${taskId}` });

it.each([
  ['a request', toolCallRequested(), [receipt]],
  [
    'a request for a task',
    toolCallRequested({ association: { kind: 'task', taskId: 't1' }, planId: 'p1', taskId: 't1' }),
    [receipt, task('t1')],
  ],
  ['an approval that is asked for', approvalRequested(), [receipt, approval]],
  ['a dispatch that uses an approval up', toolDispatched({ approvalId: APPROVAL }), [receipt, approval]],
  ['a dispatch without one', toolDispatched(), [receipt]],
  ['a result', toolExecuted(), [receipt]],
  ['a plan: each of its tasks', workingPlanActivated({ tasks: [plannedTask('t1'), plannedTask('t2')] }), [task('t1'), task('t2')]],
  ['evidence: its task, and not the receipt that it rests on', evidenceRecorded(), [task('t1')]],
  ['a session', sessionOpened(), []],
])('%s', (_what, event, expected) => {
  expect(touchesOf([recorded(event)], ALL)).toEqual(expected);
});

it('the parts of one imported record touch one receipt once', () => {
  const parts = [recorded(toolCallRequested(), { part: 0 }), recorded(toolExecuted(), { part: 1 })];
  expect(touchesOf(parts, ALL)).toEqual([receipt]);
});

it('only what was asked for', () => {
  expect(touchesOf([recorded(approvalRequested())], new Set(['approval']))).toEqual([approval]);
  expect(touchesOf([recorded(approvalRequested())], new Set(['task']))).toEqual([]);
});

it('an event of a later version, and one that no projection can read, touch nothing', () => {
  expect(touchesOf([recorded({ type: 'SomethingNew', data: { receiptId: RECEIPT } })], ALL)).toEqual([]);
  const broken = toolCallRequested({ association: { kind: 'task', taskId: 't1' }, planId: null, taskId: null });
  expect(touchesOf([recorded(broken)], ALL)).toEqual([receipt]);
});

it('what an importer stored counts once it is upcast', () => {
  expect(touchesOf([recorded(historicalReceiptImported(), { stream: `history-${WORKSPACE}/r` })], ALL)).toEqual([receipt]);
});
