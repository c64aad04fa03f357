import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { openFileKeyRing } from '@counterfoil/ledger';
import { portableReceipt } from '@counterfoil/read-models';
import { overMongo } from '@counterfoil/testing';
import { Http } from './demo/agent.js';
import { caughtUp } from './distributed/check-read-models.js';
import { startCluster, type Cluster } from './distributed/cluster.js';
import { oldRow, oldRows } from './support/old-rows.js';
import { ROOT, runCli, startServerProcess, type ServerProcess } from './support/server-process.js';

/** What a client of its own draws, or tells by its own clock, is no part of what two runs must have in common. */
function comparable(receipt: ReceiptDocument): unknown {
  const { times, approval, amendment, ...rest } = portableReceipt(receipt);
  return {
    ...rest,
    attempt: receipt.attempt === null ? null : 'drawn',
    leaseUntil: receipt.leaseUntil === null ? null : 'then',
    times: {
      ...times,
      reportedStart: times.reportedStart === null ? null : 'then',
      reportedEnd: times.reportedEnd === null ? null : 'then',
    },
    approval: approval === null ? null : { ...approval, expiresAt: 'then' },
    amendment: amendment === null ? null : { ...amendment, at: 'then' },
  };
}

async function receiptsOf(http: Http, query: string): Promise<ReadonlyMap<string, unknown>> {
  const receipts = new Map<string, unknown>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: ReceiptDocument[]; nextCursor: string | null } = await http.call('GET', `/v1/receipts?limit=50${query}${more}`);
    for (const receipt of page.items) receipts.set(receipt.receiptId, comparable(receipt));
    cursor = page.nextCursor;
  }
  return new Map([...receipts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function demo(url: string, key: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', COUNTERFOIL_URL: url, COUNTERFOIL_API_KEY: key, COUNTERFOIL_DEMO_RUN: 'parity' };
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test/demo/main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return child.exitCode === 0 ? '' : output;
}

overMongo('the same, embedded and distributed, under the same keys', ['A'], (server) => {
  let directory: string;
  let embedded: ServerProcess;
  let cluster: Cluster;
  let both: readonly [Http, Http];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'counterfoil-parity-'));
    const keys = join(directory, 'keys');
    openFileKeyRing(keys, { create: true });
    cluster = await startCluster(server.url, (target) => {
      cpSync(keys, target, { recursive: true });
      chmodSync(target, 0o700);
    });
    embedded = await startServerProcess(directory);
    // What one server wrote is read from the other.
    both = [new Http(embedded.url, embedded.adminKey), cluster.admin('server-2')];
  }, 120_000);
  afterAll(async () => {
    await embedded.end('SIGTERM');
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  const compared = async (query: string): Promise<number> => {
    for (const http of both) await caughtUp(http, 'parity');
    const [expected, found] = await Promise.all(both.map((http) => receiptsOf(http, query)));
    expect(found).toEqual(expected);
    return expected?.size ?? 0;
  };

  it('the demo leaves the same receipts', async () => {
    const runs = [demo(embedded.url, embedded.adminKey), demo(cluster.server('server-1').url, cluster.adminKey)];
    expect(await Promise.all(runs)).toEqual(['', '']);
    expect(await compared('&session=demo-parity')).toBeGreaterThan(15);
  }, 180_000);

  it('an import leaves the same receipts, and again adds nothing', async () => {
    const file = join(directory, 'old.jsonl');
    // With one that stands there twice, one with a secret, and one that is cut.
    const withSecret = oldRow(200, {}, { args: '{"token":"FAKE3tokenQ7xY3zW3vU9"}' });
    writeFileSync(file, [oldRows(0, 120).trim(), oldRow(7), withSecret, '{"cut": '].join('\n'));
    const environment = await cluster.environment('server-1');
    const imported = async (): Promise<readonly unknown[]> => {
      const runs = [runCli(directory, ['import', file, '--json']), runCli(cluster.directory, ['import', file, '--json'], environment)];
      return (await Promise.all(runs)).map(({ code, stdout, stderr }) => {
        if (code !== 0) return { code, stderr };
        const { totals, eventsAdded } = (JSON.parse(stdout) as { total: Record<string, unknown> }).total;
        return { totals, eventsAdded };
      });
    };
    const first = await imported();
    expect(first[1]).toEqual(first[0]);
    expect(await compared('')).toBeGreaterThan(121);
    const again = await imported();
    expect(again[1]).toEqual(again[0]);
    expect(again[1]).toMatchObject({ eventsAdded: 0 });
    expect(await compared('')).toBeGreaterThan(121);
  }, 180_000);
});
