import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Http } from './demo/agent.js';
import { runCli, startServerProcess } from './support/server-process.js';

it('a server and its command line run where the home directory can not be written, and other temporary files are elsewhere', async () => {
  const root = mkdtempSync(join(tmpdir(), 'counterfoil-home-'));
  const [ledger, temporary] = [join(root, 'ledger'), join(root, 'temporary')];
  for (const directory of [ledger, temporary]) mkdirSync(directory);
  // Nothing can be made there, whoever one is.
  const environment = { HOME: '/dev/null/home', USERPROFILE: '/dev/null/home', TMPDIR: temporary };
  try {
    const server = await startServerProcess(ledger, environment);
    try {
      const asking = { ...environment, COUNTERFOIL_URL: server.url, COUNTERFOIL_API_KEY: server.adminKey };
      const listed = await runCli(ledger, ['receipts', '--json'], asking);
      expect([listed.code, listed.stderr]).toEqual([0, '']);
      expect(await new Http(server.url, server.adminKey).call('GET', '/v1/receipts')).toMatchObject({ items: [] });
    } finally {
      expect(await server.end('SIGTERM')).toBe(0);
    }
    expect(readdirSync(temporary)).toEqual([]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}, 90_000);
