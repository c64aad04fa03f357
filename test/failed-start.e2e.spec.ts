import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerEnvironment, ROOT, startServerProcess, type ServerProcess } from './support/server-process.js';

/** A program that hangs is found out by this, and not by the time limit of the test. */
const END_WITHIN_MS = 20_000;

let directory: string;
let other: Server;
let servers: ServerProcess[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-failed-start-'));
  servers = [];
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterEach(() => {
  for (const { child } of servers) child.kill('SIGKILL');
  other.close();
  rmSync(directory, { recursive: true, force: true });
});

const takenPort = (): string => String((other.address() as AddressInfo).port);

async function start(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startServerProcess(directory, more);
  servers.push(server);
  return server;
}

interface Ended {
  /** Null when it had to be killed. */
  readonly code: number | null;
  readonly stderr: string;
  readonly stdout: string;
}

/** Runs a program until it ends, or for as long as it may take. */
async function run(more: Readonly<Record<string, string>>, args: readonly string[] = ['dist/apps/server/src/main.js']): Promise<Ended> {
  const [file = '', ...rest] = args;
  const child = spawn(process.execPath, [join(ROOT, file), ...rest], {
    env: ledgerEnvironment(directory, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout, stderr };
}

/** Who holds the lease of the projections: empty when it was given back, undefined when it was never taken. */
function leaseOwner(): unknown {
  const db = new Database(join(directory, 'counterfoil.db'), { readonly: true });
  const values = db.prepare<[], string>("SELECT value FROM control WHERE key LIKE 'lease/%'").pluck().all();
  db.close();
  return values.map((value) => (JSON.parse(value) as { owner: string }).owner)[0];
}

describe('a server whose port is taken', () => {
  it.each([
    ['by itself', ['dist/apps/server/src/main.js']],
    ['by counterfoil serve', ['dist/apps/cli/src/main.js', 'serve']],
  ])(
    'started %s says so in a sentence that names the setting, and ends with 1',
    async (_how, args) => {
      const ended = await run({ COUNTERFOIL_PORT: takenPort() }, args);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(/^counterfoil: .*COUNTERFOIL_PORT.*EADDRINUSE.*\n$/);
      // It projects nothing any more, and whoever comes next needn't wait until its lease has run out.
      expect([undefined, '']).toContain(leaseOwner());
    },
    60_000,
  );

  it('leaves the one that has it alone, and the next one after that projects', async () => {
    const first = await start();
    const port = new URL(first.url).port;
    expect(await run({ COUNTERFOIL_PORT: port })).toMatchObject({ code: 1 });
    const ready = async (url: string): Promise<unknown> => (await fetch(`${url}/health/ready`)).json();
    expect(await ready(first.url)).toMatchObject({ status: 'ready', projections: { state: 'running' } });
    expect(await first.end('SIGTERM')).toBe(0);
    const next = await start({ COUNTERFOIL_PORT: port });
    const state = async (): Promise<string> => ((await ready(next.url)) as { projections: { state: string } }).projections.state;
    while ((await state()) !== 'running') await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await next.end('SIGTERM')).toBe(0);
  }, 90_000);
});

it('a server whose host can not be found ends with 1', async () => {
  const ended = await run({ COUNTERFOIL_HOST: 'nowhere.invalid' });
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^counterfoil: .*COUNTERFOIL_HOST.*\n$/) as unknown });
}, 60_000);
