import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inFile, openLedger } from '@counterfoil/ledger';
import { recordKeyOf, recordQuarantined } from '@counterfoil/testing';
import { appendRecords } from './support/old-records.js';
import { oldRow, oldRows } from './support/old-rows.js';
import { runCli, startServerProcess } from './support/server-process.js';

interface Shown {
  readonly import: { readonly importRun: string; readonly added: { readonly receipts: number } } | null;
  readonly quarantined: {
    readonly items: readonly { readonly line: number; readonly reason: string; readonly record?: { readonly json: string } }[];
    readonly nextCursor: string | null;
  };
}

let directory: string;
let run: string;

const cli = (...args: readonly string[]): ReturnType<typeof runCli> => runCli(directory, args);

async function importing(name: string, text: string, ...more: readonly string[]): Promise<string> {
  const file = join(directory, name);
  writeFileSync(file, text);
  expect(await cli('import', file, ...more)).toMatchObject({ code: 0 });
  const { stdout } = await cli('imports', '--json', ...more);
  return (JSON.parse(stdout) as { items: { importRun: string }[] }).items[0]?.importRun ?? '';
}

async function shown(...args: readonly string[]): Promise<Shown> {
  const { code, stdout } = await cli('imports', 'show', ...args, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Shown;
}

const FIRST = [
  oldRow(0),
  '{"cut": ',
  oldRow(1, {}, { args: '{"token":"FAKE3tokenQ7xY3zW3vU9"}' }).replace('{', '{"id":"evt_first",'),
  '{"cut, too\u202e": ',
].join('\n');

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-imports-'));
  run = await importing('first.jsonl', FIRST);
}, 60_000);

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

it('without a server: lists imports with their counts, newest first', async () => {
  const second = await importing('second.jsonl', oldRows(5, 8));
  const { code, stdout } = await cli('imports');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`${second} +\\S+ +service:import +3 +3 +0 +0 +0 +0\\n${run} +\\S+ +service:import +4 +1 +0 +0 +0 +3\\n`),
    ),
  ]);
  const one = await cli('imports', '--limit', '1');
  const cursor = /More: --cursor (\S+)/.exec(one.stdout)?.[1] ?? '';
  expect(one.stdout).not.toContain(run);
  expect((await cli('imports', '--limit', '1', '--cursor', cursor)).stdout).toContain(run);
}, 60_000);

it('shows what an import put aside: where, why, and no record', async () => {
  const { code, stdout } = await cli('imports', 'show', run);
  expect([code, stdout]).toEqual([0, expect.stringContaining('quarantined, not_json: 2')]);
  expect(stdout).toMatch(/line 4, byte \d+ +- +not_json +The line is no JSON/);
  expect(stdout).toMatch(/line 3, byte \d+ +- +duplicate_key +An object names one key twice/);
  expect(stdout).toMatch(new RegExp(`line 2, byte ${String(oldRow(0).length + 1)} +- +not_json `));
  for (const text of ['{"cut', 'evt_first', 'FAKE']) expect(stdout).not.toContain(text);
}, 60_000);

it('shows some of it: for one reason, by pages, with the records as they are stored', async () => {
  expect((await shown(run, '--reason', 'duplicate_key')).quarantined.items).toMatchObject([{ line: 3 }]);
  const first = await shown(run, '--limit', '2');
  expect(first.import).toMatchObject({ importRun: run, added: { receipts: 1 } });
  const rest = await shown(run, '--limit', '2', '--cursor', first.quarantined.nextCursor ?? '');
  const all = [...first.quarantined.items, ...rest.quarantined.items];
  expect(new Set(all.map(({ line }) => line))).toEqual(new Set([2, 3, 4]));
  for (const item of all) expect(item).not.toHaveProperty('record');
  const { items } = (await shown(run, '--reason', 'duplicate_key', '--records')).quarantined;
  expect(items[0]?.record?.json).toContain('evt_first');
  expect(items[0]?.record?.json).not.toContain('FAKE3token');
  const { stdout } = await cli('imports', 'show', run, '--records');
  expect(stdout).toContain('cut, too\\u{202e}');
  expect(stdout).not.toContain('\u202e');
  expect(stdout).not.toContain('FAKE3token');
}, 60_000);

it('beside a running server: what was imported a moment ago is there', async () => {
  const server = await startServerProcess(directory);
  try {
    const latest = await importing('third.jsonl', `${oldRows(20, 60)}{"third": `);
    expect((await shown(latest)).quarantined.items).toMatchObject([{ line: 41, reason: 'not_json' }]);
  } finally {
    await server.end('SIGTERM');
  }
}, 60_000);

it('an import that was killed before its end left no end, and is shown by its records', async () => {
  const file = join(directory, 'counterfoil.db');
  const settings = { ...inFile(file), keysDirectory: join(directory, 'keys') };
  const ledger = await openLedger(settings, { createKeys: false });
  await appendRecords(ledger, `q${recordKeyOf('killed')}`, [recordQuarantined({ importRun: 'killed', line: 12 })]);
  const place = { line: null, byteOffset: null, table: 'tasks', row: '9', member: '/evidence/1' };
  await appendRecords(ledger, `q${recordKeyOf('row')}`, [recordQuarantined({ importRun: 'killed', ...place })]);
  await ledger.close();
  const { code, stdout } = await cli('imports', 'show', 'killed');
  expect([code, stdout]).toEqual([0, expect.stringContaining('killed has no end: it was killed, or it runs.')]);
  expect(stdout).toMatch(/tasks, row 9 +\/evidence\/1 +not_json/);
  expect(stdout).toMatch(/line 12, byte 4096 +- +not_json/);
  expect((await shown('killed')).import).toBeNull();
}, 60_000);

it('another workspace has imports of its own', async () => {
  const other = await importing('other.jsonl', oldRow(0), '--workspace', 'other');
  expect((await cli('imports')).stdout).not.toContain(other);
  const { code, stderr } = await cli('imports', 'show', run, '--workspace', 'other');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no import ${run} in this workspace`)]);
}, 60_000);

it.each([
  ['imports', '--limit', '0'],
  ['imports', '--limit', '201'],
  ['imports', 'show'],
  ['imports', '--workspace', 'Not One'],
])('a wrong use ends with 2: %s %s %s', async (...args) => {
  expect(await cli(...args.filter((arg) => typeof arg === 'string'))).toMatchObject({ code: 2 });
});
