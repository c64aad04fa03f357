import { invented } from './invented-rows.js';
import type { RowJson } from './invented-rows.js';

const TASK = 'task_00aa11bb22cc33dd_44ee55ff66aa77bb';
const RECEIPT = 'receipt_0a0b0c0d0e0f00010203040506070809';

/** What the stream gave of a receipt: no times, no exit code, no effect. */
function projected(changes: RowJson = {}): RowJson {
  return {
    receipt_id: RECEIPT,
    operation_id: '99887766554433221100ffeeddccbbaa',
    action: 'run_cmd',
    args: 'ls docs',
    result: 'plan.md',
    success: true,
    authorized: true,
    acceptance: null,
    failure: null,
    task_id: null,
    ...changes,
  };
}

const evidence0a = { action: 'list_dir', result: 'docs\nplan.md', success: true };
const evidence0b = { action: 'run_cmd', args: 'make lint', result: 'clean', success: true, task_id: TASK, acceptance: 'make lint' };
const evidence2 = {
  action: 'read_file',
  args: 'docs/plan.md',
  args_sha256: '61bf200863ca1adb54d7fa64bc1aafcf84547f3fd3f20db81ae2e3799b88ca77',
  receipt_id: RECEIPT,
  result: '# Plan\n',
  success: true,
  task_id: TASK,
  ordered_plan: { id: '0123456789abcdef', index: 1, total: 2 },
};

const record0c = {
  receipt_id: 'subagent_receipt_abcdabcdabcdabcdabcdabcdabcdabcd',
  action: 'git_push',
  args: 'origin topic',
  result: 'Error: the profile may not push.',
  success: false,
  authorized: false,
};

const of3 = {
  call_id: 'toolu_invented_1',
  call_id_source: 'native',
  arguments: { path: 'a.txt', content: 'one\ntwo' },
  tool_result: { success: true, text: 'Wrote 7 characters' },
  user_id: 'local',
  workspace_id: 'source-99990000999900009999000099990000',
  session_id: 'chat-invented-7',
  plan_id: 'plan_5a5a5a5a',
  task_id: TASK,
  tool_version: '1.2.0',
  tool_source: 'builtin',
  side_effects: 'filesystem',
  verification: {
    state: 'verified',
    method: 'content_compare',
    observed: { sha256: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0', bytes: 7 },
  },
};

/** A row of the old table of tasks; its columns are JSON text, as the database kept them. */
function taskRow(changes: RowJson = {}): RowJson {
  return {
    id: TASK,
    parent_id: null,
    description: 'Check the style',
    status: 'succeeded',
    priority: 0,
    dependencies: '[]',
    acceptance: '[]',
    attempts: 1,
    checkpoint: '{}',
    evidence: JSON.stringify([evidence0b]),
    user_id: 'local',
    workspace_id: 'default',
    session_id: 'chat-invented-7',
    created_at: '2026-05-04T03:02:00+00:00',
    updated_at: '2026-05-04T03:05:00+00:00',
    ...changes,
  };
}

const event = (type: string, payload: unknown, changes: RowJson = {}): RowJson => invented.row({ event_type: type, payload, ...changes });

/** One record of each shape that a call was left in, with values of our own: by generation and surface. */
export const CALLS: Readonly<Record<string, RowJson>> = {
  '0a-evidence': evidence0a,
  '0b-evidence': evidence0b,
  '0c-subagent-record': record0c,
  '0c-subagent-record-of-eight-keys': { ...record0c, success: true, authorized: true, result: 'ok', acceptance: null, evidence: null },
  '1-execution-receipt': invented.row(),
  '1-execution-receipt-text': invented.row({ payload: JSON.stringify(invented.payload()) }),
  '1-execution-receipt-double-encoded': invented.row({ payload: JSON.stringify(JSON.stringify(invented.payload())) }),
  '1-receipt': invented.payload(),
  '1-stream': { event: 'tool_receipt', tool_receipt: projected() },
  '1-stream-embedded-text': { event: 'tool_receipt', tool_receipt: JSON.stringify(projected()) },
  '1-terminal': { v: 1, event: 'tool_receipt', request_id: 'req-9', receipt: projected({ args: 'echo token=<redacted>' }) },
  '1-bug-fix-receipt': event('bug_fix.receipt', {
    action: 'run_cmd',
    args: 'make test',
    attempt_id: 'attempt_1',
    observed: true,
    receipt_id: RECEIPT,
    result: 'Exit code 1',
    stage: 'reproduced',
    task_id: 'task_fix_1',
    tool_success: false,
    workflow_id: 'fix_1',
  }),
  '1b-execution-receipt': invented.row({}, { result: 'one\ntwo' }),
  '1b-subagent-receipt': event('subagent.receipt', {
    run_id: 'subagent_1',
    agent_session_id: 'subagent_1',
    receipt: invented.payload({ action: 'run_cmd', args: 'exit 2', success: false, failure: 'nonzero_exit', exit_code: 2, result: 'a\nb' }),
  }),
  '1b-receipt': invented.payload({ result: 'one\ntwo' }),
  '2-execution-receipt': invented.row({}, { args_sha256: '61bf200863ca1adb54d7fa64bc1aafcf84547f3fd3f20db81ae2e3799b88ca77' }),
  '2-evidence': evidence2,
  '2-receipt-without-digest': invented.payload({ args_sha256: null }),
  '3-execution-receipt': invented.row({ task_id: TASK }, { ...of3, action: 'write_file', args: 'a.txt|one two' }),
  '3-receipt-without-call-id': invented.payload({
    ...of3,
    call_id: null,
    call_id_source: null,
    action: 'write_file',
    args: 'a.txt|one two',
  }),
  '3-receipt-whose-errors-are-cut': invented.payload({
    ...of3,
    action: 'lookup_rate',
    side_effects: 'mystery',
    success: false,
    result: 'Error: the gate…',
    tool_result: { success: false, error: 'the gateway answered with…', truncated: true },
    verification: { state: 'unavailable', method: null, observed: null },
  }),
  'unknown-three-keys': { receipt_id: RECEIPT, action: 'read_file', success: true },
};

export const inventedRecords = { taskRow, projected, event, evidence0a, evidence0b, evidence2, record0c, TASK, RECEIPT };
