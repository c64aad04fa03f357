import { SESSION_EVENTS, type CounterfoilEvent, type ReceiptDocument } from '@counterfoil/contracts';
import {
  activatePlan,
  freeJson,
  givenOpened,
  observeToolCall,
  played,
  projecting,
  receiptIdFor,
  recordedIn,
  reportLegacyExecution,
  STREAM,
  taskPlan,
  type LegacyChange,
  type Play,
} from '@counterfoil/testing';
import { compatView } from './compat.js';
import { receiptFields } from './indexes.js';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

/** The receipt that a session leads to, over the decisions themselves. */
function receiptOf(receiptId: string, ...plays: readonly Play[]): ReceiptDocument {
  const { events } = played(
    givenOpened(),
    activatePlan({ tasks: [{ ...taskPlan('t1', []), contract: { action: 'read_file' } }] }),
    ...plays,
  );
  const parts = events.map(({ type, data }) => ({ type, data: SESSION_EVENTS[type].parse(data) }) as CounterfoilEvent);
  return given(...recordedIn(STREAM, ...parts)).doc(receiptId);
}

const legacy = (change: LegacyChange = {}): ReceiptDocument =>
  receiptOf(receiptIdFor('legacy:receipt_1', 'legacy'), reportLegacyExecution(change));

describe('the receipt of a call that an old runtime reported', () => {
  it('shows what the old record said, and is never shown as authorised', () => {
    expect(legacy({ success: false, authorized: true, failure: 'nonzero_exit' })).toMatchObject({
      status: 'failed',
      callIdSource: 'legacy',
      authorisation: { kind: 'observed', approvalId: null, by: null, recorded: { authorized: true, failure: 'nonzero_exit' } },
      provenance: { kind: 'live' },
    });
    expect(legacy({ authorized: null }).authorisation).toMatchObject({ kind: 'observed', recorded: { authorized: null, failure: null } });
  });

  it('shows by which rule its task was inferred, is listed by that, and bound to none', () => {
    const receipt = legacy();
    expect(receipt).toMatchObject({ association: { kind: 'inferred', taskId: 't1', basis: 'contract' }, taskId: null, planId: null });
    expect(receiptFields(receipt)).toMatchObject({ task: 't1' });
  });

  it('gives back its old keys', () => {
    const { cut, ...view } = compatView(legacy({ operationId: 'op', exitCode: 3, success: false, acceptance: freeJson('"make test"') }));
    expect(cut).toBe(false);
    expect(Object.entries(view)).toEqual([
      ['receipt_id', 'receipt_1'],
      ['operation_id', 'op'],
      ['action', 'read_file'],
      ['args', 'plain.txt'],
      ['authorized', true],
      ['started_at', '2026-11-30T13:23:40.917135+00:00'],
      ['completed_at', '2026-11-30T13:23:41+00:00'],
      ['success', false],
      ['result', 'done'],
      ['failure', null],
      ['exit_code', 3],
      ['verified_effect', null],
      ['acceptance', 'make test'],
      ['task_id', null],
    ]);
  });
});

it('a finished call with a native id has nothing recorded beside it, and no basis', () => {
  const native = receiptOf(receiptIdFor(), observeToolCall());
  expect(native.authorisation).toEqual({ kind: 'observed', approvalId: null, by: null, recorded: null });
  expect(native.association).toEqual({ kind: 'none', taskId: null });
  expect(native.original).toBeNull();
});
