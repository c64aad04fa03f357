import { sha256Hex } from '@counterfoil/canonical';
import { MemoryEventStore } from '@counterfoil/testing';
import { CALLS, inventedRecords } from '../testing/invented-records.js';
import { REGISTRY } from '../testing/import-records.js';
import { Importing } from '../testing/imported.js';
import { invented } from '../testing/invented-rows.js';
import type { RowJson } from '../testing/invented-rows.js';

const { payload, line } = invented;
const { imported, receiptOf } = new Importing(() => new MemoryEventStore({ upcast: (one) => REGISTRY.read(one) }));
const { taskRow, event, evidence0b } = inventedRecords;

describe('a receipt that was read as something else', () => {
  it("a sub-agent's whole record, as one of no generation that collides with the receipt itself", async () => {
    const whole = payload({ result: 'one' });
    const { report, events } = await imported({ ...whole, evidence: { action: 'read_file', success: true } }, whole);
    expect(report).toMatchObject({ imported: 2, quarantined: 0 });
    expect(events[0]?.data).toMatchObject({ provenance: { surface: 'subagent.record', generation: '1b', anomalies: [] } });
  });

  it.each(['(cd app && make)', '[ -f a ]', '{ ls; }', '[[ -f a ]] && ls [ab]', '((i++))'])(
    'a command in brackets, as a value of Python: %s',
    async (command) => {
      const { requested, provenance } = await receiptOf(line({}, { action: 'run_cmd', args: command }));
      expect([JSON.parse(requested.arguments.json), provenance.argumentsFidelity]).toEqual([{ command }, ['normalised']]);
    },
  );

  it.each(["{'cmd': 'ls'}", "['a', 1]", '[1, None]', '(1, 2)', '()', "{'a'}", '{1: 2}', 'True', '{"it\'s": 1, None: 2}'])(
    'a value of Python, as a text: %s',
    async (args) => {
      expect((await receiptOf(line({}, { action: 'run_cmd', args }))).provenance.argumentsFidelity).toEqual(['opaque']);
    },
  );

  it('a dict that was cut, or whose end the old redaction took, as a path and a content', async () => {
    const cut = `{'path': 'a|b', 'content': '${'c'.repeat(2000)}`.slice(0, 1000);
    for (const args of [cut, "{'path': 'a|b', 'content': 'token=<redacted>"]) {
      const { requested, provenance } = await receiptOf(line({}, { action: 'write_file', args }));
      expect(provenance.argumentsFidelity[0]).toBe('opaque');
      expect(JSON.parse(requested.arguments.json)).toEqual({ args });
    }
  });

  it('a builtin with blanks around its name, as an unknown tool', async () => {
    const { requested } = await receiptOf(line({}, { action: ' read_file ' }));
    expect(requested.tool).toMatchObject({ name: 'read_file', sideEffects: 'read_only' });
  });

  it.each([
    ['browser_navigate', 'remote'],
    ['browser_', 'destructive'],
    ['browserify', 'destructive'],
  ])('a tool of the browser that stands in no list, as one of which nothing is known: %s is %s', async (action, sideEffects) => {
    const { requested } = await receiptOf(line({}, { action }));
    expect(requested.tool).toMatchObject({ name: action, sideEffects });
  });

  it('a bug fix without its row, as of unknown outcome', async () => {
    const { observed } = await receiptOf({
      action: 'run_cmd',
      args: 'a',
      receipt_id: 'fix_receipt_1',
      task_id: 'task_fix_1',
      tool_success: false,
    });
    expect(observed.status).toBe('failed');
  });

  it('one of generation 3 with a key that nobody has heard of, as of no generation', async () => {
    const of3 = CALLS['3-execution-receipt'] as { payload: RowJson };
    const { provenance } = await receiptOf({ ...of3, payload: { ...of3.payload, turn: 4 } });
    expect([provenance.generation, provenance.anomalies]).toEqual(['3', ['unknown_keys']]);
  });

  it('one of generation 3 without the key of its id and with an odd flag, as one that lost what it said', async () => {
    const { payload: of3, ...others } = CALLS['3-execution-receipt'] as { payload: RowJson };
    const { call_id: _, call_id_source: __, ...rest } = of3;
    const { requested, observed } = await receiptOf({ ...others, payload: { ...rest, success: 'true' } });
    expect(JSON.parse(requested.arguments.json)).toEqual({ path: 'a.txt', content: 'one\ntwo' });
    expect(observed).toMatchObject({ status: 'unknown', verification: { state: 'verified' } });
  });

  it.each([
    [7, '7', ['call_id_not_text']],
    ['é'.repeat(512), 'é'.repeat(512), []],
  ])('a native call id that is %s, as none', async (callId, kept, anomalies) => {
    const of3 = CALLS['3-execution-receipt'] as { payload: RowJson };
    const { requested, provenance } = await receiptOf({ ...of3, payload: { ...of3.payload, call_id: callId } });
    expect([requested.callId, requested.callIdSource, provenance.anomalies]).toEqual([kept, 'native', anomalies]);
  });

  it('evidence with line breaks in its arguments, as of generation 1, which made blanks of them', async () => {
    const { provenance } = await receiptOf({ ...evidence0b, receipt_id: 'receipt_1', action: 'write_file', args: 'a|one two\nthree' });
    expect([provenance.generation, provenance.argumentsFidelity]).toEqual(['0b', ['normalised']]);
  });

  it('evidence that says that it was refused, as of a time that could not say it', async () => {
    const { observed } = await receiptOf(
      taskEvidence({ action: 'run_cmd', result: 'no', success: false, authorized: false, failure: 'approval_denied' }),
    );
    expect(observed).toMatchObject({
      recorded: { authorized: false, failure: 'approval_denied' },
      verification: { method: 'not_dispatched' },
    });
  });
});

