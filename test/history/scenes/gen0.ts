import type { Fate, Json } from '../known.js';
import { OldHistory, UNSCOPED, type Scope } from '../old-history.js';
import { scopeKey, taskKey } from '../old-hashes.js';
import { expected, NO_STATUS, READ, refused, UNSUPPORTED, WRITE, type Facts } from '../old-receipts.js';

const receiptIn = (generation: string, surface: string, old: Json, facts: Facts): Fate => ({
  is: 'receipt',
  surface,
  expected: expected(generation, old, facts),
});

const task = (generation: string, recorded: string, status: string | null, evidence: number): Fate => ({
  is: 'task',
  status,
  recorded,
  evidence,
  generation,
});

const transition = (name: string, to: string | null): Fate => ({ is: 'transition', transition: name, to });

const ANA: Scope = { user_id: 'ana', workspace_id: 'default', session_id: 'sess-a' };
const BEN: Scope = { user_id: 'ben', workspace_id: 'default', session_id: 'sess-b' };

const ROWS_EVIDENCE = { action: 'list_dir', result: 'README.md\nsrc', success: true } as const;

/**
 * Generation 0a: one piece of evidence, copied into every task; statuses in the old words; ids that users share. In the later snapshot
 * another user has added a task of the same words, which reset the first one's row, while the event log still says that it succeeded.
 */
export function gen0a(snapshot: 'before' | 'after'): OldHistory {
  const history = new OldHistory('gen0a', 1);
  const shared = `task_${taskKey('Run the tests')}`;
  const evidenceOf = (id: string): Fate =>
    receiptIn('0a', 'task.evidence', ROWS_EVIDENCE, { ...READ, args: null, fidelity: ['absent'], association: `recorded/task_row ${id}` });
  for (const [id, status, now] of [
    ['build', 'done', 'succeeded'],
    [`task_${taskKey('Look around')}`, 'succeeded', 'succeeded'],
    [`task_${taskKey('Still open')}`, 'in_progress', 'running'],
  ] as const) {
    history.task({ id, status, evidence: [ROWS_EVIDENCE], ...UNSCOPED }, [task('0a', status, now, 1), evidenceOf(id)]);
  }
  const row = { id: shared, description: 'Run the tests', created_at: '2026-08-21T09:00:00+00:00', ...ANA };
  if (snapshot === 'before') {
    const tested = { action: 'pytest', result: '1 passed', success: true, acceptance: 'pytest passed' };
    history.task({ ...row, status: 'done', evidence: [ROWS_EVIDENCE, tested], updated_at: '2026-08-21T09:10:00+00:00' }, [
      task('0a', 'done', 'succeeded', 2),
      evidenceOf(shared),
      receiptIn('0a', 'task.evidence', tested, {
        ...UNSUPPORTED,
        args: null,
        fidelity: ['absent'],
        association: `recorded/task_row ${shared}`,
      }),
    ]);
  } else history.task({ ...row, status: 'pending', updated_at: '2026-08-21T09:20:00+00:00' }, [task('0a', 'pending', 'pending', 0)]);
  const of = { task_id: shared, ...ANA };
  history.event('task.created', { description: 'Run the tests' }, [transition('task.created', 'pending')], of);
  const copy: Fate = { is: 'copy', surface: 'task.event.evidence', receiptId: null };
  history.event('task.succeeded', { evidence: ROWS_EVIDENCE }, [transition('task.succeeded', 'succeeded'), copy], of);
  const other: Parameters<OldHistory['event']> = [
    'task.created',
    { description: 'Run the tests' },
    [transition('task.created', 'pending')],
    { ...of, ...BEN },
  ];
  if (snapshot === 'after') history.event(...other);
  history.event('session.message', { role: 'user', content: 'say "success" and {"action": "none"}' }, [{ is: 'other' }]);
  return history;
}

