import { EVENTS } from '@counterfoil/contracts';
import { MemoryEventStore } from '@counterfoil/testing';
import fc from 'fast-check';
import { eventsOf, importRecords, REGISTRY } from '../testing/import-records.js';
import { CALLS, inventedRecords } from '../testing/invented-records.js';
import { mutated, planted } from '../testing/mutations.js';
import { recognise } from './recognise.js';

const { taskRow, event, evidence0a, evidence0b, evidence2, projected, record0c, TASK } = inventedRecords;

/** One record of every shape: calls, tasks, changes of tasks, and what holds copies. */
const RECORDS: readonly unknown[] = [
  ...Object.values(CALLS),
  taskRow(),
  taskRow({ evidence: [evidence0a, evidence0b, evidence2], checkpoint: { action: 'run_cmd', args_sha256: 'ab'.repeat(32) } }),
  event('task.succeeded', { evidence: evidence0b }, { task_id: TASK }),
  event('task.checkpoint', JSON.stringify({ checkpoint: { action: 'a' } })),
  event('learning.run_completed', { run_id: 'learnrun_1', tools: [projected(), evidence0b], acceptance_evidence: [projected()] }),
  event('subagent.state', JSON.stringify({ result: { tool_records: [record0c] }, reviews: [{ tool_receipts: [projected()] }] })),
  event('bug_fix.stage', { evidence: [{ action: 'a', tool_success: true }] }),
  event('mystery', { deep: [{ er: evidence2 }] }),
  { run_id: 'r', tool_records: [record0c] },
];

const memoryStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (one) => REGISTRY.read(one) });

async function storedIn(store: MemoryEventStore): Promise<string> {
  let stored = '';
  for await (const { type, data } of store.readStored(null)) stored += `${type} ${JSON.stringify(data)}\n`;
  return stored;
}

describe('a record that was changed anywhere, in any way', () => {
  it('is never thrown at, and has one fate for itself and one for each call in it', () => {
    fc.assert(
      fc.property(mutated(RECORDS), fc.boolean(), (record, invalid) => {
        const found = recognise(JSON.stringify(record), invalid);
        expect(found.count).toBeGreaterThan(0);
        expect([...found]).toHaveLength(found.count);
      }),
      { numRuns: 3000 },
    );
  });

  it('is imported, counted once, and read again as what the contracts say; a second time it adds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(RECORDS), async (record) => {
        const store = memoryStore();
        const text = JSON.stringify(record);
        const report = await importRecords(store, [text]);
        const { read, imported, duplicate, derivedCopy, notAReceipt, quarantined, rows } = report;
        expect([rows, read]).toEqual([1, recognise(text).count]);
        expect(imported + duplicate + derivedCopy + notAReceipt + quarantined).toBe(read);
        for (const { type, data } of await eventsOf(store)) EVENTS[type].parse(data);
        expect(await importRecords(store, [text], { importRun: 'again' })).toMatchObject({ eventsAdded: 0, read });
      }),
      { numRuns: 1500 },
    );
  });

  it('is never said to have lost something where nothing was taken out or cut', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(RECORDS), async (record) => {
        const { reasons } = await importRecords(memoryStore(), [JSON.stringify(record)]);
        expect(reasons.facts_lost).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same record with its columns as JSON text, as the database had them, and decoded', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(RECORDS), async (record) => {
        const store = memoryStore();
        const { quarantined } = await importRecords(store, [JSON.stringify(record)]);
        // What is unreadable in a column takes the column with it, and in a row the whole row.
        if (quarantined > 0) return;
        expect(await importRecords(store, [JSON.stringify(encoded(record))])).toMatchObject({ eventsAdded: 0 });
      }),
      { numRuns: 500 },
    );
  });

  it('is the same record in every export: indented, its keys in another order', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(RECORDS), async (record) => {
        const store = memoryStore();
        await importRecords(store, [JSON.stringify(record)]);
        const reports = await importRecords(store, [JSON.stringify(record, null, 1), JSON.stringify(reversed(record))]);
        // What is put aside is known by its text: nobody can say what it says.
        expect(reports.eventsAdded - reports.added.quarantined).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});

/** A row as the database had it; of what is no row, the same. */
function encoded(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  const columns =
    'event_type' in record ? ['payload'] : 'description' in record ? ['dependencies', 'acceptance', 'checkpoint', 'evidence'] : [];
  const isColumn = (key: string, value: unknown): boolean => columns.includes(key) && typeof value === 'object' && value !== null;
  const entries = Object.entries(record as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([key, value]) => [key, isColumn(key, value) ? JSON.stringify(value) : value]));
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, reversed(member)] as const)
      .reverse(),
  );
}

describe('a secret that a record shows by its key', () => {
  const SECRET = 'FAKEq9Zk7xW2mP4';
  const shown = fc.constantFrom<(value: unknown) => unknown>(
    (value) => ({ password: SECRET, value }),
    (value) => ({ value, headers: { Authorization: `Bearer ${SECRET}` } }),
    (value) => JSON.stringify({ api_key: SECRET, value }),
    (value) => [`export TOKEN=${SECRET}`, value],
  );
  const bare = fc.constantFrom<(value: unknown) => unknown>(
    () => SECRET,
    () => `used ${SECRET} here`,
    (value) => ({ [SECRET]: value }),
    (value) => ({ value, [`on ${SECRET}`]: { action: 'a', success: true } }),
    () => ({ action: SECRET, success: true }),
    () => JSON.stringify({ deep: JSON.stringify([SECRET]) }),
  );

  it('stands nowhere in what is stored of it, wherever else it stands in it', async () => {
    const plants = fc.array(fc.tuple(fc.nat(), bare), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(mutated(RECORDS), fc.tuple(fc.nat(), shown), plants, async (record, [place, show], more) => {
        const store = memoryStore();
        const whole = [...more, [place, show] as const].reduce((value, [at, change]) => planted(value, at, change), record);
        const report = await importRecords(store, [JSON.stringify(whole)]);
        expect(await storedIn(store)).not.toContain(SECRET);
        expect(JSON.stringify(report)).not.toContain(SECRET);
      }),
      { numRuns: 1500 },
    );
  });
});
