import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inFile, openLedger } from '@counterfoil/ledger';
import { historicalTaskImported, payloadOf } from '@counterfoil/testing';
import Database from 'better-sqlite3';
import { Agent, Http } from './demo/agent.js';
import { appendRecords } from './support/old-records.js';
import { runCli, startServerProcess, type ServerProcess } from './support/server-process.js';

let directory: string;
let server: ServerProcess;
let environment: Record<string, string>;

const cli = (...args: readonly string[]): ReturnType<typeof runCli> => runCli(directory, args, environment);
const cliReading = (input: string, ...args: readonly string[]): ReturnType<typeof runCli> => runCli(directory, args, environment, input);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-cli-'));
  server = await startServerProcess(directory);
  environment = { COUNTERFOIL_URL: server.url };
}, 60_000);

afterAll(async () => {
  await server.end('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
});

const row = (n: number, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: `evt_cli_${String(n)}`,
    event_type: 'execution.receipt',
    payload: {
      receipt_id: `receipt_${String(n).padStart(32, '0')}`,
      operation_id: 'a'.repeat(32),
      action: 'run_cmd',
      args: `echo ${String(n)}`,
      authorized: true,
      started_at: '2026-02-03T04:05:06.000001+00:00',
      completed_at: '2026-02-03T04:05:07.000001+00:00',
      success: n % 2 === 0,
      result: `line ${String(n)}`,
      failure: n % 2 === 0 ? null : 'nonzero_exit',
      exit_code: n % 2 === 0 ? 0 : 3,
      verified_effect: null,
      acceptance: null,
      task_id: null,
      ...more,
    },
    user_id: 'local',
    workspace_id: 'source-cli',
    session_id: 'chat-1',
    task_id: null,
    created_at: '2026-02-03T04:05:08.000001+00:00',
  });

it('the first admin key lies in a file that only its owner reads', () => {
  expect(statSync(join(directory, 'keys', 'admin.key')).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, 'keys')).mode & 0o777).toBe(0o700);
});

it('import: a report that adds up, beside the running server; again it adds nothing', async () => {
  const other = JSON.stringify({
    id: 'evt_x',
    event_type: 'session.message',
    payload: {},
    user_id: 'l',
    workspace_id: 'w',
    session_id: null,
    task_id: null,
    created_at: '2026-02-03T04:05:08+00:00',
  });
  const file = join(directory, 'old.jsonl');
  writeFileSync(file, [...Array.from({ length: 20 }, (_, n) => row(n)), other, '{"cut": ', row(3)].join('\r\n'));
  const first = await cli('import', file, '--json');
  const report = (JSON.parse(first.stdout) as { total: Record<string, number> }).total;
  expect(report).toMatchObject({ read: 23, imported: 20, duplicate: 1, derivedCopy: 0, notAReceipt: 1, quarantined: 1, eventsAdded: 21 });
  expect(first.stderr).toContain('records');
  const second = (JSON.parse((await cli('import', file, '--json')).stdout) as { total: Record<string, number> }).total;
  expect(second).toMatchObject({ read: 23, imported: 0, duplicate: 21, notAReceipt: 1, quarantined: 1, eventsAdded: 0 });
}, 60_000);

it('receipts: lists what was imported, shows one, and in the old keys', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const page = JSON.parse((await cli('receipts', '--provenance', 'imported', '--limit', '50', '--json')).stdout) as {
    items: { receiptId: string; status: string; callId: string }[];
  };
  expect(page.items).toHaveLength(20);
  expect(page.items.filter(({ status }) => status === 'failed')).toHaveLength(10);
  const one = page.items.find(({ callId }) => callId.endsWith('007'))?.receiptId ?? '';
  const compat = JSON.parse((await cli('receipts', one, '--compat')).stdout) as Record<string, unknown>;
  expect(compat).toMatchObject({
    action: 'run_cmd',
    args: 'echo 7',
    success: false,
    exit_code: 3,
    started_at: '2026-02-03T04:05:06.000001+00:00',
  });
  expect((await cli('receipts')).stdout).toContain('run_cmd');
}, 60_000);

