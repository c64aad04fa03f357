import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry, verifyStore } from '@counterfoil/event-store';
import { temporaryDirectory } from '@counterfoil/testing';
import fc from 'fast-check';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import { bytesOf } from '../testing/sources.js';
import { addEvents, oldDatabase } from '../testing/sqlite/old-database.js';
import { importPaths } from './import-paths.js';
import type { ImportReport } from './report.js';

const path = temporaryDirectory();
const root = join(import.meta.dirname, '../../../..');
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });

const row = (n: number): Record<string, unknown> => invented.row({ id: `evt_${String(n)}` }, { receipt_id: `receipt_${String(n)}` });

/** 400 lines in gzip and 400 rows of a database, 100 of them the same; and lines that are put aside. */
async function makeInputs(): Promise<void> {
  await mkdir(path('in'));
  const lines = Array.from({ length: 400 }, (_, n) => (n % 50 === 0 ? `{"cut": ${String(n)}` : JSON.stringify(row(n))));
  await writeFile(path('in/a'), gzipSync(lines.join('\n')));
  const db = oldDatabase(path('in/old.db'), { log: true });
  addEvents(
    db,
    Array.from({ length: 400 }, (_, n) => row(n + 300)),
  );
  db.close();
}

/** Imports in a process of its own. It is killed at about its append number `killAt`; null where it then ended by itself. */
async function importInProcess(store: string, run: string, killAt: number): Promise<ImportReport | null> {
  const script = join(import.meta.dirname, 'importer.child.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, store, run, String(killAt), path('in')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.startsWith('now')) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === null) return null;
  expect(code).toBe(0);
  return JSON.parse(output) as ImportReport;
}

/** All that a store holds, by stream, without what each import mints for itself. */
async function contents(
  file: string,
): Promise<{ streams: Map<string, unknown>; events: bigint; runs: number; faults: readonly unknown[] }> {
  const store = await openSqliteEventStore({ file, registry });
  const streams = new Map<string, unknown>();
  let runs = 0;
  for await (const { stream, type, data, revision } of store.readStored(null)) {
    if (type === 'ImportFinished') runs++;
    else {
      const { importRun: _run, line: _line, byteOffset: _offset, table: _table, row: _row, ...lasting } = data as Record<string, unknown>;
      streams.set(`${stream}@${String(revision)}`, { type, lasting });
    }
  }
  const { faults } = await verifyStore(store);
  const events = await store.head();
  await store.close();
  return { streams, events, runs, faults };
}

describe('importPaths: a process that is killed', () => {
  it.each([
    ['goes on under the name of the run', () => 'run-1'],
    ['goes on as other runs', (n: number) => `run-${String(n)}`],
  ])(
    '%s, and ends with the streams of a clean import',
    async (_, runOf) => {
      await makeInputs();
      const clean = await openSqliteEventStore({ file: path('clean.db'), registry });
      const { total } = await importPaths([path('in')], { ...CONTEXT, store: clean, stdin: bytesOf() });
      await clean.close();
      expect(total).toMatchObject({ read: 800, quarantined: 8, duplicate: 98, imported: 694 });

      let killed = 0;
      for (const [n, killAt] of fc.sample(fc.integer({ min: 1, max: 700 }), 4).entries()) {
        if ((await importInProcess(path('killed.db'), runOf(n), killAt)) === null) killed++;
      }
      expect(killed).toBeGreaterThan(0);
      const last = await importInProcess(path('killed.db'), runOf(9), 0);
      expect(last).toMatchObject({ read: 800, quarantined: 8 });
      expect((last?.duplicate ?? 0) + (last?.imported ?? 0)).toBe(792);

      const [expected, found] = [await contents(path('clean.db')), await contents(path('killed.db'))];
      expect(found.streams).toEqual(expected.streams);
      expect(found.events - BigInt(found.runs)).toBe(expected.events - 1n);
      expect(found.faults).toEqual([]);
    },
    240_000,
  );
});