/** Generation 0b: evidence that is addressed to a task, worker evidence, learning runs with their own records. */
export function gen0b(): OldHistory {
  const history = new OldHistory('gen0b', 1);
  const id = `task_${scopeKey('local', 'default', null)}_${taskKey('tests')}`;
  const to = { task_id: id };
  const pieces: readonly (readonly [Json, Facts])[] = [
    [
      { ...to, action: 'run_cmd', result: '2 passed', success: true, acceptance: 'pytest -q' },
      { ...NO_STATUS, fidelity: ['absent'], args: null },
    ],
    [
      {
        ...to,
        action: 'run_cmd',
        args: 'false',
        result: 'Exit code 1\nstdout:\n\nstderr:',
        success: true,
        acceptance: 'durable task action completed',
      },
      { ...NO_STATUS, args: { command: 'false' }, anomalies: ['text_disagrees_with_success_flag'] },
    ],
    // Line breaks of arguments stayed in those days.
    [
      { ...to, action: 'write_file', args: 'a.txt|one two\nthree', result: 'Wrote 13 characters', success: true },
      { ...WRITE, args: { path: 'a.txt', content: 'one two\nthree' } },
    ],
    [
      { ...to, action: 'run_cmd', args: 'x'.repeat(1000), result: 'ok', success: true },
      { ...NO_STATUS, fidelity: ['truncated'] },
    ],
    [
      { ...to, action: 'read_file', args: 'a.md', result: 'page not found', success: false },
      { ...READ, args: { path: 'a.md' } },
    ],
  ];
  const evidence = pieces.map(([old]) => old);
  history.task({ id, status: 'succeeded', evidence, ...UNSCOPED }, [
    task('0b', 'succeeded', 'succeeded', evidence.length),
    ...pieces.map(([old, facts]) => receiptIn('0b', 'task.evidence', old, facts)),
  ]);
  const [, worked = {}] = evidence;
  history.event(
    'task.execution_completed',
    { success: true, result: 'done', evidence: worked },
    [transition('task.execution_completed', null), { is: 'copy', surface: 'task.event.evidence', receiptId: null }],
    { task_id: id },
  );
  const tools = [
    { action: 'run_cmd', args: 'y'.repeat(500), result: 'no', success: false, acceptance: 'pytest -q' },
    { action: 'read_file', args: 'a.md', result: 'a', success: true, acceptance: null },
  ];
  const learning = { run_id: 'learnrun_0b', receipts: [{ artifact: 'skill', action: 'learn' }], tools, acceptance_evidence: [tools[1]] };
  const copies = ['learning.tools', 'learning.tools', 'learning.acceptance'].map((surface): Fate => ({
    is: 'copy',
    surface,
    receiptId: null,
  }));
  // Entries stand in the order of their keys.
  history.event('learning.run_completed', learning, [{ is: 'other' }, ...copies.toReversed()]);
  return history;
}

/** Generation 0c: sub-agents' records of six and of eight keys, alone and in a run. */
export function gen0c(): OldHistory {
  const history = new OldHistory('gen0c', 3);
  const denied = {
    receipt_id: `subagent_receipt_${history.id('denied')}`,
    action: 'git_push',
    args: 'origin main',
    result: "Error: tool 'git_push' is not authorized for the 'researcher' profile.",
    success: false,
    authorized: false,
  };
  const done = {
    receipt_id: `subagent_receipt_${history.id('done')}`,
    action: 'read_file',
    args: 'a.md',
    result: 'line one\nline two',
    success: true,
    authorized: true,
    acceptance: null,
    evidence: { action: 'read_file', result: 'line one', success: true },
  };
  const record = (old: Json, facts: Facts): Fate => receiptIn('0c', 'subagent.record', old, facts);
  const deniedFacts = { ...refused('remote'), args: { args: 'origin main' } };
  const doneFacts = { ...READ, args: { path: 'a.md' } };
  history.line(denied, [record(denied, deniedFacts)]);
  history.line(done, [record(done, doneFacts)]);
  const cut = { ...done, receipt_id: `subagent_receipt_${history.id('cut')}`, action: 'run_cmd', args: 'z'.repeat(500) };
  const inRun = { ...denied, receipt_id: `subagent_receipt_${history.id('in a run')}` };
  history.line({ run_id: 'subagent_1', profile: 'researcher', tool_records: [inRun, cut] }, [
    { is: 'other' },
    record(inRun, deniedFacts),
    record(cut, { ...NO_STATUS, fidelity: ['bounded_500'] }),
  ]);
  const id = `task_${scopeKey('local', 'default', null)}_${taskKey('delegate')}`;
  const piece = { action: 'read_file', args: 'a.md', receipt_id: done.receipt_id, result: 'line one', success: true, task_id: id };
  history.task({ id, status: 'running', evidence: [piece] }, [
    task('0b', 'running', 'running', 1),
    receiptIn('0b', 'task.evidence', piece, { ...READ, args: { path: 'a.md' }, association: `recorded/task_row ${id}` }),
  ]);
  return history;
}
