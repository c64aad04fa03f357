import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEvent } from '@counterfoil/contracts';
import { openSqliteEventStore, verifyStore } from '@counterfoil/event-store';
import { createRegistry, openEventStore, type EventsLocation, type LedgerStore } from '@counterfoil/ledger';
import { collect, startTestEventStoreDb, temporaryDirectory, textEvents, type TestEventStoreDb } from '@counterfoil/testing';
import { Agent, Http } from './demo/agent.js';
import { ledgerEnvironment, ROOT, runCli, startServerProcess } from './support/server-process.js';

const at = temporaryDirectory();
let server: TestEventStoreDb;
beforeEach(async () => {
  server = await startTestEventStoreDb();
});
afterEach(async () => {
  await server.stop();
});

interface Report {
  readonly events: number;
  readonly added: number;
  readonly streams: number;
  readonly totalHash: string;
  readonly ok: boolean;
  readonly complete: boolean;
  readonly target: string;
}

const copyArguments = (from: string, to: string, ...more: readonly string[]): string[] => [
  'copy',
  '--from',
  from,
  '--to',
  to,
  ...more,
  '--json',
];

async function copied(from: string, to: string, ...more: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await runCli(at('.'), copyArguments(from, to, ...more));
  expect([code, stderr.split('\n').filter((line) => line.startsWith('counterfoil:'))]).toEqual([0, []]);
  return JSON.parse(stdout) as Report;
}

async function eventsIn(location: EventsLocation): Promise<readonly Omit<StoredEvent, 'position'>[]> {
  const store = await openEventStore(location, { create: false });
  try {
    expect(await verifyStore(store)).toMatchObject({ ok: true });
    const events = (await collect(store.readStored(null))).map(({ position: _, ...event }) => event);
    return events.toSorted((a, b) => (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : Number(a.revision - b.revision)));
  } finally {
    await store.close();
  }
}

/** Events that are there; none where nothing was made yet. */
async function countIn(location: EventsLocation): Promise<number> {
  const store = await openEventStore(location, { create: false }).catch(() => null);
  if (store === null) return 0;
  const count = (await collect(store.readStored(null))).length;
  await store.close();
  return count;
}

const fileAt = (name: string): EventsLocation => ({ kind: 'sqlite', file: at(name) });
const inServer = (streamPrefix = 'counterfoil.'): EventsLocation => ({
  kind: 'eventstoredb',
  connectionString: server.connectionString,
  streamPrefix,
});

interface Shown {
  readonly receiptId: string;
}

/** All receipts as a server shows them from a position on, without the positions of its ledger. */
async function receiptsOf(http: Http, position: string): Promise<unknown> {
  const atLeast = { 'counterfoil-min-position': position };
  const { items } = await http.call<{ items: Shown[] }>('GET', '/v1/receipts?limit=100', undefined, atLeast);
  const all = await Promise.all(items.map(({ receiptId }) => http.call<{ position?: unknown }>('GET', `/v1/receipts/${receiptId}`)));
  return all.map(({ position: _, ...receipt }) => receipt);
}

it('a ledger moves from its file to a server and back: same events, keys and receipts, under another epoch', async () => {
  const first = await startServerProcess(at('.'));
  const admin = new Http(first.url, first.adminKey);
  const { secret } = await admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'agent:a', roles: ['agent'], userId: 'u1' });
  for (const session of ['s1', 's2']) {
    const agent = new Agent(new Http(first.url, secret), session);
    await agent.open();
    for (let n = 0; n < 5; n++)
      await agent.run(`t${String(n)}`, 'call_0', 'echo', { n }, { status: 'succeeded' }, { text: `done ${String(n)} 🧾` });
  }
  const auditor = await admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'person:auditor', roles: ['auditor'] });
  const { position } = await admin.call<{ position: string }>('POST', '/v1/keys', { principal: 'service:last', roles: ['importer'] });
  const shown = await receiptsOf(new Http(first.url, auditor.secret), position);
  expect(shown).toHaveLength(10);
  const { nextCursor } = await new Http(first.url, auditor.secret).call<{ nextCursor: string }>('GET', '/v1/receipts?limit=1');
  await first.end('SIGTERM');

  const there = await copied(`sqlite:${at('counterfoil.db')}`, server.connectionString, '--to-prefix', 'moved.');
  const back = await copied(server.connectionString, `sqlite:${at('back.db')}`, '--from-prefix', 'moved.');
  expect([there.added, back.added, back.totalHash]).toEqual([there.events, there.events, there.totalHash]);
  const events = await eventsIn(fileAt('counterfoil.db'));
  expect(events.length).toBe(there.events);
  expect(await eventsIn(inServer('moved.'))).toEqual(events);
  expect(await eventsIn(fileAt('back.db'))).toEqual(events);

  const url = `sqlite:${at('back.db')}`;
  const second = await startServerProcess(at('.'), { COUNTERFOIL_EVENTS: url, COUNTERFOIL_READ_MODELS: url });
  const again = new Http(second.url, auditor.secret);
  const old = await again.raw('GET', '/v1/receipts', undefined, { 'counterfoil-min-position': position });
  expect([old.status, old.body]).toMatchObject([409, { code: 'position_of_another_ledger' }]);
  // Its places are others here: the page would be another one than the next.
  const goneOn = await again.raw('GET', `/v1/receipts?limit=1&cursor=${nextCursor}`);
  expect([goneOn.status, goneOn.body]).toMatchObject([409, { code: 'position_of_another_ledger' }]);
  const { body } = await again.raw('GET', '/v1/receipts?limit=1');
  expect((body as { position: string }).position).toContain(`${back.target}.`);
  await new Agent(new Http(second.url, secret), 's3').open();
  const next = await new Agent(new Http(second.url, secret), 's1').request('t9', 'call_0', 'echo', {});
  const after = (await receiptsOf(again, next.position)) as Shown[];
  expect(after.filter(({ receiptId }) => receiptId !== next.call.receiptId)).toEqual(shown);
  await second.end('SIGTERM');
}, 120_000);

