import type { Fate, Json } from '../known.js';
import { OldHistory } from '../old-history.js';
import { asDict, expected, type Facts, inChat, READ, receiptEvent, UNSUPPORTED } from '../old-receipts.js';
import { dumps } from '../python.js';

const OTHER: Fate = { is: 'other' };
const aside = (reason: string, surface = 'execution.receipt'): Fate => ({ is: 'aside', surface, reason });

const read = (history: OldHistory, label: string, changes: Json = {}): Json => ({
  ...inChat(asDict(history, '1', label, { action: 'read_file', args: 'a.md', result: 'text' })),
  ...changes,
});

/** Values that no writer wrote, and that can be read all the same: by name, with what is marked. */
const READABLE: readonly (readonly [string, Json, Partial<Facts> & { readonly generation?: string }])[] = [
  [
    'naive times',
    { started_at: '2026-08-21T09:59:00', completed_at: '2026-08-21 09:59:01' },
    { anomalies: ['timestamp_assumed_utc'], startedAt: '2026-08-21T09:59:00Z' },
  ],
  ['other zone', { started_at: '2026-08-21T11:59:00.5+02:00' }, { startedAt: '2026-08-21T09:59:00.5Z' }],
  [
    'back in time',
    { started_at: '2026-08-21T09:59:00.5+00:00', completed_at: '2026-08-21T09:59:00.49+00:00' },
    { anomalies: ['completed_before_started'], startedAt: '2026-08-21T09:59:00.5Z' },
  ],
  ['success as text', { success: 'true' }, { generation: 'unknown', status: 'unknown', anomalies: ['success_not_boolean'] }],
  ['success as number', { success: 1 }, { generation: 'unknown', status: 'unknown', anomalies: ['success_not_boolean'] }],
  ['success as null', { success: null }, { generation: 'unknown', status: 'unknown', anomalies: ['success_not_boolean'] }],
  ['authorized as text', { authorized: 'yes' }, { authorized: null, anomalies: ['authorized_not_boolean'] }],
  ['exit code as text', { exit_code: '0' }, { exitCode: null, anomalies: ['exit_code_not_integer'] }],
  ['another key', { mood: 'fine' }, { generation: 'unknown', anomalies: ['unknown_keys'] }],
  [
    'arguments as object',
    { args: { file_path: 'b' } },
    { generation: 'unknown', anomalies: ['args_not_text'], fidelity: ['structured'], args: { path: 'b' } },
  ],
  ['no arguments', { args: null }, { generation: 'unknown', anomalies: ['args_not_text'], fidelity: ['absent'] }],
  ['half a pair', { result: 'a\ud800b' }, { anomalies: ['lone_surrogate'] }],
  ['nul', { result: 'a\u0000b' }, { anomalies: ['nul'] }],
];

/** Payloads that can't be read, as texts. */
const UNREADABLE: readonly (readonly [string, (text: string) => string | Uint8Array])[] = [
  ['not_a_number', (text) => text.replace('"exit_code": null', '"exit_code": NaN')],
  ['infinity', (text) => text.replace('"exit_code": null', '"exit_code": -Infinity')],
  ['payload_unreadable', (text) => text.slice(0, 80)],
  ['payload_unreadable', (text) => `[${text}]`],
  ['payload_unreadable', (text) => dumps(dumps(text))],
  ['duplicate_key', (text) => text.replace('"success": true', '"success": true, "success": false')],
  ['integer_inexact', (text) => text.replace('"exit_code": null', '"exit_code": 9007199254740993')],
  ['number_overflow', (text) => text.replace('"exit_code": null', '"exit_code": 1e999')],
  ['too_deep', (text) => text.replace('"exit_code": null', `"exit_code": ${'['.repeat(300)}${']'.repeat(300)}`)],
  ['invalid_utf8', (text) => Buffer.concat([Buffer.from(text.replace('"text"}', '"')), Buffer.from([0xff, 0xfe])])],
];

