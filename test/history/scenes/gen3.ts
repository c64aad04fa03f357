import type { Json } from '../known.js';
import { OldHistory, SOURCE } from '../old-history.js';
import { sha256 } from '../old-hashes.js';
import { asDict, expected, type Facts, READ, receiptEvent, refused } from '../old-receipts.js';

const TASK = 'task_342cf68a444ee787_00000000000000aa';

/** A receipt of generation 3: what the plan says that it holds. */
function native(history: OldHistory, label: string, changes: Json = {}): Json {
  const base = asDict(history, '1b', label, { action: 'write_file', args: 'a.txt|one two', result: 'Wrote 7 characters' });
  return {
    ...base,
    call_id: `call_${label}`,
    call_id_source: 'native',
    arguments: { path: 'a.txt', content: 'one\ntwo' },
    tool_result: { success: true, text: 'Wrote 7 characters' },
    ...SOURCE,
    plan_id: `plan_${history.id('plan')}`,
    task_id: TASK,
    tool_version: '1.0.0',
    tool_source: 'builtin',
    side_effects: 'filesystem',
    verification: { state: 'verified', method: 'content_compare', observed: { sha256: sha256('one\ntwo'), bytes: 7 } },
    ...changes,
  };
}

const VERIFIED: Facts = {
  sideEffects: 'filesystem',
  verification: 'verified/content_compare',
  association: `recorded/explicit ${TASK}`,
  fidelity: ['structured'],
  args: { path: 'a.txt', content: 'one\ntwo' },
  // The digest of what was observed is keyed.
  changed: ['verification'],
};

const calls = (label: string): Pick<Facts, 'callId' | 'callIdSource'> & object =>
  ({ callId: `call_${label}`, callIdSource: 'native' }) as const;

const UNOBSERVED = { state: 'unavailable', method: null, observed: null };
const NOT_OBSERVED: Facts = { ...VERIFIED, verification: 'unavailable/null', changed: [] };
const FAILED = { success: false, failure: 'execution_error', tool_result: { success: false, error: 'no' }, verification: UNOBSERVED };
const CUT_ERRORS = {
  success: false,
  failure: null,
  result: 'Error: the gate…',
  tool_result: { success: false, error: 'the gateway…', truncated: true },
};

type Scene = readonly [string, Json, Facts];

const IDENTITY: readonly Scene[] = [
  ['plain', {}, VERIFIED],
  ['id of JSON-RPC', { call_id: 7 }, { ...VERIFIED, callId: '7', anomalies: ['call_id_not_text'], changed: ['verification'] }],
  ['id zero', { call_id: 0 }, { ...VERIFIED, callId: '0', anomalies: ['call_id_not_text'] }],
  ['long id', { call_id: 'é'.repeat(512) }, { ...VERIFIED, callId: 'é'.repeat(512) }],
  [
    'synthetic',
    { call_id: 'synthetic:abc', call_id_source: 'synthetic' },
    { ...VERIFIED, callId: 'synthetic:abc', callIdSource: 'synthetic' },
  ],
  ['other source', { call_id_source: 'gateway' }, { ...VERIFIED, callIdSource: 'legacy', anomalies: ['call_id_source_unknown'] }],
];

const OUTCOMES: readonly Scene[] = [
  ['cut', CUT_ERRORS, { ...VERIFIED, anomalies: ['failed_without_failure_code'] }],
  ['cut to nothing', { ...CUT_ERRORS, result: '', tool_result: null }, { ...VERIFIED, anomalies: ['failed_without_failure_code'] }],
  [
    'cut to text',
    { ...CUT_ERRORS, result: '', tool_result: '{"success": false, "error": "the ga' },
    { ...VERIFIED, anomalies: ['failed_without_failure_code'] },
  ],
  ['failed', FAILED, NOT_OBSERVED],
  ['disagrees', { ...FAILED, tool_result: { success: true } }, { ...NOT_OBSERVED, anomalies: ['tool_result_disagrees'] }],
  ['cancelled', { ...FAILED, failure: 'cancelled' }, NOT_OBSERVED],
  [
    'denied',
    { ...FAILED, authorized: false, failure: 'approval_denied', verification: null },
    { ...VERIFIED, ...refused('filesystem'), changed: [] },
  ],
  [
    'never ran, says verified',
    { ...FAILED, failure: 'duplicate_operation', verification: { state: 'verified' } },
    { ...VERIFIED, ...refused('filesystem') },
  ],
  [
    'other verification',
    { verification: { state: 'believed' } },
    { ...VERIFIED, verification: 'unavailable/no_observation', anomalies: ['verification_unreadable'], changed: [] },
  ],
];

const TOOLS: readonly Scene[] = [
  ['old class', { side_effects: 'mutation' }, { ...VERIFIED, sideEffects: 'destructive' }],
  ['old word', { side_effects: 'internal_write' }, { ...VERIFIED, sideEffects: 'internal' }],
  ['unknown class', { side_effects: 'mystery' }, { ...VERIFIED, sideEffects: 'destructive', anomalies: ['side_effects_unknown'] }],
  [
    'unknown tool',
    {
      action: 'frob',
      tool_version: null,
      tool_source: null,
      ...FAILED,
      authorized: false,
      failure: 'unknown_tool',
      side_effects: null,
      verification: null,
    },
    { ...VERIFIED, ...refused('destructive'), changed: [] },
  ],
  [
    'reads',
    { action: 'read_file', arguments: { path: 'a' }, side_effects: 'read_only', verification: null, task_id: null },
    { ...READ, fidelity: ['structured'], args: { path: 'a' } },
  ],
  ['list result', { tool_result: [1, [2, { three: null }]] }, VERIFIED],
  ['scalar result', { tool_result: 'text' }, VERIFIED],
  ['unheard-of key', { turn: 4 }, { ...VERIFIED, anomalies: ['unknown_keys'] }],
];

/** Generation 3, of which a plan is known: native call ids, typed arguments, verification. */
export function gen3(): OldHistory {
  const history = new OldHistory('gen3', 3);
  for (const [label, changes, facts] of [...IDENTITY, ...OUTCOMES, ...TOOLS]) {
    const old = native(history, label, changes);
    const task = { task_id: old['task_id'] as string | null };
    receiptEvent(history, '3', old, { ...calls(label), ...facts }, task);
  }
  const missing = native(history, 'no id', { call_id: null, call_id_source: 'native' });
  receiptEvent(history, '3', missing, { ...VERIFIED, anomalies: ['missing_call_id'] }, { task_id: TASK });
  const alone = native(history, 'alone');
  const facts = { ...VERIFIED, ...calls('alone') };
  history.line(alone, [{ is: 'receipt', surface: 'receipt', expected: expected('3', alone, facts) }]);
  return history;
}
