import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventStore, type EventStore } from '@counterfoil/event-store';
import { AccessRegistry } from './access/access-registry.js';
import { makeFirstKey } from './first-start.js';
import { ADMIN_KEY_FILE } from './keys/file-key-ring.js';
import { createRegistry } from './registry.js';

let directory: string;
let stores: EventStore[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-first-'));
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(directory, { recursive: true, force: true });
});

/** The ledger as one more process has it. */
async function oneMore(file = join(directory, 'counterfoil.db')): Promise<AccessRegistry> {
  const store = await openSqliteEventStore({ file, registry: createRegistry() });
  stores.push(store);
  return new AccessRegistry(store);
}

const secretIn = (keys: string): string => readFileSync(join(keys, ADMIN_KEY_FILE), 'utf8').trim();

it('hosts that start a new ledger at the same moment, each with a directory of its own, make one admin key', async () => {
  const hosts = await Promise.all(
    Array.from({ length: 6 }, async () => ({ access: await oneMore(), keys: mkdtempSync(join(directory, 'keys-')) })),
  );
  const files = await Promise.all(hosts.map(({ access, keys }) => makeFirstKey(access, keys)));
  expect(files.filter((file) => file !== null)).toHaveLength(1);
  // Who lost keeps no file of a key that doesn't exist.
  expect(hosts.map(({ keys }) => existsSync(join(keys, ADMIN_KEY_FILE)))).toEqual(files.map((file) => file !== null));
  const winner = hosts[files.findIndex((file) => file !== null)];
  expect(await hosts[0]?.access.authenticate(secretIn(winner?.keys ?? ''))).toMatchObject({ principal: 'person:admin' });
});

it('processes that share a directory all go on with its one key', async () => {
  const processes = await Promise.all(Array.from({ length: 6 }, () => oneMore()));
  await Promise.all(processes.map((access) => makeFirstKey(access, directory)));
  for (const access of processes) expect(await access.authenticate(secretIn(directory))).toMatchObject({ principal: 'person:admin' });
  expect(await makeFirstKey(await oneMore(), directory)).toBeNull();
});

it('a start that was killed after the file was written makes the key of that file', async () => {
  await makeFirstKey(await oneMore(), directory);
  const secret = secretIn(directory);
  // A ledger without any key, beside the file of one: what such a start leaves.
  const access = await oneMore(join(directory, 'new.db'));
  expect(await makeFirstKey(access, directory)).toBe(join(directory, ADMIN_KEY_FILE));
  expect(secretIn(directory)).toBe(secret);
  expect(await access.authenticate(secret)).toMatchObject({ principal: 'person:admin' });
});
