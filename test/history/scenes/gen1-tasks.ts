import type { Fate, Json } from '../known.js';
import { moment, OldHistory } from '../old-history.js';
import { scopeKey, taskKey } from '../old-hashes.js';
import { asDict, EXITED, EXITED_0, expected, type Facts, inChat, NO_STATUS, READ, receiptEvent, streamed, WRITE } from '../old-receipts.js';

const task = (recorded: string, evidence: number): Fate => ({ is: 'task', status: recorded, recorded, evidence, generation: '1' });
const OTHER: Fate = { is: 'other' };

/** Tasks of generation 1 with their evidence, the log of them, learning, bug fixes, and what else stood between the receipts. */
export function gen1Tasks(): OldHistory {
  const history = new OldHistory('gen1 tasks', 3);
  const scope = scopeKey('local', 'source-7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c', 'chat-invented-1');
  const id = `task_${scope}_${taskKey('inspect')}`;
  planned(history, id);
  log(history, id);
  learning(history);
  bugFix(history);
  others(history, id);
  shown(history, id);
  return history;
}

/** A step of an ordered plan; the worker's evidence beside it names no receipt. */
function planned(history: OldHistory, id: string): void {
  const read = asDict(history, '1', 'planned', { action: 'read_file', args: 'plain.txt', result: 'alpha\nbeta' });
  receiptEvent(history, '1', inChat(read, id), READ, { task_id: id });
  const { receipt_id, action, args, result, success } = read;
  const ordered_plan = { id: taskKey('a\nb'), index: 0, total: 2 };
  const piece = {
    action,
    args,
    receipt_id,
    result,
    success,
    ordered_plan,
    task_id: id,
    acceptance: 'verified receipt for planned action read_file',
  };
  const worker = {
    action: 'write_file',
    args: 'm.txt|x',
    result: 'Wrote 1 characters',
    success: true,
    acceptance: 'durable task action completed',
    task_id: id,
  };
  const fate = (old: Json, facts: Facts & { generation: string }): Fate => ({
    is: 'receipt',
    surface: 'task.evidence',
    expected: expected(facts.generation, old, facts),
  });
  history.task(
    {
      id,
      status: 'succeeded',
      description: 'Inspect: read it',
      acceptance: [{ criterion: 'seen' }],
      checkpoint: { action, args, ordered_plan, ordered_receipt: true },
      evidence: [piece, worker],
    },
    [
      task('succeeded', 2),
      fate(piece, { ...READ, generation: '1', association: `recorded/task_row ${id}` }),
      // Nothing tells a worker's evidence from that of older days.
      fate(worker, { ...WRITE, generation: '0b' }),
    ],
  );
  for (const status of ['failed', 'blocked', 'cancelled', 'pending', 'running']) {
    const contract = { action: 'run_cmd', args: 'true', ordered_plan };
    history.task({ id: `${id}${status}`, status, checkpoint: contract, parent_id: 'task_of_nobody' }, [task(status, 0)]);
  }
}

const LED: readonly (readonly [string, Json, string | null])[] = [
  ['created', { description: 'x' }, 'pending'],
  ['claimed', { attempt: 1 }, 'running'],
  ['running', {}, 'running'],
  ['checkpoint', { checkpoint: { action: 'run_cmd', args: 'true' } }, null],
  ['blocked', {}, 'blocked'],
  ['resumed', { previous_status: 'blocked' }, 'pending'],
  ['recovered', { previous_status: 'running' }, 'pending'],
  ['failed', { evidence: null }, 'failed'],
  ['cancelled', { evidence: {} }, 'cancelled'],
];

function log(history: OldHistory, id: string): void {
  for (const [name, payload, to] of LED) {
    history.event(`task.${name}`, payload, [{ is: 'transition', transition: `task.${name}`, to }], { task_id: id });
  }
  const { receipt_id } = asDict(history, '1', 'planned', { action: 'read_file', args: 'plain.txt' });
  const evidence = { action: 'read_file', args: 'plain.txt', receipt_id, result: 'alpha', success: true, task_id: id };
  const copy: Fate = { is: 'copy', surface: 'task.event.evidence', receiptId: String(receipt_id) };
  history.event('task.succeeded', { evidence }, [{ is: 'transition', transition: 'task.succeeded', to: 'succeeded' }, copy], {
    task_id: id,
  });
}

function learning(history: OldHistory): void {
  const tool = streamed(asDict(history, '1', 'learned', { action: 'run_cmd', args: 'make test', exitCode: 0 }), null);
  const receiptId = String(tool['receipt_id']);
  const payload = {
    run_id: `learnrun_${history.id('run')}`,
    profile: 'coder',
    receipts: [{ artifact: 'skill-demo', note: 'no tool receipts' }],
    tools: [tool, tool],
    acceptance_evidence: [tool],
    result: 'Tool receipt in prose: {"action": "x", "success": true}',
  };
  const copy = (surface: string): Fate => ({ is: 'copy', surface, receiptId });
  history.event('learning.run_completed', payload, [OTHER, copy('learning.acceptance'), copy('learning.tools'), copy('learning.tools')]);
}

