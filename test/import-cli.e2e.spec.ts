import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PathsReport } from '@counterfoil/history';
import Database from 'better-sqlite3';
import { ledgerEnvironment, ROOT, runCli } from './support/server-process.js';

let directory: string;
let inputs: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-import-'));
  inputs = join(directory, 'in');
  mkdirSync(join(inputs, 'more'), { recursive: true });
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const cli = (...args: readonly string[]): ReturnType<typeof runCli> => runCli(directory, args);

function row(n: number): Record<string, string | null> {
  const payload = JSON.stringify({
    receipt_id: `receipt_${String(n).padStart(32, '0')}`,
    operation_id: 'a'.repeat(32),
    action: 'run_cmd',
    args: `echo ${String(n)}`,
    authorized: true,
    started_at: '2026-02-03T04:05:06.000001+00:00',
    completed_at: '2026-02-03T04:05:07.000001+00:00',
    success: true,
    result: `line ${String(n)}`,
    failure: null,
    exit_code: 0,
    verified_effect: null,
    acceptance: null,
    task_id: null,
  });
  const scope = { user_id: 'local', workspace_id: 'source-cli', session_id: null, task_id: null };
  return { id: `evt_${String(n)}`, event_type: 'execution.receipt', payload, ...scope, created_at: '2026-02-03T04:05:08.000001+00:00' };
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `${JSON.stringify(row(from + n))}\n`).join('');

function makeDatabase(file: string, from: number, to: number): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  const columns = Object.keys(row(0));
  db.exec(`CREATE TABLE events (${columns.join(', ')}); CREATE TABLE memories (text); INSERT INTO memories VALUES ('x'), ('y')`);
  const insert = db.prepare(`INSERT INTO events VALUES (${columns.map((name) => `@${name}`).join(', ')})`);
  for (let n = from; n < to; n++) insert.run(row(n));
  db.close();
}

function countEvents(type: string): number {
  const db = new Database(join(directory, 'counterfoil.db'), { readonly: true });
  const count = db.prepare<[string], number>('SELECT count(*) FROM events WHERE type = ?').pluck().get(type);
  db.close();
  return count ?? 0;
}

it('imports files, folders, databases and gzip, and reports by file and by surface', async () => {
  writeFileSync(join(inputs, 'a.txt'), `${lines(0, 10)}{"cut\n`);
  writeFileSync(join(inputs, 'b'), gzipSync(lines(5, 15)));
  makeDatabase(join(inputs, 'more', 'old.db'), 12, 20);
  writeFileSync(join(inputs, '.hidden'), 'x');
  const { code, stdout, stderr } = await cli('import', inputs);
  expect(code).toBe(0);
  expect(stdout).toMatch(/a\.txt +lines +11 +10 +0 +0 +0 +1/);
  expect(stdout).toMatch(/in\/b +lines, gzip +10 +5 +5 +0 +0 +0/);
  expect(stdout).toMatch(/old\.db +database +8 +5 +3 +0 +0 +0/);
  expect(stdout).toMatch(/execution\.receipt +28 +20 +8 +0 +0 +0/);
  expect(stdout).toMatch(/in total +29 +20 +8 +0 +0 +1/);
  expect(stdout).toMatch(/old\.db: not read: memories \(2\)/);
  const run = /run (\S+)\n/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain(`quarantined: 1; see counterfoil imports show ${run}\n`);
  expect(stderr).toMatch(/3 of 3: .*old\.db: 100\.0 %, 8 records, \d+\/s, 0 s left/);
  expect((await cli('imports', 'show', run)).stdout).toContain('not_json');
  expect(readdirSync(join(inputs, 'more'))).toEqual(['old.db']);
  expect(countEvents('ImportFinished')).toBe(1);

  const again = JSON.parse((await cli('import', inputs, '--json')).stdout) as PathsReport;
  expect(again.total).toMatchObject({ read: 29, duplicate: 28, quarantined: 1, eventsAdded: 0 });
  expect(again.files.map(({ container, error }) => [container, error])).toEqual([
    ['lines', null],
    ['lines', null],
    ['database', null],
  ]);
  expect(countEvents('ImportFinished')).toBe(1);
}, 120_000);

