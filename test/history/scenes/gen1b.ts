import type { Fate, Json } from '../known.js';
import { OldHistory, SURFACE } from '../old-history.js';
import {
  asDict,
  type Call,
  EXITED,
  EXITED_0,
  expected,
  type Facts,
  inChat,
  READ,
  receiptEvent,
  refused,
  UNSUPPORTED,
} from '../old-receipts.js';

const PAGE = 'line of a page\n';
const DELEGATED = { sideEffects: 'internal', verification: 'unavailable/no_observation' } as const;

const CALLS: readonly (readonly [string, Call, Facts])[] = [
  ['lines', { action: 'run_cmd', args: 'ls', exitCode: 0, result: 'a\nb\n' }, EXITED_0],
  ['page', { action: 'read_file', args: 'big.txt', long: true, result: PAGE.repeat(200) }, READ],
  // Exactly as long as short results may be, which says nothing here.
  ['2000 lines', { action: 'read_file', args: 'two.txt', long: true, result: '\n'.repeat(2000) }, READ],
  [
    'bound',
    { action: 'read_file', args: 'all.txt', long: true, result: PAGE.repeat(20_000) },
    { ...READ, anomalies: ['result_possibly_truncated'], changed: ['result'] },
  ],
  ['whole', { action: 'wait_subagents', args: '{}', long: true, result: `${'d'.repeat(1999)}\n` }, DELEGATED],
  [
    'short bound',
    { action: 'run_cmd', args: 'yes', exitCode: 0, result: 'y\n'.repeat(2000) },
    { ...EXITED_0, anomalies: ['result_possibly_truncated'] },
  ],
];

/** Generation 1b: results with their line breaks, long reads, and all that sub-agents left behind. */
export function gen1b(): OldHistory {
  const history = new OldHistory('gen1b', 3);
  for (const [label, call, facts] of CALLS) receiptEvent(history, '1b', inChat(asDict(history, '1b', label, call)), facts);
  // With neither line breaks nor length it can't be told from generation 1.
  receiptEvent(history, '1', asDict(history, '1b', 'plain', { action: 'git_log', args: '-1', result: 'one' }), READ);
  subagents(history);
  return history;
}

const RUN = { run_id: 'subagent_run_1', agent_session_id: 'subagent_session_1' };

function subagents(history: OldHistory): void {
  const call = {
    action: 'run_cmd',
    args: 'exit 2',
    success: false,
    failure: 'nonzero_exit',
    exitCode: 2,
    result: 'Exit code 2\nstdout:',
    scope: 'subagent:coder',
  };
  const receipt = asDict(history, '1b', 'sub', call);
  receiptEvent(history, '1b', receipt, EXITED, SURFACE);
  const fate: Fate = { is: 'receipt', surface: 'subagent.receipt', expected: expected('1b', receipt, EXITED) };
  history.event('subagent.receipt', { ...RUN, receipt }, [fate]);
  const short = asDict(history, '1b', 'short sub', { action: 'lookup_price', args: 'sku-1', result: 'one' });
  history.event('subagent.receipt', { ...RUN, receipt: short }, [
    { is: 'receipt', surface: 'subagent.receipt', expected: expected('1b', short, UNSUPPORTED) },
  ]);
  state(history, receipt);
  history.event(
    'subagent.message',
    { ...RUN, role: 'user', content: `Tool receipt ${String(receipt['receipt_id'])} (run_cmd): Exit code 2` },
    [{ is: 'other' }],
  );
  records(history, receipt);
}

function state(history: OldHistory, receipt: Json): void {
  const rejected = {
    receipt_id: `receipt_${history.id('rejected')}`,
    action: 'git_push',
    args: 'origin',
    result: 'Error: no',
    success: false,
    authorized: false,
  };
  const review = asDict(history, '1b', 'review', { action: 'git_diff', args: '.', result: 'a\nb' });
  const payload = {
    ...RUN,
    profile: 'coder',
    parent_receipts: [inChat(receipt)],
    result: { text: 'done', tool_records: [{ ...receipt, evidence: null }, rejected] },
    reviews: [{ tool_receipts: [review] }],
  };
  const copy = (one: Json): Fate => ({ is: 'copy', surface: 'subagent.state', receiptId: String(one['receipt_id']) });
  history.event('subagent.state', payload, [{ is: 'other' }, copy(receipt), copy(receipt), copy(rejected), copy(review)]);
  // The same run once more, with no event around it.
  const surface = 'subagent.record';
  const fate = (generation: string, old: Json, facts: Facts): Fate => ({
    is: 'receipt',
    surface,
    expected: expected(generation, old, facts),
  });
  const alone = { ...RUN, result: { tool_records: [{ ...receipt, evidence: null }, rejected] } };
  history.line(alone, [{ is: 'other' }, fate('1b', { ...receipt, evidence: null }, EXITED), fate('0c', rejected, refused('remote'))]);
}

/** Sub-agents' own records: a whole receipt and the evidence, with the arguments as they came. */
function records(history: OldHistory, receipt: Json): void {
  const old = {
    ...receipt,
    receipt_id: `receipt_${history.id('record')}`,
    evidence: { action: 'run_cmd', result: 'Exit code 2', success: false },
  };
  history.line(old, [{ is: 'receipt', surface: 'subagent.record', expected: expected('1b', old, EXITED) }]);
}