function bugFix(history: OldHistory): void {
  const of = { workflow_id: 'fix_1', attempt_id: 'attempt_1', task_id: `task_fix_${history.id('fix')}`, observed: true };
  const call = { ...of, action: 'run_cmd', result: 'Exit code 1', stage: 'reproduced' };
  const facts = (old: Json, more: Partial<Facts>): Fate => ({
    is: 'receipt',
    surface: 'bug_fix.receipt',
    expected: expected('1', old, { ...NO_STATUS, status: old['tool_success'] === true ? 'succeeded' : 'failed', ...more }),
  });
  const failing = { ...call, receipt_id: `receipt_${history.id('bug')}`, args: 'make test', tool_success: false };
  const flags = { anomalies: ['failed_without_failure_code'] };
  history.event('bug_fix.receipt', failing, [facts(failing, { args: { command: 'make test' }, ...flags })]);
  const cut = {
    ...call,
    receipt_id: `fix_receipt_${history.id('bug')}`,
    args: 'a'.repeat(500),
    result: 'r'.repeat(1000),
    tool_success: true,
  };
  history.event('bug_fix.receipt', cut, [facts(cut, { fidelity: ['bounded_500'], anomalies: ['result_possibly_truncated'] })]);
  const copied = { action: 'run_cmd', args: 'make test', receipt_id: failing.receipt_id, tool_success: false };
  const stage = { ...of, stage: 'reported', evidence: [copied], error_signature: history.id('signature').slice(0, 16) };
  history.event('bug_fix.stage', stage, [OTHER, { is: 'copy', surface: 'bug_fix.stage', receiptId: failing.receipt_id }]);
}

function others(history: OldHistory, id: string): void {
  const step = { id: 'one', title: 'One', description: 'Do it', acceptance: ['done'] };
  const plan = { plan_id: `plan_${history.id('plan')}`, version: 1 };
  const events: readonly (readonly [string, unknown])[] = [
    ['interaction.mode_changed', { mode: 'plan' }],
    ['interaction.plan_proposed', { ...plan, title: 'T', summary: 'S', steps: [step] }],
    ['interaction.plan_accepted', plan],
    ['interaction.plan_completed', { ...plan, status: 'failed' }],
    ['permission.mode_changed', { mode: 'ask' }],
    ['permission.decision', { action: 'run_cmd', category: 'opaque_or_high_impact_command', mode: 'ask', outcome: 'allowed' }],
    ['history.rollback', { target_id: 'hist_1', recovery_id: 'hist_2' }],
    ['history.restored', { node_id: 'hist_1', interaction: { mode: 'auto' } }],
    ['migration.v1_completed', {}],
    ['session.message', { role: 'user', content: `Tool receipt receipt_${history.id('planned')} (read_file): # x` }],
    ['session.message', { role: 'system', content: "[UNTRUSTED CONTEXT COMPACTION DIGEST] - `run_cmd('make')` returned:\nok" }],
    ['context.status', { tokens: 9007199254740993n }],
    ['agent.delegation_decided', { task_id: id, why: '"action"' }],
    ['mystery.happened', { anything: [null, 1.5] }],
  ];
  for (const [type, payload] of events) history.event(type, payload, [OTHER]);
  // A type that nobody knows, with a call in it.
  const held = { action: 'run_cmd', success: true, receipt_id: `receipt_${history.id('held')}` };
  history.event('mystery.receipts', { deep: { er: [held] } }, [
    OTHER,
    { is: 'copy', surface: 'mystery.receipts', receiptId: held.receipt_id },
  ]);
}

/** What the stream and the terminal showed: with no times and no exit code, and again when a task was found. */
function shown(history: OldHistory, id: string): void {
  const ok = asDict(history, '1', 'shown', { action: 'run_cmd', args: 'make lint', exitCode: 0 });
  receiptEvent(history, '1', inChat(ok, id), EXITED_0, { task_id: id, created_at: moment(900) });
  const bad = asDict(history, '1', 'shown bad', { action: 'run_cmd', args: 'false', success: false, failure: 'nonzero_exit', exitCode: 1 });
  receiptEvent(history, '1', inChat(bad), EXITED);
  const fate = (surface: string, old: Json): Fate => ({
    is: 'receipt',
    surface,
    expected: expected('1', old, { ...NO_STATUS, exitCode: null }),
  });
  for (const [dict, taskId] of [
    [ok, null],
    [ok, id],
    [bad, null],
  ] as const) {
    const old = streamed(dict, taskId);
    history.line({ event: 'tool_receipt', tool_receipt: old }, [fate('stream', old)]);
    history.line({ v: 1, event: 'tool_receipt', request_id: 'req-1', receipt: old }, [fate('terminal', old)]);
  }
  history.line({ event: 'tasks', tasks: [{ id, description: 'x', status: 'running' }] }, [OTHER]);
  history.line({ v: 1, event: 'error', request_id: 'req-1', error: 'event_too_large' }, [OTHER]);
  history.line({ v: 1, event: 'learned', request_id: 'req-1', receipt: { artifact: 'skill' } }, [OTHER]);
  const unreadable: Fate = { is: 'aside', surface: 'receipt', reason: 'payload_unreadable' };
  history.line({ event: 'tool_receipt', tool_receipt: null }, [unreadable]);
}