it('goes on behind a file that cannot be read, and ends with 1', async () => {
  writeFileSync(join(inputs, 'a'), lines(0, 1));
  writeFileSync(join(inputs, 'b'), gzipSync(lines(1, 3)).subarray(0, -9));
  const { code, stdout } = await cli('import', join(inputs, 'none\u001b[2J'), inputs);
  expect(code).toBe(1);
  expect(stdout).toMatch(/none\\u\{1b\}\[2J: read_failed: The file cannot be opened\./);
  expect(stdout).toMatch(/in\/b: read_failed: .*cut or damaged/);
  expect(stdout).not.toContain('\u001b');
  expect(countEvents('HistoricalReceiptImported')).toBeGreaterThanOrEqual(1);
}, 60_000);

it('stores nothing in a dry run, and says what it would do', async () => {
  writeFileSync(join(inputs, 'a'), lines(0, 3) + lines(2, 4));
  const { code, stdout } = await cli('import', '--dry-run', '--format', 'openkyrozen', join(inputs, 'a'));
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/in total +5 +4 +1 [^]*a dry run: nothing was stored; events that it would add: 4;/),
  ]);
  expect(countEvents('HistoricalReceiptImported')).toBe(0);
}, 60_000);

it.each<[string[], string]>([
  [['--format', 'csv'], 'known are auto and openkyrozen'],
  [['--workspace', 'No!'], '--workspace'],
  [['--user', ''], '--user'],
  [['--session', 'x'.repeat(600)], '--session'],
])(
  'refuses %j as a wrong use',
  async (args, words) => {
    const { code, stderr } = await cli('import', join(inputs, 'a'), ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  },
  60_000,
);

it('reads standard input, into another workspace, for a user and a session that are named', async () => {
  const args = ['import', '-', '--workspace', 'other', '--user', 'u-given', '--session', 's-given', '--json'];
  const { code, stdout } = await runCli(directory, args, {}, lines(0, 2));
  expect([code, (JSON.parse(stdout) as PathsReport).total.imported]).toEqual([0, 2]);
  const db = new Database(join(directory, 'counterfoil.db'), { readonly: true });
  const stored = db.prepare<[], string>("SELECT data FROM events WHERE type = 'HistoricalReceiptImported'").pluck().all();
  db.close();
  expect(stored.map((data) => JSON.parse(data) as Record<string, unknown>)).toEqual(
    [1, 2].map(() => expect.objectContaining({ workspaceId: 'other', given: { userId: 'u-given', sessionId: 's-given' } }) as unknown),
  );
}, 60_000);

it('ends at Ctrl-C between two records, with 130, and completes the next time', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'dist/apps/cli/src/main.js'), 'import', '-'], {
    env: ledgerEnvironment(directory),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close');
  // Standard input stays open: without the signal it would wait for ever.
  for (let n = 0; !/, [1-9]\d* records/.test(stderr); n += 10) {
    child.stdin.write(lines(n, n + 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGINT');
  const [code] = (await ended) as [number | null];
  expect([code, stdout]).toEqual([130, expect.stringContaining('Interrupted: run the same command again')]);
  const stored = countEvents('HistoricalReceiptImported');
  expect(stdout).toMatch(new RegExp(`in total +${String(stored)} +${String(stored)} `));
  expect(countEvents('ImportFinished')).toBe(1);
  const rest = await runCli(directory, ['import', '-', '--json'], {}, lines(0, stored + 20));
  expect((JSON.parse(rest.stdout) as PathsReport).total).toMatchObject({ imported: 20, duplicate: stored, interrupted: false });
}, 120_000);

it('keeps a secret of a database out of every file of the ledger', async () => {
  const db = new Database(join(inputs, 'old.db'));
  db.exec('CREATE TABLE events (id, event_type, payload, created_at)');
  const secret = 'FAKE0123456789abcdefFAKE';
  const insert = db.prepare("INSERT INTO events VALUES (?, 'execution.receipt', ?, '2026-02-03T04:05:08+00:00')");
  insert.run(
    'a',
    JSON.stringify({ ...(JSON.parse(row(1)['payload'] ?? '') as object), args: `curl -H 'Authorization: Bearer ${secret}'` }),
  );
  insert.run('b', `{"password": "${secret}", "n": NaN}`);
  insert.run('c', Buffer.from(`{"token": "${secret}", "x": "\xff"}`, 'latin1'));
  db.close();
  const { code } = await cli('import', inputs);
  expect(code).toBe(0);
  for (const name of readdirSync(directory).filter((name) => name.startsWith('counterfoil.db')))
    expect(readFileSync(join(directory, name)).includes(secret)).toBe(false);
}, 60_000);
