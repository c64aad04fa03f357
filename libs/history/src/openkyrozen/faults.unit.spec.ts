import { MemoryEventStore } from '@counterfoil/testing';
import { inventedRecords } from '../testing/invented-records.js';
import { REGISTRY } from '../testing/import-records.js';
import { Importing } from '../testing/imported.js';
import { invented } from '../testing/invented-rows.js';
import type { RowJson } from '../testing/invented-rows.js';

const { row, payload, line } = invented;
const { imported, receiptOf } = new Importing(() => new MemoryEventStore({ upcast: (one) => REGISTRY.read(one) }));
const { taskRow, event, projected, evidence0b, record0c } = inventedRecords;

const SECRET = 'FAKEhunter2222';
const TOKEN = `sk-${SECRET}abcdef0123456789`;

describe('an import that one record ended', () => {
  it.each<[string, unknown]>([
    [
      'half a surrogate pair in the evidence of a task, as JSON text',
      taskRow({ evidence: JSON.stringify([{ ...evidence0b, result: '\ud800' }]) }),
    ],
    ['half a surrogate pair in the evidence of a task, decoded', taskRow({ evidence: [{ ...evidence0b, result: '\ud800' }] })],
    ['half a surrogate pair in a checkpoint', taskRow({ checkpoint: JSON.stringify({ a: '\ud800' }) })],
    ['half a surrogate pair in a copy', event('learning.run_completed', { tools: [projected({ result: '\ud800' })] })],
    ['half a surrogate pair in a key above a copy', event('mystery', { '\ud800': projected() })],
    [
      'a request id of which the cut split a pair',
      { v: 1, event: 'tool_receipt', request_id: `${'r'.repeat(479)}😀`, receipt: projected() },
    ],
    ['a key of 300,000 characters above a call', event('mystery', { ['k'.repeat(300_000)]: projected() })],
    ['an event type of 300,000 characters with a call in it', event('n'.repeat(300_000), { tools: [projected()] })],
  ])('by %s', async (_, record) => {
    const { report, stored } = await imported(record);
    expect(report.quarantined).toBe(0);
    expect(report.imported + report.derivedCopy).toBeGreaterThan(0);
    expect(stored.length).toBeLessThan(20_000);
  });

  it('marks half a surrogate pair where it stands', async () => {
    const { provenance } = await receiptOf({ ...evidence0b, result: '\ud800' });
    expect(provenance.anomalies).toEqual(['lone_surrogate']);
  });
});

describe('a secret that was stored', () => {
  it.each<[string, unknown]>([
    ['in the name of an event', event(`note.${TOKEN}`, { tools: [projected()] })],
    ['in the name of an event that was put aside', event(`note.${TOKEN}`, '{"action": ')],
    ['in the place of an entry that was put aside', event('mystery', { [TOKEN]: projected({ action: '' }) })],
    [
      'bare in a task, shown by its key in the evidence',
      taskRow({ description: `use ${SECRET}`, evidence: [{ ...evidence0b, args: `password=${SECRET}` }] }),
    ],
    [
      'bare in an entry that was put aside, shown by its key beside it',
      taskRow({
        evidence: [
          { ...evidence0b, args: `password=${SECRET}` },
          { action: 7, result: SECRET },
        ],
      }),
    ],
    [
      'bare in a task, shown by its key in evidence that is no list',
      taskRow({ description: `use ${SECRET}`, evidence: { password: SECRET } }),
    ],
  ])('%s', async (_, record) => {
    const { stored, report } = await imported(record);
    expect(stored).not.toContain(SECRET);
    expect(JSON.stringify(report)).not.toContain(SECRET);
  });

  const DIGEST = '5E884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';
  it.each<[string, unknown]>([
    ['in the text that Python makes of a dict', line({}, { result: `{'args_sha256': '${DIGEST}'}` })],
    ['beside the one under its key', line({}, { args_sha256: DIGEST, result: `it was ${DIGEST}` })],
    [
      'of what was observed, under another key',
      line({}, { call_id: 'c', verification: { state: 'verified', observed: { hash: DIGEST } } }),
    ],
    [
      'of what was observed, in a record that is cut',
      line({}, { call_id: 'c', verification: { observed: { hash: DIGEST } } }).slice(0, -1),
    ],
    ['in a record of an unknown shape', { wrapped: projected({ args_sha256: DIGEST }), observed: { digest: DIGEST } }],
  ])('as its unkeyed digest %s', async (_, record) => {
    expect((await imported(record)).stored.toLowerCase()).not.toContain(DIGEST.toLowerCase());
  });
});

