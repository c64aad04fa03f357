import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Http } from './demo/agent.js';
import { EventStreamClient } from './support/event-stream.js';
import { runCli, startServerProcess } from './support/server-process.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-start-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function agentOf(url: string, adminKey: string): Promise<Agent> {
  const body = { principal: 'agent:stop', userId: 'u', roles: ['agent'] };
  const { secret } = await new Http(url, adminKey).call<{ secret: string }>('POST', '/v1/keys', body);
  return new Agent(new Http(url, secret), 's1');
}

it('SIGTERM answers a long-poll at once, ends with 0, and what was acknowledged is there after the next start', async () => {
  const first = await startServerProcess(directory);
  const agent = await agentOf(first.url, first.adminKey);
  await agent.open();
  const asked = await agent.request('1', 'a', 'pay', { n: 1 }, { requireApproval: true });
  const waiting = agent.wait(asked, 60);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const ended = first.end('SIGTERM');
  expect((await waiting).call.status).toBe('awaiting_approval');
  expect(await ended).toBe(0);

  const second = await startServerProcess(directory);
  const auditor = new Http(second.url, second.adminKey);
  const call = `/v1/sessions/s1/tool-calls/${asked.call.receiptId}`;
  expect(await auditor.call('GET', call)).toMatchObject({ call: { status: 'awaiting_approval', operationId: asked.call.operationId } });
  expect(await second.end('SIGINT')).toBe(0);
}, 90_000);

it('SIGTERM ends a stream at once, and a client that only connected holds up nothing', async () => {
  const server = await startServerProcess(directory);
  const stream = await EventStreamClient.open(server.url, server.adminKey);
  await stream.begin();
  const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(idle, 'connect');
  const ended = server.end('SIGTERM');
  expect(await stream.next()).toBeNull();
  expect(await ended).toBe(0);
  idle.destroy();
}, 90_000);

it('a ledger without its keys does not start, nor does one with other keys', async () => {
  const first = await startServerProcess(directory);
  await first.end('SIGTERM');
  const keys = join(directory, 'keys');
  renameSync(keys, `${keys}-away`);
  await expect(startServerProcess(directory)).rejects.toThrow(/The keys of this ledger are not in/);
  expect(existsSync(keys)).toBe(false);
  renameSync(`${keys}-away`, keys);
  writeFileSync(join(keys, 'fingerprint-k1.key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`, { mode: 0o600 });
  await expect(startServerProcess(directory)).rejects.toThrow(/The key k1 is not the one/);
}, 90_000);

it.each([
  ['the directory', '', 0o755],
  ['the admin key', 'admin.key', 0o644],
  ['a fingerprint key', 'fingerprint-k1.key', 0o640],
])(
  '%s of the keys may be used by others: the ledger does not start',
  async (_name, file, mode) => {
    const first = await startServerProcess(directory);
    await first.end('SIGTERM');
    chmodSync(join(directory, 'keys', file), mode);
    await expect(startServerProcess(directory)).rejects.toThrow(/may be used by others/);
  },
  90_000,
);

it('a setting that cannot be used is named, without its value', async () => {
  const { code, stderr } = await runCli(directory, ['verify'], { COUNTERFOIL_EVENTS: 'mongodb://u:FAKEpass@h' });
  expect(code).toBe(1);
  expect(stderr).toContain('COUNTERFOIL_EVENTS');
  expect(stderr).not.toContain('FAKEpass');
}, 60_000);

it('a file that is no database is said to be none', async () => {
  writeFileSync(join(directory, 'counterfoil.db'), 'this is a text of more than a hundred bytes, and no database at all. '.repeat(5));
  await expect(startServerProcess(directory)).rejects.toThrow(/not an SQLite database/);
}, 60_000);