const REFUSED: readonly (readonly [string, Json])[] = [
  ['time_impossible', { started_at: '2026-02-30T10:00:00+00:00' }],
  ['time_impossible', { completed_at: 'soon' }],
  ['wrong_type', { completed_at: 1_787_000_000 }],
  ['wrong_type', { receipt_id: 7 }],
  ['no_tool', { action: null }],
  ['tool_name_invalid', { action: ' ' }],
  ['tool_name_invalid', { action: 'a'.repeat(257) }],
];

/** A database in which everything is odd. */
export function odd(): OldHistory {
  const history = new OldHistory('odd', 3);
  for (const [label, changes, { generation = '1', ...facts }] of READABLE)
    receiptEvent(history, generation, read(history, label, changes), { ...READ, ...facts });
  for (const [index, [reason, damage]] of UNREADABLE.entries()) {
    history.event('execution.receipt', damage(dumps(read(history, `damaged ${String(index)}`))), [aside(reason)]);
  }
  for (const [reason, changes] of REFUSED) history.event('execution.receipt', read(history, reason, changes), [aside(reason)]);
  history.event('execution.receipt', read(history, 'untimed'), [aside('time_impossible')], { created_at: 'yesterday' });
  encoded(history);
  others(history);
  tasks(history);
  return history;
}

function encoded(history: OldHistory): void {
  const twice = read(history, 'twice');
  const fate = (surface: string, old: Json, facts: Partial<Facts> = {}): Fate => ({
    is: 'receipt',
    surface,
    expected: expected('1b', old, { ...READ, ...facts }),
  });
  history.event('execution.receipt', dumps(dumps(twice)), [
    { ...fate('execution.receipt', twice), expected: expected('1', twice, { ...READ, anomalies: ['double_encoded'] }) } as Fate,
  ]);
  const inner = read(history, 'inner');
  history.event('subagent.receipt', { run_id: 'r', receipt: dumps(inner) }, [fate('subagent.receipt', inner)]);
  const few = { receipt_id: `receipt_${history.id('few')}`, action: 'read_file', success: true };
  receiptEvent(history, 'unknown', few, { ...READ, fidelity: ['absent'], args: null, anomalies: ['missing_keys'] });
  const long = read(history, 'long', { receipt_id: 'r'.repeat(481) });
  receiptEvent(history, '1', long, { ...READ, callId: 'synthetic:', callIdSource: 'synthetic', anomalies: ['identifier_unusable'] });
  // Encoded once more, a learning run of 0b names no receipt.
  const tools = [{ action: 'run_cmd', args: 'ls', result: '', success: true }];
  history.event('learning.run_completed', dumps(dumps({ tools })), [OTHER, { is: 'copy', surface: 'learning.tools', receiptId: null }]);
}

function others(history: OldHistory): void {
  history.event('session.message', Buffer.from([0x7b, 0xff, 0x7d]), [OTHER]);
  history.event('session.message', '{"cut": ', [OTHER]);
  history.event('subagent.state', '{"tool_records": [{"receipt_id": NaN}]}', [aside('not_a_number', 'subagent.state')]);
  const broken = {
    tool_records: [
      { action: 7, receipt_id: 'r', success: true },
      { action: '', success: true },
    ],
  };
  history.event('subagent.state', broken, [OTHER, aside('wrong_type', 'subagent.state'), aside('tool_name_invalid', 'subagent.state')]);
  history.event('task.succeeded', '[]', [aside('payload_unreadable', 'task.event')]);
}

