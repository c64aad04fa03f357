import type { CounterfoilEvent, EventData, Payload, ReceiptDocument } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  foldAll,
  historyStream,
  importedPair,
  liveCallObserved,
  OPERATION,
  outcomeOf,
  payloadOf,
  RECEIPT,
  receiptNamed,
  recordedAt,
  recordedIn,
  STREAM,
  testLog,
  toolCallAmended,
  toolCallCancelled,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  toolOutcomeLost,
} from '@counterfoil/testing';
import { COMPAT_KEYS, compatView } from './compat.js';
import { receiptsProjection } from './projection.js';

function live(...events: readonly CounterfoilEvent[]): ReceiptDocument {
  const doc = foldAll(receiptsProjection, recordedIn(STREAM, toolCallRequested(), ...events)).get(RECEIPT);
  return doc ?? raise();
}

type Observed = Partial<EventData<'ToolCallObserved'>>;

function imported(original: Payload | null, observed: Observed = {}, surface = 'execution.receipt'): ReceiptDocument {
  const facts = { observed: { ...observed, original }, provenance: { surface } };
  const events = testLog().appendParts(historyStream('x'), importedPair('x', facts));
  return foldAll(receiptsProjection, events).get(receiptNamed('x')) ?? raise();
}

function raise(): never {
  throw new Error('there is no receipt');
}

const PAYLOAD = {
  acceptance: null,
  action: 'read_file',
  args: 'plain.txt',
  authorized: true,
  completed_at: '2026-08-20T09:15:00.654321+00:00',
  exit_code: null,
  failure: null,
  operation_id: 'b4e182f032736afbc560d3e1b4c29850',
  receipt_id: 'receipt_0000000000000000000000000000000a',
  result: 'alpha\u0000 ',
  started_at: '2026-08-20T09:15:00.123456+00:00',
  success: false,
  task_id: null,
  verified_effect: null,
};
const row = (payload: unknown): Payload => payloadOf({ id: 'evt_1', event_type: 'execution.receipt', payload, task_id: 'row task' });

