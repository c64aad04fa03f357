import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { importSource } from '@counterfoil/history';
import { megabytes, percent, seconds, withBenchLedger } from './scene.js';

/** Lines of an export: of every hundred so many are receipts, the others are messages of about two kilobytes. */
async function makeExport(file: string, lines: number, receiptsPerHundred: number): Promise<number> {
  const out = createWriteStream(file);
  for (let n = 0; n < lines; n++) {
    const line = n % 100 < receiptsPerHundred ? receiptLine(n) : messageLine(n);
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return statSync(file).size;
}

const scopeOf = (n: number): object => ({
  user_id: 'local',
  workspace_id: 'default',
  session_id: `chat-${String(n % 50)}`,
  task_id: null,
  created_at: '2026-05-04T03:02:01.300000+00:00',
});

const receiptLine = (n: number): object => ({
  id: `evt_${String(n)}`,
  event_type: 'execution.receipt',
  payload: {
    receipt_id: `receipt_${String(n)}`,
    operation_id: '00112233445566778899aabbccddeeff',
    action: 'read_file',
    args: `docs/page-${String(n)}.md`,
    authorized: true,
    started_at: '2026-05-04T03:02:01.000100+00:00',
    completed_at: '2026-05-04T03:02:01.250000+00:00',
    success: true,
    result: `A page of text with some words in it, number ${String(n)}. `.repeat(8),
    failure: null,
    exit_code: null,
    verified_effect: null,
    acceptance: null,
  },
  ...scopeOf(n),
});

const messageLine = (n: number): object => ({
  id: `evt_${String(n)}`,
  event_type: 'session.message',
  payload: { role: 'assistant', content: `What the assistant says is longer than what its tools say, number ${String(n)}. `.repeat(28) },
  ...scopeOf(n),
});

async function readAndParse(file: string): Promise<void> {
  let objects = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (JSON.parse(line) !== null) objects++;
  }
  if (objects === 0) throw new Error('nothing was read');
}

async function benchFile(say: (line: string) => void, name: string, lines: number, receiptsPerHundred: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-import-'));
  try {
    const file = join(folder, 'export.jsonl');
    const bytes = await makeExport(file, lines, receiptsPerHundred);
    const plain = bytes / (await seconds(() => readAndParse(file)));
    await withBenchLedger(async (ledger) => {
      let heap = 0;
      let imported = 0;
      const taken = await seconds(async () => {
        const report = await importSource(file, {
          store: ledger.store,
          workspaceId: 'default',
          actor: { principal: 'service:bench', keyId: 'bench' },
          importKey: ledger.keys.importKey,
          importRun: 'bench',
          now: Date.now,
          onProgress: () => {
            heap = Math.max(heap, process.memoryUsage().heapUsed);
          },
        });
        imported = report.imported;
      });
      const rate = bytes / taken;
      say(
        `import, ${name}: ${megabytes(bytes)} in ${taken.toFixed(1)} s, ${(rate / 1e6).toFixed(1)} MB/s, ${(imported / taken).toFixed(0)} receipts/s; ` +
          `lines + JSON.parse: ${(plain / 1e6).toFixed(1)} MB/s; ratio ${percent(rate, plain)} (wanted: 20 %); heap at most ${megabytes(heap)} (wanted: 256)`,
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Import of a mixed export and of one that is nothing but receipts, against reading its lines and JSON.parse (design §9). */
export async function benchImports(say: (line: string) => void, scale: number): Promise<void> {
  await benchFile(say, 'mixed (5 % receipts)', Math.ceil(40_000 * scale), 5);
  await benchFile(say, 'receipts alone', Math.ceil(20_000 * scale), 100);
}
