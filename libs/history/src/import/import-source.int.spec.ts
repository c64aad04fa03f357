import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry, verifyStore } from '@counterfoil/event-store';
import type { SqliteEventStore } from '@counterfoil/event-store';
import { temporaryDirectory } from '@counterfoil/testing';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import { importSource } from './import-source.js';
import type { ImportReport } from './report.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
const lineOf = (n: number, result = '# Plan'): string =>
  invented.line({ id: `evt_${String(n)}` }, { receipt_id: `receipt_${String(n)}`, result });

describe('importSource into SQLite', () => {
  const path = temporaryDirectory();
  const open: SqliteEventStore[] = [];

  afterEach(async () => {
    await Promise.all(open.splice(0).map((store) => store.close()));
  });

  async function store(): Promise<SqliteEventStore> {
    const opened = await openSqliteEventStore({ file: path('ledger.db'), registry });
    open.push(opened);
    return opened;
  }

  async function imported(into: SqliteEventStore, text: string, importRun = 'run-1'): Promise<ImportReport> {
    const file = path(`${importRun}.jsonl`);
    await writeFile(file, text);
    return importSource(file, { ...CONTEXT, store: into, importRun });
  }

  it('tells a repetition from another content, also within one run', async () => {
    const ledger = await store();
    const text = [lineOf(1), lineOf(1), lineOf(1, 'other'), lineOf(2)].join('\n');
    expect(await imported(ledger, text)).toMatchObject({ imported: 2, duplicate: 1, reasons: { content_differs: 1 }, eventsAdded: 3 });
    expect(await imported(ledger, text)).toMatchObject({ imported: 0, duplicate: 3, reasons: { content_differs: 1 }, eventsAdded: 0 });
    expect(await imported(ledger, text, 'run-2')).toMatchObject({ imported: 0, duplicate: 3, quarantined: 1, eventsAdded: 0 });
    expect((await verifyStore(ledger)).faults).toEqual([]);
  });

  it('adds each record once although two import the same at once', async () => {
    const [one, two] = [await store(), await store()];
    const text = [...Array.from({ length: 300 }, (_, n) => lineOf(n)), '{"cut'].join('\n');
    const [a, b] = await Promise.all([imported(one, text, 'run-1'), imported(two, text, 'run-2')]);
    expect(a.imported + b.imported).toBe(300);
    expect(a.duplicate + b.duplicate).toBe(300);
    expect([a.quarantined, b.quarantined]).toEqual([1, 1]);
    expect(a.eventsAdded + b.eventsAdded).toBe(301);
    expect(await one.head()).toBe(301n);
  });

  it('reads on behind a line of 50 MB', async () => {
    const file = path('long.jsonl');
    const out = createWriteStream(file);
    const chunk = Buffer.alloc(1024 * 1024, 0x78);
    out.write(`${lineOf(1)}\n{"text":"`);
    for (let n = 0; n < 50; n++) out.write(chunk);
    out.end(`"}\n${lineOf(2)}\n`);
    await finished(out);
    const report = await importSource(file, { ...CONTEXT, store: await store() });
    expect(report).toMatchObject({ read: 3, imported: 2, reasons: { line_too_long: 1 } });
  });
});