describe('the compat view of an imported receipt', () => {
  it.each([
    ['an object', PAYLOAD],
    ['JSON text', JSON.stringify(PAYLOAD)],
    ['JSON text in JSON text', JSON.stringify(JSON.stringify(PAYLOAD))],
  ])('gives the old keys exactly as a row with %s holds them', (_, payload) => {
    expect(compatView(imported(row(payload)))).toEqual({ ...PAYLOAD, cut: false });
  });

  it('gives every key that was recorded, known here or not, and invents none', () => {
    const more = { args_sha256: 'k1:digest', unmatched_reason: 'No task matched.', unheard_of: { of: [1] }, constructor: 'c' };
    expect(compatView(imported(row({ ...PAYLOAD, ...more })))).toEqual({ ...PAYLOAD, ...more, cut: false });
    const { task_id, ...without } = PAYLOAD;
    expect(task_id).toBeNull();
    expect(compatView(imported(row(without)))).toEqual({ ...without, cut: false });
  });

  it('gives the known keys in their old order, then the others as they were recorded', () => {
    const recorded = { zeta: 1, ...PAYLOAD, beta: 2, args_sha256: 'k1:digest' };
    expect(Object.keys(compatView(imported(row(recorded))))).toEqual([...COMPAT_KEYS, 'zeta', 'beta', 'args_sha256', 'cut']);
  });

  const json = JSON.stringify;
  const entry = { action: 'run_cmd', result: 'ok', success: true };
  it.each([
    ['execution.receipt', { id: 'evt_1', event_type: 'execution.receipt', payload: PAYLOAD }],
    ['bug_fix.receipt', { id: 'evt_1', event_type: 'bug_fix.receipt', payload: json(PAYLOAD) }],
    ['subagent.receipt', { event_type: 'subagent.receipt', payload: { run_id: 'r', receipt: PAYLOAD } }],
    ['subagent.receipt', { event_type: 'subagent.receipt', payload: json({ run_id: 'r', receipt: PAYLOAD }) }],
    ['subagent.receipt', { event_type: 'subagent.receipt', payload: json(json({ receipt: json(PAYLOAD) })) }],
    ['stream', { event: 'tool_receipt', tool_receipt: PAYLOAD }],
    ['stream', { event: 'tool_receipt', tool_receipt: json(json(PAYLOAD)) }],
    ['terminal', { v: 1, event: 'tool_receipt', request_id: 'q', receipt: PAYLOAD }],
    ['receipt', PAYLOAD],
    ['receipt', json(PAYLOAD)],
    ['subagent.record', PAYLOAD],
    ['evidence', PAYLOAD],
    ['task.evidence', PAYLOAD],
  ])('finds the receipt of the surface %s where it stands (%#)', (surface, record) => {
    expect(compatView(imported(payloadOf(record), {}, surface))).toEqual({ ...PAYLOAD, cut: false });
  });

  it.each(['evidence', 'task.evidence'])('gives the three keys of %s of generation 0a, and no more', (surface) => {
    expect(compatView(imported(payloadOf(entry), {}, surface))).toEqual({ ...entry, cut: false });
  });

  it('takes no member of a record for its receipt that is something else there', () => {
    const odd = { ...entry, payload: 'pay', receipt: { receipt_id: 'other' }, tool_receipt: [] };
    expect(compatView(imported(payloadOf(odd), {}, 'evidence'))).toEqual({ ...odd, cut: false });
  });

  it('keeps values of an unexpected kind', () => {
    const odd = { ...PAYLOAD, exit_code: '3', success: 'yes', args: { path: ['a', { b: null }] }, failure: 7 };
    expect(compatView(imported(row(odd)))).toEqual({ ...odd, cut: false });
  });

  it('says that something was cut', () => {
    expect(compatView(imported({ ...row(PAYLOAD), state: 'cut' }))).toEqual({ ...PAYLOAD, cut: true });
  });

  it('says so truly, and loses nothing, where a record has a key of that name itself', () => {
    const odd = { ...PAYLOAD, cut: 'no', recorded_cut: 'neither' };
    const { cut, ...others } = odd;
    expect(compatView(imported(row(odd)))).toEqual({ ...others, recorded_recorded_cut: cut, cut: false });
    expect(compatView(imported({ ...row({ receipt_id: 'r', cut: false }), state: 'cut' }))).toEqual({
      receipt_id: 'r',
      recorded_cut: false,
      cut: true,
    });
  });

  it('takes no more than a payload may, also where a number is longer than it was spelled: then it leaves out the longest', () => {
    const spelled = `{"payload":{"receipt_id":"r","args":[${'1e20,'.repeat(6000)}1],"result":[${'1e20,'.repeat(2000)}1],"n":1e20}}`;
    const view = compatView(imported({ ...row(PAYLOAD), json: spelled }));
    expect(view).toMatchObject({ receipt_id: 'r', args: null, n: 1e20, cut: true });
    expect(view['result']).toHaveLength(2001);
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(65_536);
  });

  it.each([
    ['a payload that was cut in the middle', row(JSON.stringify(PAYLOAD).slice(0, 40))],
    ['a payload that is no object', row([PAYLOAD])],
    ['a row that is no object', payloadOf('cut')],
    ['a row without a payload', payloadOf({ id: 'evt_1' })],
    ['a payload that was encoded once too often', row(JSON.stringify(JSON.stringify(JSON.stringify(PAYLOAD))))],
    ['an original that was erased', { ...payloadOf(null), state: 'erased' as const }],
  ])('is derived and marked as cut for %s', (_, original) => {
    const observed = { status: 'failed', recorded: { authorized: false, failure: 'approval_denied' } } as const;
    expect(compatView(imported(original, observed))).toMatchObject({
      receipt_id: receiptNamed('x'),
      action: 'read_file',
      args: '"plain.txt"',
      authorized: false,
      success: false,
      failure: 'approval_denied',
      started_at: '2026-08-20T09:15:00.123456+00:00',
      completed_at: '2026-08-20T09:15:00.654321+00:00',
      cut: true,
    });
  });

  it('has no value that could not be written as JSON again, and says that it left one out', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const stored = `{"payload":{"receipt_id":"r","args":${deep},"result":${'['.repeat(255)}1${']'.repeat(255)}}}`;
    const view = compatView(imported({ ...row(PAYLOAD), json: stored }));
    expect(view).toMatchObject({ receipt_id: 'r', args: null, cut: true });
    expect(JSON.stringify(view)).toContain('[[[1]]]');
  });

  it('takes no key from a prototype, and keeps one that is named like it', () => {
    const stored = '{"payload":{"__proto__":{"result":"x"},"receipt_id":"r"}}';
    const view = compatView(imported({ ...row(PAYLOAD), json: stored }));
    expect(JSON.stringify(view)).toBe('{"receipt_id":"r","__proto__":{"result":"x"},"cut":false}');
    expect(view['result']).toBeUndefined();
  });
});

