import fc from 'fast-check';
import { invented } from '../testing/invented-rows.js';
import type { RowJson } from '../testing/invented-rows.js';
import { oldOperationId } from './fingerprint.js';
import type { CallRecord } from '../recognition.js';
import { recognise } from './recognise.js';

const { line, row, payload } = invented;

function receiptOf(text: string): CallRecord {
  const [found, ...entries] = recognise(text);
  if (found?.kind !== 'receipt' || entries.length > 0) throw new Error(`expected a receipt, got ${JSON.stringify(found)}`);
  return found;
}

function reasonOf(text: string, invalidUtf8 = false): string {
  const [found] = recognise(text, invalidUtf8);
  return found?.kind === 'quarantine' ? found.reason : (found?.kind ?? 'nothing');
}

describe('recognise: receipts of generation 1', () => {
  it('reads a row with its payload as an object', () => {
    const record = receiptOf(line());
    expect(record).toMatchObject({
      format: 'openkyrozen',
      generation: '1',
      surface: 'execution.receipt',
      identity: {
        format: 'openkyrozen',
        workspace: 'source-99990000999900009999000099990000',
        event: 'evt_11112222333344445555666677778888',
      },
      coordinates: {
        eventId: 'evt_11112222333344445555666677778888',
        receiptId: 'receipt_aaaabbbbccccddddeeeeffff00001111',
        workspaceId: 'source-99990000999900009999000099990000',
        userId: 'local',
        sessionId: 'chat-invented-7',
        taskId: null,
        createdAt: '2026-05-04T03:02:01.300000Z',
      },
      argumentsFidelity: ['normalised'],
      fingerprint: 'not_recomputable',
      anomalies: [],
    });
  });

  it('finds one content in all encodings and key orders of one row', () => {
    const asObject = receiptOf(line());
    const asText = receiptOf(JSON.stringify(row({ payload: JSON.stringify(payload()) })));
    const twice = receiptOf(JSON.stringify(row({ payload: JSON.stringify(JSON.stringify(payload())) })));
    const reordered = receiptOf(JSON.stringify(Object.fromEntries(Object.entries(row()).reverse()), null, 2));
    for (const other of [asText, twice, reordered]) expect(other.content).toBe(asObject.content);
    expect(asText.anomalies).toEqual([]);
    expect(twice.anomalies).toEqual(['double_encoded']);
  });

  it('takes the keys that the chat loop added for its own', () => {
    const record = receiptOf(line({}, { task_id: null, unmatched_reason: 'No task.' }));
    expect(record).toMatchObject({ generation: '1', anomalies: [] });
  });

  it.each<[string, RowJson, string]>([
    ['a result with line breaks', { result: 'one\ntwo' }, '1b'],
    ['a result over its bound', { result: 'x'.repeat(2001) }, '1b'],
    ['a digest of the arguments', { args_sha256: null }, '2'],
    ['a call id', { call_id: 'call_1', call_id_source: 'native' }, '3'],
    ['typed arguments', { call_id: 'call_1', call_id_source: 'native', arguments: {} }, '3'],
  ])('tells the generation by %s', (_, changes, generation) => {
    expect(receiptOf(line({}, changes))).toMatchObject({ generation, anomalies: [] });
  });

  it('counts the bound of a result in characters, as Python does', () => {
    expect(receiptOf(line({}, { result: '😀'.repeat(2000) })).anomalies).toEqual(['result_possibly_truncated']);
    expect(receiptOf(line({}, { result: '😀'.repeat(2001) })).generation).toBe('1b');
    expect(receiptOf(line({}, { result: '😀'.repeat(2000) })).generation).toBe('1');
  });
});

