import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@counterfoil/contracts';
import { makeFirstKey, openFileKeyRing, openLedger, type Ledger } from '@counterfoil/ledger';
import { createLogger } from '@counterfoil/runtime';
import { startServer } from '../../apps/server/src/server.js';
import { Http } from '../demo/agent.js';
import { testStores } from './test-stores.js';

export interface RunningLedger {
  readonly directory: string;
  readonly ledger: Ledger;
  readonly url: string;
  /** The first admin: admin, approver, auditor, importer, operator of `default`. */
  readonly admin: Http;
  readonly adminKey: string;
  /** What the server logged. */
  readonly log: string[];
  /** A client with a key of its own; agents act for user `u1` unless told otherwise. */
  client(principal: string, roles: readonly Role[], more?: { userId?: string; workspace?: string }): Promise<Http>;
  /** Every route of the server, as `METHOD path`. */
  routes(): string[];
  /** A part of the running application, by its class. */
  part<T>(type: new (...args: never[]) => T): T;
  /** Opens the ledger once more, as another process has it; to be closed before this one is stopped. */
  open(): Promise<Ledger>;
  /** Number of events in the store. */
  events(): Promise<bigint>;
  /** The header of a read that waits for everything stored so far. */
  atHead(): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** A whole ledger in this process: real files in a directory of its own, the real server on a free port of 127.0.0.1. */
export async function startLedger(options: { readonly bodyLimitBytes?: number } = {}): Promise<RunningLedger> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-e2e-'));
  const keysDirectory = join(directory, 'keys');
  const stores = await testStores(directory);
  // Where events are in EventStoreDB, no server makes the keys.
  if (stores.events.kind !== 'sqlite') openFileKeyRing(keysDirectory, { create: true });
  const ledger = await openLedger({ ...stores, keysDirectory }, { createKeys: true });
  await makeFirstKey(ledger.access, keysDirectory);
  const log: string[] = [];
  const settings = { host: '127.0.0.1', port: 0, bodyLimitBytes: options.bodyLimitBytes ?? 17 * 1024 * 1024, log: 'debug' } as const;
  const server = await startServer(
    ledger,
    settings,
    createLogger('debug', (line) => log.push(line)),
  );
  const adminKey = readFileSync(join(keysDirectory, 'admin.key'), 'utf8').trim();
  const admin = new Http(server.url, adminKey);
  return {
    directory,
    ledger,
    url: server.url,
    admin,
    adminKey,
    log,
    client: async (principal, roles, more = {}) => {
      const userId = roles.includes('agent') ? { userId: more.userId ?? 'u1' } : {};
      const body = { principal, roles, ...userId, ...(more.workspace === undefined ? {} : { workspace: more.workspace }) };
      return new Http(server.url, (await admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret);
    },
    routes: () => server.routes(),
    part: (type) => server.app.get(type),
    open: () => openLedger({ ...stores, keysDirectory }, { createKeys: false }),
    events: () => countEvents(ledger),
    atHead: async () => ({ 'counterfoil-min-position': ledger.token(await ledger.store.head()) }),
    stop: async () => {
      await server.stop();
      await ledger.close();
      await stores.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Positions are not numbers of events in every store. */
async function countEvents({ store }: Ledger): Promise<bigint> {
  let count = 0n;
  const stored = store.readStored(null)[Symbol.asyncIterator]();
  while ((await stored.next()).done !== true) count++;
  return count;
}
