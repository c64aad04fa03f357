import { MemoryEventStore } from '@counterfoil/testing';
import { eventsOf, importRecords, REGISTRY } from '../testing/import-records.js';
import { inventedRecords } from '../testing/invented-records.js';
import { invented } from '../testing/invented-rows.js';

const memoryStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => REGISTRY.read(event) });

const long = `${'line of a long page, naïve and 日本\n'.repeat(6000)}the end`;

const SHAPES: readonly (readonly [string, (payload: object) => object])[] = [
  ['as an object', (payload) => invented.row({ payload })],
  ['as text', (payload) => invented.row({ payload: JSON.stringify(payload) })],
  ['doubly encoded', (payload) => invented.row({ payload: JSON.stringify(JSON.stringify(payload)) })],
  ['of a subagent', (receipt) => inventedRecords.event('subagent.receipt', JSON.stringify({ run_id: 'r', receipt }))],
  ['in a stream', (receipt) => ({ event: 'tool_receipt', tool_receipt: receipt })],
  ['alone', (receipt) => receipt],
];

describe('a receipt whose result is longer than a payload may be', () => {
  it.each(SHAPES)('%s is imported, and its result is cut and marked', async (_, shape) => {
    const store = memoryStore();
    const report = await importRecords(store, [JSON.stringify(shape(invented.payload({ action: 'read_file', result: long })))]);
    expect(report).toMatchObject({ imported: 1, quarantined: 0 });
    const [, observed] = await eventsOf(store);
    if (observed?.type !== 'ToolCallObserved') throw new Error('not observed');
    expect(observed.data.result?.state).toBe('cut');
    expect(observed.data.result?.json.length).toBeGreaterThan(10_000);
    expect(observed.data.status).toBe('succeeded');
  });

  it("of a task's evidence is cut too", async () => {
    const store = memoryStore();
    const evidence = JSON.stringify([{ ...inventedRecords.evidence0b, result: long }]);
    expect(await importRecords(store, [JSON.stringify(inventedRecords.taskRow({ evidence }))])).toMatchObject({ imported: 2 });
  });
});