it('keys, approve and deny speak to the running ledger', async () => {
  const made = await cli('keys', 'create', '--principal', 'agent:cli', '--role', 'agent', '--user', 'u1');
  const agent = new Agent(new Http(server.url, made.stdout.trim()), 's-cli');
  await agent.open();
  const ask = (callId: string): ReturnType<Agent['request']> => agent.request('1', callId, 'pay', { callId }, { requireApproval: true });
  const [first, second, third] = [await ask('a'), await ask('b'), await ask('c')];
  const id = (asked: typeof first): string => asked.call.approval?.approvalId ?? '';
  const granted = await cli('approve', id(first), '--yes', '--note', 'fine');
  expect(granted.stdout).toContain('"callId":"a"');
  expect(granted.stdout).toContain('is approved');
  expect((await cli('approve', id(second))).code).toBe(2);
  expect((await cli('deny', id(second), '--operation', second.call.operationId ?? '')).stdout).toContain('is denied');
  const wrong = await cli('approve', id(third), '--operation', second.call.operationId ?? '');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('operation_mismatch')]);
  expect((await cli('approvals')).stdout).toContain(id(third));
  const fourth = await ask('d');
  await agent.receipt(fourth);
  const page = await cli('approvals', '--limit', '1');
  const rest = await cli('approvals', '--limit', '1', '--cursor', /More: --cursor (\S+)/.exec(page.stdout)?.[1] ?? '');
  expect([third, fourth].map((one) => [page, rest].filter(({ stdout }) => stdout.includes(id(one))).length)).toEqual([1, 1]);
  expect((await cli('keys', 'list')).stdout).toContain('agent:cli');
}, 60_000);

it('a tool name with terminal escapes rewrote what the approver reads', async () => {
  const made = await cli('keys', 'create', '--principal', 'agent:escapes', '--role', 'agent', '--user', 'u1');
  const agent = new Agent(new Http(server.url, made.stdout.trim()), 's-escapes');
  await agent.open();
  const asked = await agent.request('1', 'a', 'drop_table\u001b[2K\u202eread', { n: 1 }, { requireApproval: true });
  const shown = await cli('approve', asked.call.approval?.approvalId ?? '', '--yes');
  expect(shown.stdout).toContain('drop_table\\u{1b}[2K\\u{202e}read');
  for (const hidden of ['\u001b', '\u202e']) expect(shown.stdout).not.toContain(hidden);
}, 60_000);

it('tasks and plans: lists and shows them, with criteria and evidence', async () => {
  const made = await cli('keys', 'create', '--principal', 'agent:plans', '--role', 'agent', '--user', 'u1');
  const http = new Http(server.url, made.stdout.trim());
  await new Agent(http, 's-plans').open();
  const criteria = [{ id: 'c1', kind: 'evidence', description: 'it is so' }];
  await http.call('POST', '/v1/sessions/s-plans/plans', { planId: 'p1', tasks: [{ taskId: 't1', criteria }, { taskId: 't2' }] });
  const observation = { path: 'a', method: 'look', observer: 'me', exists: true };
  const recorded = { evidenceId: 'e1', taskId: 't1', criterionId: 'c1', observation };
  const { position } = await http.call<{ position: string }>('POST', '/v1/sessions/s-plans/evidence', recorded);
  await http.call('GET', '/v1/tasks', undefined, { 'counterfoil-min-position': position });
  const listed = await cli('tasks', '--session', 's-plans', '--status', 'pending');
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(/s-plans +p1 +t2 +pending +0\/0[^]*s-plans +p1 +t1 +pending +0\/1/),
  ]);
  expect((await cli('tasks', 'list', '--status', 'blocked')).stdout).not.toContain('t1');
  const shown = (await cli('tasks', 'show', 's-plans', 't1')).stdout;
  expect(shown).toMatch(/c1 +evidence +-/);
  expect(shown).toMatch(/e1 +c1 +observation +fresh +agent:plans/);
  expect(JSON.parse((await cli('tasks', 'show', 's-plans', 't1', '--plan', 'p1', '--json')).stdout)).toMatchObject({
    taskId: 't1',
    planState: 'active',
  });
  expect((await cli('plans', '--session', 's-plans')).stdout).toMatch(/s-plans +p1 +active +- +0\/2/);
  expect((await cli('plans', 'show', 's-plans', 'p1')).stdout).toMatch(/t1 +pending\nt2 +pending/);
  const missing = await cli('tasks', 'show', 's-plans', 'none');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('not_found')]);
}, 60_000);

it('tasks --imported: lists tasks of old systems, in their own words', async () => {
  const { position } = await importedTask();
  const admin = new Http(server.url, server.adminKey);
  await admin.call('GET', '/v1/tasks', undefined, { 'counterfoil-min-position': position });
  const listed = await cli('tasks', '--imported');
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(/old-row +task_1 +in_progress +Run the \\u\{202e\}tests +chat-1 +2$/m),
  ]);
  expect((await cli('tasks', 'list', '--imported', '--status', 'failed')).stdout).not.toContain('old-row');
  expect((await cli('tasks')).stdout).not.toContain('old-row');
  const json = JSON.parse((await cli('tasks', '--imported', '--task', 'task_1', '--json')).stdout) as { items: object[] };
  expect(json.items).toMatchObject([{ recordKey: 'old-row', status: null, recordedStatus: 'in_progress', transitions: [] }]);
  const wrong = await cli('tasks', '--imported', '--plan', 'p1');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('invalid_request')]);
}, 60_000);

