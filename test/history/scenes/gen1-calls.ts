import { moment, OldHistory, SURFACE, UNSCOPED } from '../old-history.js';
import {
  asDict,
  type Call,
  EXISTED,
  EXITED,
  EXITED_0,
  type Facts,
  inChat,
  NO_STATUS,
  READ,
  receiptEvent,
  refused,
  UNSUPPORTED,
  WRITE,
} from '../old-receipts.js';

const failed = (failure: string | null, more: Partial<Call> = {}): Partial<Call> => ({
  success: false,
  failure,
  result: 'Error: no',
  ...more,
});
const TEXT_JUDGED = { anomalies: ['failed_without_failure_code'] };
const file = (path: string, content: string): Facts['args'] => ({ path, content });

/** Each way in which a call of generation 1 ended, by name: what it was, and what it must read as. */
const CALLS: readonly (readonly [string, Call, Facts])[] = [
  ['read', { action: 'read_file', args: 'README.md', result: '# Title\nbody' }, { ...READ, args: { path: 'README.md' } }],
  ['nothing to list', { action: 'list_dir', args: '' }, { ...READ, args: { path: '' } }],
  ['pattern', { action: 'find_files', args: '*.md|docs' }, { ...READ, args: { pattern: '*.md', directory: 'docs' } }],
  ['not found', { action: 'read_file', args: 'e.md', ...failed(null, { result: 'the word "not found"' }) }, { ...READ, ...TEXT_JUDGED }],
  ['command', { action: 'run_cmd', args: '  printf ok ', exitCode: 0 }, { ...EXITED_0, args: { command: 'printf ok' } }],
  ['subshell', { action: 'run_cmd', args: '(cd a && make)', exitCode: 0 }, { ...EXITED_0, args: { command: '(cd a && make)' } }],
  ['bracket', { action: 'run_cmd', args: '[ -f a ]', exitCode: 0 }, { ...EXITED_0, args: { command: '[ -f a ]' } }],
  ['group', { action: 'run_cmd', args: '{ ls; }', exitCode: 0 }, { ...EXITED_0, args: { command: '{ ls; }' } }],
  ['says Error', { action: 'run_cmd', args: 'echo Error', exitCode: 0, result: 'Error: said' }, EXITED_0],
  ['exit 3', { action: 'run_cmd', args: 'exit 3', ...failed('nonzero_exit', { exitCode: 3, result: 'ok' }) }, EXITED],
  ['exit 127', { action: 'run_cmd', args: 'nope', ...failed('nonzero_exit', { exitCode: 127 }) }, EXITED],
  ['signal', { action: 'run_cmd', args: 'kill -TERM $$', ...failed('nonzero_exit', { exitCode: -15 }) }, EXITED],
  [
    'timeout',
    { action: 'run_cmd', args: 'sleep 99', ...failed('timeout') },
    { sideEffects: 'process', verification: 'unavailable/timeout' },
  ],
  ['blocked', { action: 'run_cmd', args: 'rm -rf /', ...failed('denied') }, refused('process')],
  ['empty', { action: 'run_cmd', args: ' ', ...failed('invalid_arguments') }, { ...refused('process'), args: { command: '' } }],
  [
    'interrupted',
    { action: 'read_webpage', args: 'https://x.invalid/', ...failed('interrupted') },
    { sideEffects: 'remote', verification: 'unavailable/interrupted' },
  ],
  [
    'exception',
    { action: 'search_web', args: 'w', ...failed('execution_error') },
    { sideEffects: 'remote', verification: 'unavailable/no_observation', args: { query: 'w' } },
  ],
  [
    'duplicate',
    { action: 'write_file', args: 'a|b', ...failed('duplicate_operation') },
    { ...refused('filesystem'), args: file('a', 'b') },
  ],
  [
    'unknown',
    { action: 'frobnicate', args: 'x', ...failed('unknown_tool', { authorized: false }) },
    { ...refused('destructive'), args: { args: 'x' } },
  ],
  ['capability', { action: 'graph_refresh', args: 'x', ...failed('capability_denied', { authorized: false }) }, refused('internal')],
  ['configuration', { action: 'read_file', args: 'x', ...failed('invalid_configuration', { authorized: false }) }, refused('read_only')],
  ['denied', { action: 'git_reset', args: '--hard', ...failed('approval_denied', { authorized: false }) }, refused('destructive')],
  [
    'written',
    { action: 'write_file', args: 'o.txt|one\ntwo', effect: 'file exists after write: /w/o.txt' },
    { ...EXISTED, fidelity: ['newlines_lost'], args: file('o.txt', 'one two') },
  ],
  ['no bar', { action: 'write_file', args: 'no-bar', ...failed(null) }, { ...WRITE, ...TEXT_JUDGED, args: { args: 'no-bar' } }],
  ['edited', { action: 'edit_file', args: 'a.txt|x' }, { ...WRITE, args: { args: 'a.txt|x' } }],
  ['cut', { action: 'write_file', args: `n.md|${'l'.repeat(2000)}` }, { ...WRITE, fidelity: ['truncated'] }],
  [
    'long result',
    { action: 'run_cmd', args: 'yes', exitCode: 0, result: 'y'.repeat(5000) },
    { ...EXITED_0, anomalies: ['result_possibly_truncated'] },
  ],
  ['None', { action: 'lookup_price', args: null }, { ...UNSUPPORTED, fidelity: ['opaque'], args: { args: 'None' } }],
  [
    'dict',
    { action: 'run_cmd', args: { cmd: 'ls' }, ...failed('invalid_arguments', { authorized: false }) },
    { ...refused('process'), fidelity: ['opaque'], args: { args: "{'cmd': 'ls'}" } },
  ],
  ['cut dict', { action: 'write_file', args: { path: 'a|b', content: 'c'.repeat(2000) } }, { ...WRITE, fidelity: ['opaque', 'truncated'] }],
  ['list', { action: 'lookup_price', args: ['a', 1] }, { ...UNSUPPORTED, fidelity: ['opaque'] }],
  [
    'number',
    { action: 'read_file', args: 7, ...failed('invalid_arguments') },
    { ...refused('read_only'), fidelity: ['opaque'], args: { args: '7' } },
  ],
  [
    'mark',
    { action: 'git_push', args: 'o --token=<redacted>', ...failed('approval_denied', { authorized: false }) },
    { ...refused('remote'), fidelity: ['redacted'] },
  ],
  ['alias', { action: 'bash', args: 'git status', exitCode: 0 }, { ...EXITED_0, tool: 'run_cmd', anomalies: ['alias_resolved'] }],
  ['alias in blanks', { action: ' status ', args: '.' }, { ...READ, tool: 'git_status', anomalies: ['alias_resolved'] }],
  [
    'name in blanks',
    { action: 'read_file ', args: 'a' },
    { ...READ, tool: 'read_file', anomalies: ['alias_resolved'], args: { path: 'a' } },
  ],
  ['other case', { action: 'Bash', args: 'ls' }, { ...UNSUPPORTED, args: { args: 'ls' } }],
  [
    'terminal',
    { action: 'execute_terminal_command', args: 'ls', exitCode: 0 },
    { ...EXITED_0, tool: 'run_cmd', anomalies: ['alias_resolved'] },
  ],
  ['no exit code', { action: 'run_cmd', args: 'ls' }, NO_STATUS],
];