function tasks(history: OldHistory): void {
  const task = (recorded: string, status: string | null, evidence: number, generation = '0a'): Fate => ({
    is: 'task',
    status,
    recorded,
    evidence,
    generation,
  });
  const piece = { action: 'mystery', result: 'half \ud800 a pair', success: true };
  const unreadable = (reason: string): Fate => aside(reason, 'task.evidence');
  history.task({ id: 'task_nan', evidence: '[{"action": "a", "success": NaN}]' }, [
    task('pending', 'pending', 0),
    unreadable('not_a_number'),
  ]);
  history.task({ id: 'task_object', evidence: '{}', checkpoint: '{cut' }, [task('pending', 'pending', 0)]);
  history.task({ id: 'task_word', status: 'DONE' }, [task('DONE', null, 0)]);
  // The table that no code that was read ever wrote.
  const event = {
    id: 'evt_of_task',
    task_id: 'task_nan',
    event_type: 'task.claimed',
    payload: '{"attempt": 1}',
    created_at: '2026-08-21T10:00:00+00:00',
  };
  history.rows.push({ table: 'task_events', columns: event, fates: [{ is: 'transition', transition: 'task.claimed', to: 'running' }] });
  history.task({ id: 'task_time', updated_at: '2026-13-01T00:00:00+00:00' }, [aside('time_impossible', 'task')]);
  history.task({ id: 'task_pair', evidence: `[${JSON.stringify(piece)}, null, 7, {}]` }, [
    task('pending', 'pending', 4),
    {
      is: 'receipt',
      surface: 'task.evidence',
      expected: expected('0a', piece, {
        ...UNSUPPORTED,
        fidelity: ['absent'],
        association: 'recorded/task_row task_pair',
        anomalies: ['lone_surrogate'],
      }),
    },
    unreadable('payload_unreadable'),
    unreadable('payload_unreadable'),
    unreadable('no_tool'),
  ]);
}

/** Of an early day, or of somebody else's: rows that lack columns. */
export function narrow(): OldHistory {
  const history = new OldHistory('narrow', 1, { narrow: true });
  const old = read(history, 'narrow');
  receiptEvent(history, 'unknown', old, { ...READ, anomalies: ['missing_keys'] });
  history.event('task.running', {}, [{ is: 'transition', transition: 'task.running', to: 'running' }]);
  const nameless = read(history, 'nameless');
  history.event('', nameless, [OTHER, { is: 'copy', surface: 'unnamed', receiptId: String(nameless['receipt_id']) }]);
  history.rows.push({
    table: 'events',
    columns: { id: 'evt_null', event_type: null, payload: dumps(old), created_at: null },
    fates: [aside('unsupported_surface', 'receipt')],
  });
  return history;
}

/** Lines that are odd as lines. */
export function oddLines(): OldHistory {
  const history = new OldHistory('odd lines', 3);
  const old = read(history, 'line');
  const row = {
    id: 'evt_line',
    event_type: 'execution.receipt',
    payload: old,
    user_id: 'local',
    workspace_id: 'default',
    session_id: null,
    task_id: null,
    created_at: '2026-08-21T10:00:00+00:00',
  };
  const fate: Fate = {
    is: 'receipt',
    surface: 'execution.receipt',
    expected: expected('1', old, { ...READ, anomalies: ['double_encoded'] }),
  };
  history.line(dumps(dumps(row)), [fate]);
  const unreadable = (reason: string): Fate => aside(reason, 'unreadable');
  history.line(dumps(dumps(dumps(dumps(row)))), [unreadable('payload_unreadable')]);
  history.line(dumps(row).slice(0, 200), [unreadable('not_json')]);
  history.line(dumps(dumps(row).slice(0, 200)), [unreadable('payload_unreadable')]);
  history.line(dumps(`{"receipt_id": "r", "action": "a", "success": NaN}`), [unreadable('not_a_number')]);
  history.line({ wrapped: { receipt: old } }, [aside('unsupported_surface', 'receipt')]);
  history.line({ type: 'event', payload: dumps(old) }, [aside('unsupported_surface', 'receipt')]);
  history.line("- `read_file('a')` returned:", [unreadable('not_json')]);
  history.line('"Tool receipt receipt_1 (read_file): {text"', [OTHER]);
  for (const text of ['42', 'null', 'true', '""', '{}', '{"__proto__": {"action": 1}}']) history.line(text, [OTHER]);
  return history;
}