/** A task's row, appended beside the running server. */
async function importedTask(): Promise<{ position: string }> {
  const file = join(directory, 'counterfoil.db');
  const ledger = await openLedger({ ...inFile(file), keysDirectory: join(directory, 'keys') }, { createKeys: false });
  const original = payloadOf({ id: 'task_1', description: 'Run the \u202etests', status: 'in_progress' });
  const row = historicalTaskImported({ original, status: null, recordedStatus: 'in_progress', evidenceCount: 2 });
  try {
    return { position: await appendRecords(ledger, 'old-row', [row]) };
  } finally {
    await ledger.close();
  }
}

it('tools: registers from a file or standard input, lists, retires', async () => {
  const file = join(directory, 'tool.json');
  const tool = { source: 'mcp:fs', name: 'write_file', sideEffects: 'filesystem', inputSchema: { type: 'object' } };
  writeFileSync(file, JSON.stringify(tool));
  const registered = await cli('tools', 'register', file);
  expect([registered.code, registered.stdout]).toEqual([
    0,
    expect.stringMatching(/mcp:fs write_file is registered as filesystem, sha256:/),
  ]);
  const hidden = JSON.stringify({ source: 'mcp:x', name: 'drop\u202e\u001b[2J', sideEffects: 'read' });
  const odd = await cliReading(hidden, 'tools', 'register', '-');
  expect(odd.stdout).toContain('drop\\u{202e}\\u{1b}[2J is registered as read_only');
  expect((await cli('tools', 'retire', 'mcp:fs', 'write_file', '--reason', 'replaced')).stdout).toContain('mcp:fs write_file is retired');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const listed = await cli('tools');
  expect(listed.stdout).toMatch(/mcp:fs +write_file +- +retired +filesystem +refuse_in_turn +- +yes/);
  expect(listed.stdout).toContain('drop\\u{202e}\\u{1b}[2J');
  expect((await cli('tools', '--state', 'registered')).stdout).not.toContain('write_file');
  const json = (await cli('tools', '--json')).stdout;
  for (const character of ['\u001b', '\u202e']) expect(listed.stdout + json).not.toContain(character);
  expect((JSON.parse(json) as { items: { name: string }[] }).items.map(({ name }) => name)).toContain('drop\u202e\u001b[2J');
  const missing = await cli('tools', 'register', join(directory, 'none.json'));
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("can't be read (ENOENT)")]);
  const bad = await cliReading('{"source":"a","source":"b"}', 'tools', 'register', '-');
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('body_anomaly')]);
}, 60_000);

it('policy: shows none, sets one, and shows each version', async () => {
  expect((await cli('policy')).stdout).toContain('No policy is set');
  const first = { rules: [{ id: 'r1', match: { source: 'mcp:*' }, then: 'require_approval', expiresSeconds: 60 }], unknownTools: 'allow' };
  expect((await cliReading(JSON.stringify(first), 'policy', 'set', '-')).stdout).toContain('policy version 1: 1 rules');
  expect((await cliReading('{"rules":[],"unknownTools":"refuse"}', 'policy', 'set', '-')).stdout).toContain('policy version 2: 0 rules');
  const shown = await cli('policy', 'show', '--version', '1');
  expect(shown.stdout).toMatch(/version 1, set by person:admin[^]*not registered: allow[^]*r1 +mcp:\* +\* +\* +require_approval +60/);
  expect((await cli('policy')).stdout).toMatch(/version 2, [^]*not registered: refuse/);
  const { stdout } = await cli('policy', 'show', '--version', '1', '--json');
  expect((await cliReading(stdout, 'policy', 'set', '-')).stdout).toContain('policy version 3: 1 rules');
  expect((await cliReading('{"rules":[],"unknownTools":"allow"}', 'policy', 'set', '-')).stdout).toContain('policy version 4');
  expect((await cli('policy', 'show', '--version', '9')).code).toBe(1);
}, 60_000);

it('rebuild --compare: byte-equal; verify: every chain holds', async () => {
  const rebuilt = await cli('rebuild', '--compare');
  expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringContaining('byte-equal')]);
  const verified = await cli('verify');
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('every chain holds')]);
}, 60_000);

it('verify names an event that was edited, with an exit code of its own', async () => {
  const db = new Database(join(directory, 'counterfoil.db'));
  expect(() => db.prepare("UPDATE events SET data = '{}' WHERE position = 1").run()).toThrow();
  const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'").pluck().all();
  for (const name of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.prepare("UPDATE events SET data = replace(data, 'person:admin', 'person:nobody') WHERE position = 1").run();
  db.close();
  const verified = await cli('verify');
  expect([verified.code, verified.stdout]).toEqual([3, expect.stringContaining('hash_mismatch')]);
}, 60_000);

it('a wrong use ends with 2 and a sentence, a missing file with 1', async () => {
  expect((await cli('nonsense')).code).toBe(2);
  const missing = await cli('import', join(directory, 'none.jsonl'));
  expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('read_failed: The file cannot be opened.')]);
  expect(missing.stderr).toBe('');
}, 60_000);