const taskEvidence = (entry: RowJson): RowJson => ({ ...entry, operation_id: null });

describe('what was said of a receipt and is not so', () => {
  it('redacted or truncated, where the old digest is over these very arguments', async () => {
    const args = `echo <redacted> ${'w'.repeat(984)}`;
    const { provenance } = await receiptOf(line({}, { action: 'run_cmd', args, args_sha256: sha256Hex(args) }));
    expect(provenance.argumentsFidelity).toEqual(['fingerprint_match']);
  });

  it.each<[string, RowJson, boolean]>([
    ['a long read of 200,000 characters', { action: 'read_file', result: '\n'.repeat(200_000) }, true],
    ['a long read of 2,000 characters', { action: 'read_file', result: '\n'.repeat(2000) }, false],
    ['a command of 2,000 characters', { action: 'run_cmd', exit_code: 0, result: '\n'.repeat(2000) }, true],
    ['delegation of 2,000 characters', { action: 'wait_subagents', result: '\n'.repeat(2000) }, false],
  ])('the result of %s: possibly truncated or not', async (_, changes, isMarked) => {
    expect((await receiptOf(line({}, changes))).provenance.anomalies.includes('result_possibly_truncated')).toBe(isMarked);
  });

  it.each([
    ['2026-05-04T03:02:01+00:00', '2026-05-04T03:02:00.999999+00:00', true],
    ['2026-05-04T03:02:01+00:00', '2026-05-04T03:02:01.000001+00:00', false],
    ['2026-05-04T03:02:01.5+00:00', '2026-05-04T05:02:01.50+02:00', false],
  ])('nothing of an end before its beginning: %s, %s', async (started, completed, isMarked) => {
    const { provenance } = await receiptOf(line({}, { started_at: started, completed_at: completed }));
    expect(provenance.anomalies).toEqual(isMarked ? ['completed_before_started'] : []);
  });
});

describe('a receipt whose structured members are larger than a payload may be', () => {
  const tree = (depth: number): unknown =>
    depth === 0 ? 'leaf' : Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`k${String(n)}`, tree(depth - 1)]));
  const of3 = CALLS['3-execution-receipt'] as { payload: RowJson };

  it.each(['tool_result', 'arguments'])('was put aside: a %s of sixteen times sixteen times sixteen times sixteen', async (member) => {
    const { requested, observed, provenance } = await receiptOf({ ...of3, payload: { ...of3.payload, [member]: tree(4) } });
    expect(provenance.generation).toBe('3');
    expect(observed).toMatchObject({ status: 'succeeded', original: { state: 'cut' } });
    expect((member === 'arguments' ? requested.arguments : observed.result)?.state).toBe('cut');
    expect(observed.original?.bytes).toBeGreaterThan(800_000);
  });

  it('and so were tasks and changes of tasks', async () => {
    const { report } = await imported(taskRow({ checkpoint: tree(4) }), event('task.checkpoint', { checkpoint: tree(4) }));
    expect(report).toMatchObject({ imported: 3, quarantined: 0 });
  });
});