/** Receipts of generation 1 from the chat loop, from `runtime.execute`, and from the task manager without a session. */
export function gen1Calls(): OldHistory {
  const history = new OldHistory('gen1 calls', 3);
  for (const [label, call, facts] of CALLS) receiptEvent(history, '1', inChat(asDict(history, '1', label, call)), facts);
  const mcp = asDict(history, '1', 'mcp', { action: 'read_file', args: 'plain.txt', scope: 'mcp:1' });
  receiptEvent(history, '1', mcp, READ, SURFACE);
  receiptEvent(
    history,
    '1',
    asDict(history, '1', 'unscoped', { action: 'calculate', args: '(1 + 2)' }),
    { ...READ, args: { args: '(1 + 2)' } },
    UNSCOPED,
  );
  durableWorker(history);
  mismatchedPlan(history);
  delegation(history);
  return history;
}

/** Its operation ids are made with the task, which the row names: they can be taken again. */
function durableWorker(history: OldHistory): void {
  const task = `task_${history.id('worker').slice(0, 16)}_${history.id('worker').slice(16)}`;
  const call = { action: 'write_file', args: 'm.txt|by a worker', effect: 'file exists after write: /w/m.txt', scope: task };
  const facts = { ...EXISTED, fingerprint: 'match', association: `recorded/receipt ${task}` } as const;
  receiptEvent(history, '1', asDict(history, '1', 'worker', call), facts, { task_id: task });
  // Ten hundred characters by chance: the id says that nothing was cut.
  const whole = { action: 'run_cmd', args: `echo ${'w'.repeat(995)}`, exitCode: 0, scope: task };
  receiptEvent(
    history,
    '1',
    asDict(history, '1', 'whole', whole),
    { ...EXITED_0, fingerprint: 'match', association: facts.association },
    { task_id: task },
  );
}

/** Refused, and matched to the task all the same. */
function mismatchedPlan(history: OldHistory): void {
  const task = `task_${history.id('mismatch').slice(0, 16)}_1`;
  const call = { action: 'write_file', args: 'u.md|early', ...failed('plan_action_mismatch', { authorized: false }) };
  receiptEvent(history, '1', inChat(asDict(history, '1', 'mismatch', call), task), refused('filesystem'), { task_id: task });
  const two = inChat(asDict(history, '1', 'two tasks', { action: 'run_cmd', args: 'true', exitCode: 0 }), 'task_one');
  const facts = { ...EXITED_0, association: 'none/conflicting', anomalies: ['task_association_conflicting'] };
  receiptEvent(history, '1', two, facts, { task_id: 'task_other' });
}

/** One receipt in two workspaces, the second time with a task (README there, 11.2). */
function delegation(history: OldHistory): void {
  const replayed = asDict(history, '1', 'replayed', { action: 'run_cmd', args: 'make test', exitCode: 0, acceptance: 'make test' });
  receiptEvent(history, '1', replayed, EXITED_0, SURFACE);
  receiptEvent(history, '1', inChat(replayed, 'task_replayed'), EXITED_0, { task_id: 'task_replayed', created_at: moment(500) });
}