/** So many events in streams of all lengths, quickly. */
async function bigLedger(file: string): Promise<LedgerStore> {
  const store = await openSqliteEventStore({ file, registry: createRegistry() });
  const lengths = Array.from({ length: 400 }, (_, n) => 1 + ((n * 7) % 60));
  await Promise.all(
    lengths.map((length, n) => {
      return store.append({ stream: `session-default/s${String(n)}`, expected: 'no_stream', events: textEvents(`s${String(n)}`, length) });
    }),
  );
  return store;
}

/** Kills a run within so long after its first word about its progress; one that ends before is as good. */
async function killWithin(ms: number, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/apps/cli/src/main.js'), ...args], {
    env: ledgerEnvironment(at('.')),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.once('data', () => setTimeout(() => child.kill('SIGKILL'), randomInt(ms)));
  await once(child, 'exit');
}

it('a copy that is killed at any instant is taken up by the next run, in both directions', async () => {
  const source = await bigLedger(at('big.db'));
  const total = (await collect(source.readStored(null))).length;
  await source.close();
  for (const [from, to, location] of [
    [`sqlite:${at('big.db')}`, server.connectionString, inServer()],
    [server.connectionString, `sqlite:${at('again.db')}`, fileAt('again.db')],
  ] as const) {
    const found: number[] = [];
    for (const ms of [100, 500, 1500]) {
      await killWithin(ms, copyArguments(from, to));
      found.push(await countIn(location));
    }
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found.filter((count) => count > 0 && count < total)).not.toEqual([]);
    const report = await copied(from, to);
    expect(report).toMatchObject({ events: total, streams: 400, ok: true, complete: true });
    expect(await eventsIn(location)).toEqual(await eventsIn(fileAt('big.db')));
    expect(await copied(from, to)).toMatchObject({ added: 0, ok: true });
  }
}, 240_000);

it('Ctrl-C ends it with 130, and the next run goes on', async () => {
  await (await bigLedger(at('big.db'))).close();
  server.faults.decide = () => ({ kind: 'delay', ms: 20 });
  const [from, to] = [`sqlite:${at('big.db')}`, server.connectionString];
  const child = spawn(process.execPath, [join(ROOT, 'dist/apps/cli/src/main.js'), ...copyArguments(from, to)], {
    env: ledgerEnvironment(at('.')),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, isAsked] = ['', false];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', () => {
    if (!isAsked) child.kill('SIGINT');
    isAsked = true;
  });
  expect(await once(child, 'exit')).toEqual([130, null]);
  server.faults.reset();
  expect(JSON.parse(stdout)).toMatchObject({ complete: false, ok: false });
  expect(await copied(from, to)).toMatchObject({ ok: true, complete: true });
}, 120_000);

it('exit codes: 2 for a wrong use, 1 for what could not run, 3 for a copy that differs; no password is shown', async () => {
  await (await bigLedger(at('big.db'))).close();
  const run = (...args: readonly string[]) => runCli(at('.'), ['copy', ...args]);
  expect((await run('--from', `sqlite:${at('big.db')}`)).code).toBe(2);
  const odd = await run('--from', 'mysql://u:FAKE-password@h', '--to', `sqlite:${at('t.db')}`);
  expect([odd.code, odd.stderr]).toEqual([2, 'counterfoil: --from must be sqlite:<file>, esdb://… or kurrentdb://….\n']);
  expect((await run('--from', `sqlite:${at('absent.db')}`, '--to', `sqlite:${at('t.db')}`)).code).toBe(1);
  expect([existsSync(at('absent.db')), existsSync(at('t.db'))]).toEqual([false, false]);
  expect((await run('--from', `sqlite:${at('big.db')}`, '--to', `sqlite:${at('big.db')}`)).stderr).toContain('copy_onto_itself');
  // Addresses hold passwords, and command lines are seen by everybody on the machine.
  const addresses = { COUNTERFOIL_COPY_FROM: `sqlite:${at('big.db')}`, COUNTERFOIL_COPY_TO: server.connectionString };
  const whole = await runCli(at('.'), ['copy'], addresses);
  expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining('the copy is whole and the same')]);
  const copy = await openEventStore(inServer());
  await copy.append({ stream: 'session-default/s0', expected: 0n, events: textEvents('of the copy', 1) });
  await copy.close();
  const differs = await run('--from', `sqlite:${at('big.db')}`, '--to', server.connectionString);
  expect([differs.code, differs.stderr]).toEqual([3, expect.stringContaining('copy_target_differs')]);
}, 120_000);