describe('recognise: odd but readable', () => {
  it.each<[string, RowJson, RowJson, string[], string]>([
    ['times with no zone', {}, { started_at: '2026-05-04T03:02:01', completed_at: '2026-05-04 03:02:02' }, ['timestamp_assumed_utc'], '1'],
    ['success as text', {}, { success: 'true' }, ['success_not_boolean'], 'unknown'],
    ['success as null', {}, { success: null }, ['success_not_boolean'], 'unknown'],
    ['authorized as a number', {}, { authorized: 1 }, ['authorized_not_boolean'], '1'],
    ['arguments as an object', {}, { args: { path: 'a' } }, ['args_not_text'], 'unknown'],
    ['arguments over their bound', {}, { args: 'x'.repeat(1001) }, ['args_over_bound'], 'unknown'],
    ['an unknown key', {}, { mood: 'fine' }, ['unknown_keys'], 'unknown'],
    ['an exit code with a fraction', {}, { exit_code: 1.5 }, ['exit_code_not_integer'], '1'],
    ['a failure that is no code', {}, { success: false, failure: { a: 1 } }, ['failed_without_failure_code', 'failure_not_a_code'], '1'],
    ['a failure with no code', {}, { success: false }, ['failed_without_failure_code'], '1'],
    ['an alias', {}, { action: 'bash' }, ['alias_resolved'], '1'],
    ['half a surrogate pair in a result', {}, { result: 'a\ud800b' }, ['lone_surrogate'], '1'],
    ['NUL in a result', {}, { result: 'a\u0000b' }, ['nul'], '1'],
    ['two tasks', { task_id: 'task_b' }, { task_id: 'task_a' }, ['task_association_conflicting'], '1'],
    ['an id too long to be kept', {}, { receipt_id: 'r'.repeat(481) }, ['identifier_unusable'], '1'],
  ])('marks %s', (_, inRow, inPayload, anomalies, generation) => {
    expect(receiptOf(line(inRow, inPayload))).toMatchObject({ anomalies, generation });
  });

  it('reads a receipt of three keys', () => {
    const record = receiptOf(JSON.stringify(row({ payload: { receipt_id: 'receipt_x', action: 'read_file', success: true } })));
    expect(record).toMatchObject({ generation: 'unknown', anomalies: ['missing_keys'], argumentsFidelity: ['absent'] });
  });

  it('identifies a row without an id by its content alone', () => {
    const { id: _, ...others } = row();
    const record = receiptOf(JSON.stringify(others));
    expect(record).toMatchObject({ identity: null, coordinates: { eventId: null }, anomalies: ['missing_keys'] });
  });

  it('keeps both tasks of a conflict as coordinates', () => {
    expect(receiptOf(line({ task_id: 'task_b' }, { task_id: 'task_a' })).coordinates).toMatchObject({
      taskId: 'task_a',
      rowTaskId: 'task_b',
    });
  });

  it('finds one content in all spellings of a text with no canonical form', () => {
    const text = line({}, { result: 'a\ud800b' });
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(row({}, { result: 'a\ud800b' })).reverse()));
    const asText = JSON.stringify(row({ payload: JSON.stringify(payload({ result: 'a\ud800b' })) }));
    for (const other of [reordered, asText]) expect(receiptOf(other).content).toBe(receiptOf(text).content);
  });
});

