import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli, startServerProcess } from './support/server-process.js';

it('the command line takes empty variables for unset ones, as the server does', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-empty-'));
  const empty = { COUNTERFOIL_LOG: '', COUNTERFOIL_STREAM_PREFIX: '', COUNTERFOIL_BODY_LIMIT: '' };
  const server = await startServerProcess(directory, empty);
  try {
    const asking = { ...empty, COUNTERFOIL_URL: '', COUNTERFOIL_API_KEY: '', COUNTERFOIL_PORT: new URL(server.url).port };
    expect(await runCli(directory, ['receipts', '--json'], asking)).toMatchObject({ code: 0, stderr: '' });
    const keyed = { ...asking, COUNTERFOIL_KEYS: '', COUNTERFOIL_API_KEY: server.adminKey };
    expect(await runCli(directory, ['keys', 'list'], keyed)).toMatchObject({ code: 0, stderr: '' });
    const copied = await runCli(
      directory,
      ['copy', '--from', `sqlite:${join(directory, 'none.db')}`, '--to', `sqlite:${join(directory, 'new.db')}`],
      {
        COUNTERFOIL_COPY_FROM: '',
        COUNTERFOIL_STREAM_PREFIX: '',
      },
    );
    expect(copied).toMatchObject({ code: 1, stderr: expect.stringContaining('ledger_missing') as unknown });
  } finally {
    await server.end('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  }
}, 60_000);
