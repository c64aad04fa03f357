import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { oldRow, oldRows } from './support/old-rows.js';
import { startServerProcess, type ServerProcess } from './support/server-process.js';
import { HandUpload } from './support/upload.js';

const MIB = 1024 * 1024;
/** Far below what is sent, and above what a heap that was never full grows by. */
const MOST_GROWTH = 96 * MIB;
const SENT = 256 * MIB;

let directory: string;
let server: ServerProcess;
/** What the server had held when it had only warmed up. */
let before: number | null;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-memory-'));
  server = await startServerProcess(directory);
  const warm = new HandUpload(server.url, server.adminKey, '/v1/imports');
  await warm.send(oldRows(0, 500));
  await warm.end();
  before = peak();
}, 60_000);

afterAll(async () => {
  await server.end('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
});

const statusFile = (): string => `/proc/${String(server.child.pid)}/status`;

/** The most memory that the server has held so far, in bytes; null where the system doesn't say. */
function peak(): number | null {
  if (!existsSync(statusFile())) return null;
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(statusFile(), 'utf8'))?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

/** A row that is no receipt, and large. */
const otherRow = `${JSON.stringify({ id: 'evt_other', event_type: 'note', payload: { text: 'x'.repeat(64 * 1024) } })}\n`;
const ROWS = Math.ceil(SENT / otherRow.length);

async function* largeExport(): AsyncGenerator<string> {
  for (let n = 0; n < ROWS; n++) yield n % 20 === 0 ? `${oldRow(n)}\n${otherRow}` : otherRow;
}

async function* zipped(): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 1 });
  const pump = (async () => {
    for await (const part of largeExport()) if (!gzip.write(part)) await new Promise((resolve) => gzip.once('drain', resolve));
    gzip.end();
  })();
  for await (const chunk of gzip) yield chunk as Uint8Array;
  await pump;
}

it.each([
  ['as it is', largeExport],
  ['in gzip', zipped],
] as const)(
  'an upload of 256 MiB, %s, is never held as a whole',
  async (_how, source: () => AsyncIterable<string | Uint8Array>) => {
    const upload = new HandUpload(server.url, server.adminKey, '/v1/imports');
    for await (const part of source()) await upload.send(part);
    expect(await upload.end()).toMatchObject({
      body: { state: 'finished', totals: { read: ROWS + Math.ceil(ROWS / 20), notAReceipt: ROWS } },
    });
    const after = peak();
    if (before === null || after === null) console.warn('This system does not say how much memory a process has held: not compared.');
    else expect((after - before) / MIB).toBeLessThan(MOST_GROWTH / MIB);
  },
  300_000,
);
