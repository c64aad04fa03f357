import type { Fate, Json } from '../known.js';
import { OldHistory, SURFACE } from '../old-history.js';
import { argsSha256, scopeKey, taskKey } from '../old-hashes.js';
import {
  asDict,
  type Call,
  EXISTED,
  EXITED_0,
  expected,
  type Facts,
  inChat,
  NO_STATUS,
  READ,
  receiptEvent,
  refused,
  UNSUPPORTED,
  WRITE,
} from '../old-receipts.js';

const MATCH = { fidelity: ['fingerprint_match'], fingerprint: 'match', changed: ['args_sha256'] } as const;
const UNKNOWN = { fingerprint: 'not_recomputable', changed: ['args_sha256'] } as const;

const CALLS: readonly (readonly [string, Call, Facts])[] = [
  ['match', { action: 'run_cmd', args: 'python -m unittest', exitCode: 0 }, { ...EXITED_0, ...MATCH }],
  [
    'flattened',
    { action: 'write_file', args: 'a.txt|one\r\ntwo  ' },
    { ...WRITE, ...MATCH, fidelity: ['fingerprint_match', 'newlines_lost'] },
  ],
  ['empty', { action: 'list_dir', args: '' }, { ...READ, ...MATCH }],
  ['repr', { action: 'lookup_price', args: { sku: 'a' } }, { ...UNSUPPORTED, ...MATCH, fidelity: ['opaque', 'fingerprint_match'] }],
  [
    'redacted',
    { action: 'run_cmd', args: 'login password: FAKE-pw-2001', exitCode: 0 },
    { ...EXITED_0, ...UNKNOWN, fidelity: ['redacted'] },
  ],
  ['cut', { action: 'write_file', args: `c.txt|${'c'.repeat(1500)}` }, { ...WRITE, ...UNKNOWN, fidelity: ['truncated'] }],
  // As long as the bound by chance, and with a mark that somebody wrote: the digest says that nothing is missing.
  ['whole', { action: 'run_cmd', args: `echo <redacted> ${'w'.repeat(984)}`, exitCode: 0 }, { ...EXITED_0, ...MATCH }],
  [
    'refused',
    { action: 'write_file', args: 'x|y', success: false, failure: 'duplicate_operation' },
    { ...refused('filesystem'), ...MATCH },
  ],
];

/** Generation 2: digests over the whole arguments, in receipts, evidence and contracts. */
export function gen2(): OldHistory {
  const history = new OldHistory('gen2', 3);
  for (const [label, call, facts] of CALLS) receiptEvent(history, '2', inChat(asDict(history, '2', label, call)), facts);
  changed(history);
  rebuilt(history);
  tasks(history);
  delegation(history);
  return history;
}

/** Arguments or digest were changed by somebody: the one that is whole and unredacted doesn't fit the other. */
function changed(history: OldHistory): void {
  const dict = { ...asDict(history, '2', 'changed', { action: 'run_cmd', args: 'rm a', exitCode: 0 }), args: 'rm b' };
  const facts = { ...EXITED_0, fidelity: ['fingerprint_mismatch'], fingerprint: 'mismatch', changed: ['args_sha256'] } as const;
  receiptEvent(history, '2', inChat(dict), facts);
}

/** Rebuilt from a receipt of generation 1: there is nothing to take a digest of. */
function rebuilt(history: OldHistory): void {
  const dict = { ...asDict(history, '2', 'rebuilt', { action: 'read_file', args: 'a' }), args_sha256: null };
  receiptEvent(history, '2', dict, READ);
}

function tasks(history: OldHistory): void {
  const id = `task_${scopeKey('local', 'default', null)}_${taskKey('digests')}`;
  const ordered_plan = { id: taskKey('p'), index: 1, total: 3 };
  const args = 'plain.txt';
  const receipt_id = `receipt_${history.id('piece')}`;
  const piece = {
    action: 'read_file',
    args,
    args_sha256: argsSha256(args),
    receipt_id,
    result: 'a\nb',
    success: true,
    task_id: id,
    ordered_plan,
  };
  const worker = { action: 'run_cmd', args: 'make', result: 'ok', success: true, acceptance: 'durable task action completed', task_id: id };
  const fate = (generation: string, old: Json, facts: Facts): Fate => ({
    is: 'receipt',
    surface: 'task.evidence',
    expected: expected(generation, old, facts),
  });
  history.task(
    {
      id,
      status: 'succeeded',
      checkpoint: { action: 'run_cmd', args: 'make', args_sha256: argsSha256('make') },
      evidence: [piece, worker],
    },
    [
      { is: 'task', status: 'succeeded', recorded: 'succeeded', evidence: 2, generation: '2' },
      fate('2', piece, { ...READ, ...MATCH, association: `recorded/task_row ${id}` }),
      fate('0b', worker, NO_STATUS),
    ],
  );
}

/** A sub-agent's receipt: as an event of its own, and replayed by the parent with a task. */
function delegation(history: OldHistory): void {
  const call = { action: 'write_file', args: 'r.txt|done', effect: 'file exists after write: /w/r.txt', scope: 'subagent:coder' };
  const receipt = asDict(history, '2', 'replayed', call);
  receiptEvent(history, '2', receipt, { ...EXISTED, ...MATCH }, SURFACE);
  const fate: Fate = { is: 'receipt', surface: 'subagent.receipt', expected: expected('2', receipt, { ...EXISTED, ...MATCH }) };
  history.event('subagent.receipt', { run_id: 'r', agent_session_id: 's', receipt }, [fate]);
  receiptEvent(history, '2', inChat(receipt, 'task_of_parent'), { ...EXISTED, ...MATCH }, { task_id: 'task_of_parent' });
}