describe('a call that was lost as no receipt', () => {
  /** As a database has it. */
  const asText = (): unknown => row({ payload: JSON.stringify(payload()) });
  const aside = (reason: string) => ({ read: 1, quarantined: 1, reasons: { [reason]: 1 } });

  it.each<[string, unknown, object]>([
    ['in a row without the name of its event', { ...row(), event_type: undefined }, aside('unsupported_surface')],
    [
      'in such a row with its payload as text',
      { ...row({ payload: JSON.stringify(payload()) }), event_type: null },
      aside('unsupported_surface'),
    ],
    ['in an envelope that nobody knows', { wrapped: { receipt: payload() } }, aside('unsupported_surface')],
    ['in a record that was encoded three times', JSON.stringify(JSON.stringify(JSON.stringify(line()))), aside('payload_unreadable')],
    ['in a record that was cut and then encoded', JSON.stringify(line().slice(0, 300)), aside('payload_unreadable')],
    ['in an encoded record with NaN', JSON.stringify(line().replace('"exit_code":null', '"exit_code":NaN')), aside('not_a_number')],
    ['in a list of lists', [[payload()]], aside('unsupported_surface')],
    ['in rows as text, in an envelope', { events: [asText()], tasks: [] }, aside('unsupported_surface')],
    ['in such rows in a list of lists', [[asText()]], aside('unsupported_surface')],
    ['in rows without names', [['evt_1', 'execution.receipt', JSON.stringify(payload())]], aside('unsupported_surface')],
    ['in JSON text of an envelope', { msg: JSON.stringify(payload()) }, aside('unsupported_surface')],
    ['in JSON text of JSON text', { msg: JSON.stringify(JSON.stringify({ shown: payload() })) }, aside('unsupported_surface')],
    ['in the evidence of a task that has no status', { id: 't1', evidence: JSON.stringify([payload()]) }, aside('unsupported_surface')],
    ['that a stream says to show, and has not', { event: 'tool_receipt', tool_receipt: null }, aside('payload_unreadable')],
    ['in a stream, doubly encoded', { event: 'tool_receipt', tool_receipt: JSON.stringify(JSON.stringify(projected())) }, { imported: 1 }],
    [
      'of 0b in a learning run that was encoded twice',
      event('learning.run_completed', JSON.stringify(JSON.stringify({ tools: [{ action: 'a', success: true }] }))),
      { derivedCopy: 1 },
    ],
    [
      'under a key that was spelled with escapes',
      JSON.stringify(event('mystery', { tools: [{ action: 'a', success: true }] })).replace('"action"', '"\\u0061ction"'),
      { derivedCopy: 1 },
    ],
    ["in a sub-agent's run, deeper in it", { run_id: 'r', result: { tool_records: [record0c] } }, { imported: 1 }],
    [
      'in a list of records, since its name is no text',
      event('subagent.state', { tool_records: [{ ...record0c, action: 7 }] }),
      { quarantined: 1 },
    ],
  ])('%s', async (_, record, fate) => {
    expect((await imported(record)).report).toMatchObject(fate);
  });

  it.each<[string, unknown]>([
    ['what learning called a receipt, in an envelope', { v: 1, event: 'learned', receipt: { artifact: 'skill' } }],
    ['a permission', { event_type: 'permission.decision', payload: { action: 'run_cmd', outcome: 'allowed' } }],
    ['a text that speaks of one', '"see {receipt_id} and \\"action\\""'],
  ])('is not %s', async (_, record) => {
    expect((await imported(record)).report).toMatchObject({ read: 1, notAReceipt: 1 });
  });
});

describe('evidence that vanished', () => {
  it('where it was no list: it stays in the row of its task', async () => {
    const { stored, report } = await imported(taskRow({ evidence: { why: 'somebody wrote an object' } }));
    expect(report).toMatchObject({ read: 1, imported: 1 });
    expect(stored).toContain('somebody wrote an object');
  });

  it('leaves no column in a row that had none', async () => {
    const { dependencies: _, evidence: __, ...others } = taskRow();
    const { events } = await imported(others);
    const [task] = events;
    expect(task?.type === 'HistoricalTaskImported' && Object.keys(JSON.parse(task.data.original.json) as RowJson)).toEqual(
      Object.keys(others).sort(),
    );
  });
});