describe('recognise: quarantine', () => {
  it.each<[string, string, string]>([
    ['a cut line', line().slice(0, 200), 'not_json'],
    ['NaN', line().replace('"exit_code":null', '"exit_code":NaN'), 'not_a_number'],
    ['Infinity', line().replace('"exit_code":null', '"exit_code":-Infinity'), 'infinity'],
    ['a raw control character', line().replace('# Plan', '# Plan\u0001'), 'control_character'],
    ['a doubled key', line().replace('"user_id"', '"id":"evt_other","user_id"'), 'duplicate_key'],
    ['a doubled key that hides a receipt', '{"event_type":"execution.receipt","payload":{},"event_type":"task.created"}', 'duplicate_key'],
    [
      'a doubled key that hides a receipt by escapes',
      '{"event_type":"execution\\u002ereceipt","\\u0065vent_type":"task.created"}',
      'duplicate_key',
    ],
    ['a doubled key in a payload as text', JSON.stringify(row({ payload: '{"action":"a","action":"b"}' })), 'duplicate_key'],
    ['a number no double can hold', line().replace('"exit_code":null', '"exit_code":1e400'), 'number_overflow'],
    ['an integer no double can hold', line().replace('"exit_code":null', '"exit_code":9007199254740993'), 'integer_inexact'],
    ['nesting over 256 levels', line().replace('"docs/plan.md"', `${'['.repeat(300)}${']'.repeat(300)}`), 'too_deep'],
    ['nesting of 100,000 levels', line().replace('"docs/plan.md"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'too_deep'],
    [
      'no tool, no id, no flag',
      JSON.stringify(row({ payload: Object.fromEntries(Object.keys(payload()).map((k) => [k, null])) })),
      'no_tool',
    ],
    ['a tool with no name', line({}, { action: ' ' }), 'tool_name_invalid'],
    ['a tool with half a surrogate pair in its name', line({}, { action: 'a\udc00' }), 'tool_name_invalid'],
    ['a tool name over 256 characters', line({}, { action: 'a'.repeat(257) }), 'tool_name_invalid'],
    ['a tool that is a number', line({}, { action: 7 }), 'wrong_type'],
    ['an id that is a number', line({ id: 7 }), 'wrong_type'],
    ['a session that is an object', line({ session_id: {} }), 'wrong_type'],
    ['a time that is a number', line({}, { started_at: 1767225600 }), 'wrong_type'],
    ['a row with no time', line({ created_at: null }), 'time_missing'],
    ['an impossible time', line({}, { completed_at: '2026-02-30T00:00:00+00:00' }), 'time_impossible'],
    ['a payload that is no JSON', JSON.stringify(row({ payload: '{"action":' })), 'payload_unreadable'],
    ['a payload that is a list', JSON.stringify(row({ payload: [] })), 'payload_unreadable'],
    [
      'a payload encoded three times',
      JSON.stringify(row({ payload: JSON.stringify(JSON.stringify(JSON.stringify(payload()))) })),
      'payload_unreadable',
    ],
    ['a payload that is missing', '{"event_type":"execution.receipt","created_at":"2026-05-04T03:02:01Z"}', 'payload_unreadable'],
  ])('keeps %s aside', (_, text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it('keeps a receipt aside whose bytes are not UTF-8', () => {
    expect(reasonOf(line({}, { result: 'a\ufffdb' }), true)).toBe('invalid_utf8');
    expect(reasonOf('{"event_type":"session.message","payload":{}}', true)).toBe('not_a_receipt');
  });

  it('says nothing of the record in its detail', () => {
    const recognition = [...recognise(line({}, { started_at: 'FAKE-secret-9' }))];
    expect(JSON.stringify(recognition)).not.toContain('FAKE');
  });
});

describe('recognise: what is no receipt', () => {
  it.each([
    '42',
    'null',
    '[]',
    '{}',
    '"execution.receipt"',
    '{"role":"user","content":"Tool receipt receipt_1 (read_file): # execution.receipt"}',
    '{"event_type":"session.message","payload":{"n":9007199254740993,"s":"\\u00e9"}}',
    '{"event_type":"interaction.plan_accepted","payload":{"plan_id":"plan_1","version":1}}',
    '{"event":"tasks","tasks":[{"id":"task_1","description":"x","status":"pending"}]}',
    '{"v":1,"event":"error","request_id":"r","error":"event_too_large"}',
  ])('%s', (text) => {
    expect([...recognise(text)]).toEqual([{ kind: 'not_a_receipt', surface: 'other' }]);
  });
});

describe('recognise: fidelity of the arguments', () => {
  it.each<[string, RowJson, string[]]>([
    ['a path', { args: 'a.md' }, ['normalised']],
    ['a command with blanks', { action: 'run_cmd', args: 'echo a; exit 3' }, ['normalised']],
    ['None', { args: 'None' }, ['opaque']],
    ['the text of a Python object', { args: "{'path': 'a'}" }, ['opaque']],
    ['a JSON text', { action: 'spawn_agents', args: '{}' }, ['normalised']],
    [
      'arguments that were refused for their type',
      { args: '7', authorized: true, success: false, failure: 'invalid_arguments' },
      ['opaque'],
    ],
    ['an empty command', { action: 'run_cmd', args: '', success: false, failure: 'invalid_arguments' }, ['normalised']],
    ['a mark of the old redaction', { args: 'push --token=<redacted>' }, ['redacted']],
    ['a length of exactly the bound', { args: 'x'.repeat(1000) }, ['truncated']],
    ['a length of the bound in characters', { args: '😀'.repeat(1000) }, ['truncated']],
    ['a file of one word', { action: 'write_file', args: 'a b.md|word' }, ['normalised']],
    ['a file with blanks', { action: 'write_file', args: 'a.md|two words' }, ['newlines_lost']],
    [
      'all at once',
      { action: 'write_file', args: `a.md|password=<redacted> ${'x'.repeat(975)}` },
      ['redacted', 'truncated', 'newlines_lost'],
    ],
    ['an object', { args: { path: 'a' } }, ['structured']],
    ['nothing', { args: null }, ['absent']],
  ])('%s', (_, changes, fidelity) => {
    expect(receiptOf(line({}, changes)).argumentsFidelity).toEqual(fidelity);
  });

  it('knows that no line break was lost where the old fingerprint matches', () => {
    const changes = { action: 'write_file', args: 'a.md|two words', task_id: 'task_t' };
    const operation = oldOperationId('task_t', 'write_file', 'a.md|two words');
    expect(receiptOf(line({}, { ...changes, operation_id: operation }))).toMatchObject({
      fingerprint: 'match',
      argumentsFidelity: ['normalised'],
    });
  });
});

describe('recognise: any text', () => {
  it('answers whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, invalid) => {
        expect([...recognise(text, invalid)].length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom(null, true, 'x', 3, '2026-05-04T03:02:01+00:00'));
    const keys = fc.constantFrom(...Object.keys(payload()), ...Object.keys(row()), '__proto__', 'constructor');
    const object = fc.dictionary(keys, member);
    fc.assert(
      fc.property(object, object, (inRow, inPayload) => {
        recognise(JSON.stringify({ ...row(), ...inRow, event_type: 'execution.receipt', payload: { ...payload(), ...inPayload } }));
      }),
      { numRuns: 1000 },
    );
  });
});
