import type { LedgerEvent } from '@counterfoil/contracts';
import { MemoryEventStore } from '@counterfoil/testing';
import { eventsOf, importRecords, REGISTRY } from '../testing/import-records.js';
import { inventedRecords } from '../testing/invented-records.js';
import { invented } from '../testing/invented-rows.js';
import { oldOperationId } from './fingerprint.js';

const memoryStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => REGISTRY.read(event) });

const { event, projected, record0c, RECEIPT } = inventedRecords;

async function copiesOf(record: object) {
  const store = memoryStore();
  const report = await importRecords(store, [JSON.stringify(record)]);
  const events = await eventsOf(store);
  const copies = events.filter(
    (one): one is Extract<LedgerEvent, { type: 'HistoricalCopyImported' }> => one.type === 'HistoricalCopyImported',
  );
  return { store, report, copies: copies.map(({ data }) => data), events };
}

const run = event('learning.run_completed', {
  run_id: 'learnrun_1',
  receipts: [{ artifact: 'skill' }],
  tools: [
    projected({ operation_id: oldOperationId('learnrun_1', 'run_cmd', 'ls docs') }),
    { action: 'run_cmd', args: 'x'.repeat(500), result: 'ok', success: true },
  ],
  acceptance_evidence: [projected({ action: 'write_file' })],
});

describe('copies inside of other records', () => {
  it('of a learning run are kept, and are no receipts; its learning artifacts are neither', async () => {
    const { report, copies, events } = await copiesOf(run);
    expect(report).toMatchObject({ read: 4, rows: 1, notAReceipt: 1, derivedCopy: 3, imported: 0, eventsAdded: 3 });
    expect(copies.map(({ surface }) => surface)).toEqual(['learning.tools', 'learning.tools', 'learning.acceptance']);
    expect(copies[0]?.coordinates).toMatchObject({ receiptId: RECEIPT, member: '/payload/tools/0' });
    expect(events.some(({ type }) => type === 'ToolCallRequested')).toBe(false);
  });

  it('are compared with the scope that the run records', async () => {
    const { copies } = await copiesOf(run);
    expect(copies.map(({ fingerprint }) => fingerprint)).toEqual(['match', 'not_recomputable', 'not_recomputable']);
    expect(copies[1]).toMatchObject({ generation: '0b', argumentsFidelity: ['bounded_500'] });
  });

  it('are kept once', async () => {
    const { store } = await copiesOf(run);
    expect(await importRecords(store, [JSON.stringify(run)], { importRun: 'again' })).toMatchObject({ derivedCopy: 3, eventsAdded: 0 });
  });

  it("of a subagent's state are found wherever they stand in it", async () => {
    const state = event('subagent.state', {
      profile: 'researcher',
      result: { tool_records: [invented.payload(), record0c] },
      reviews: [{ tool_receipts: [invented.payload({ receipt_id: 'receipt_other' })] }],
      parent_receipts: [projected()],
    });
    const { report, copies } = await copiesOf(state);
    expect(report).toMatchObject({ read: 5, notAReceipt: 1, derivedCopy: 4 });
    expect(copies.map(({ coordinates }) => coordinates['member'])).toEqual([
      '/payload/result/tool_records/0',
      '/payload/result/tool_records/1',
      '/payload/reviews/0/tool_receipts/0',
      '/payload/parent_receipts/0',
    ]);
    expect(copies.map(({ generation }) => generation)).toEqual(['1', '0c', '1', '1']);
  });

  it('of a run that stands alone are receipts: nothing else is left of them', async () => {
    const { report, events } = await copiesOf({ run_id: 'r', tool_records: [record0c, { ...record0c, receipt_id: 'subagent_receipt_2' }] });
    expect(report).toMatchObject({ read: 3, notAReceipt: 1, imported: 2, derivedCopy: 0 });
    expect(events.filter(({ type }) => type === 'ToolCallRequested')).toHaveLength(2);
  });

  it("that can't be read are put aside, one by one", async () => {
    const bad = event('subagent.state', {
      result: {
        tool_records: [
          { action: 7, success: true, receipt_id: 'r' },
          { action: ' ', success: true },
        ],
      },
    });
    const { report } = await copiesOf(bad);
    expect(report).toMatchObject({ read: 3, notAReceipt: 1, quarantined: 2, reasons: { tool_name_invalid: 1, wrong_type: 1 } });
  });

  it('in a payload that is no JSON put the row aside', async () => {
    const { report } = await copiesOf(event('subagent.state', '{"result":{"tool_records":[{"receipt_id":"r","exit_code":NaN}]}}'));
    expect(report).toMatchObject({ read: 1, quarantined: 1, reasons: { not_a_number: 1 } });
  });

  it('hold no secret that another entry of the record shows by its key', async () => {
    const { store } = await copiesOf(
      event('learning.run_completed', {
        tools: [projected({ args: 'login password=FAKE-pass-31' }), projected({ result: 'used FAKE-pass-31 for it' })],
      }),
    );
    for await (const { data } of store.readStored(null)) expect(JSON.stringify(data)).not.toContain('FAKE');
  });

  it('nested 250 levels deep are found, in a list of 5,000 too', async () => {
    let value: unknown = projected();
    for (let depth = 0; depth < 120; depth++) value = { in: [value] };
    const { report } = await copiesOf(event('agent.delegation_decided', { value, more: Array.from({ length: 5000 }, () => ({ n: 1 })) }));
    expect(report.derivedCopy).toBe(1);
  });
});