describe('the compat view of a live receipt', () => {
  it('gives every old key, derived', () => {
    const doc = live(toolDispatched(), toolExecuted({ outcome: outcomeOf('succeeded', { exitCode: 0 }), result: payloadOf('a\nb') }));
    expect(compatView(doc)).toEqual({
      receipt_id: RECEIPT,
      operation_id: OPERATION,
      action: 'write_file',
      args: '{"path":"a.txt","content":"alpha"}',
      authorized: true,
      started_at: '2027-01-01T08:00:00Z',
      completed_at: '2027-01-01T08:00:01Z',
      success: true,
      result: 'a\nb',
      failure: null,
      exit_code: 0,
      verified_effect: null,
      acceptance: null,
      task_id: null,
      cut: false,
    });
    expect(Object.keys(compatView(doc))).toEqual([...COMPAT_KEYS, 'cut']);
  });

  it('tells our own times where the runner gave none', () => {
    const doc = live(toolDispatched(), toolExecuted({ times: { startedAt: null, completedAt: null } }));
    expect(compatView(doc)).toMatchObject({ started_at: recordedAt(2), completed_at: recordedAt(3) });
  });

  const report = (...of: Parameters<typeof outcomeOf>): CounterfoilEvent => toolExecuted({ outcome: outcomeOf(...of) });
  const asked = approvalRequested();
  it.each([
    ['requested', [], false, null, null],
    ['awaiting_approval', [asked], false, null, null],
    ['approved', [asked, approvalGranted()], false, null, null],
    ['dispatched', [toolDispatched()], true, null, null],
    ['dispatched', [asked, approvalGranted(), toolDispatched({ approvalId: APPROVAL })], true, null, null],
    ['succeeded', [toolDispatched(), report('succeeded', { exitCode: 1 })], true, true, null],
    ['failed', [toolDispatched(), report('failed')], true, false, null],
    ['failed', [toolDispatched(), report('failed', { exitCode: 0 })], true, false, null],
    ['failed', [toolDispatched(), report('failed', { exitCode: 3 })], true, false, 'nonzero_exit'],
    ['failed', [toolDispatched(), report('failed', { exitCode: 3, error: { code: 'oom', message: null } })], true, false, 'oom'],
    ['timed_out', [toolDispatched(), report('timed_out')], true, false, 'timeout'],
    ['interrupted', [toolDispatched(), report('interrupted')], true, false, 'interrupted'],
    ['cancelled', [toolDispatched(), report('cancelled')], true, false, 'cancelled'],
    ['cancelled', [toolCallCancelled()], false, false, 'cancelled'],
    ['unknown', [toolDispatched(), toolOutcomeLost()], true, null, 'unknown'],
    ['succeeded', [liveCallObserved()], false, true, null],
    ['failed', [liveCallObserved({ status: 'failed', outcome: outcomeOf('failed', { exitCode: 2 }) })], false, false, 'nonzero_exit'],
    ['rejected', [toolCallRejected({ code: 'duplicate_operation' })], false, false, 'duplicate_operation'],
    ['denied', [asked, approvalDenied()], false, false, 'approval_denied'],
    ['expired', [asked, approvalExpired()], false, false, 'approval_expired'],
  ] as const)('of a call that is %s (%#)', (status, events, authorized, success, failure) => {
    const doc = live(...events);
    expect(doc.status).toBe(status);
    expect(compatView(doc)).toMatchObject({ authorized, success, failure });
  });

  it('shows an output that is no text as JSON', () => {
    expect(compatView(live(toolDispatched(), toolExecuted({ result: payloadOf({ a: [1] }) }))).result).toBe('{"a":[1]}');
    expect(compatView(live(toolDispatched(), toolExecuted({ result: null }))).result).toBeNull();
  });

  it('gives the edited arguments and their operation, which is what ran', () => {
    expect(compatView(live(asked, toolCallAmended()))).toMatchObject({
      args: '{"path":"a.txt","content":"edited"}',
      operation_id: toolCallAmended().data.operationId,
    });
  });

  it('says that arguments or output were cut', () => {
    const cut: Payload = { ...payloadOf('al…'), state: 'cut', bytes: 900 };
    expect(compatView(live(toolDispatched(), toolExecuted({ result: cut })))).toMatchObject({ result: 'al…', cut: true });
    const doc = foldAll(receiptsProjection, recordedIn(STREAM, toolCallRequested({ arguments: cut }))).get(RECEIPT) ?? raise();
    expect(compatView(doc).cut).toBe(true);
  });
});
