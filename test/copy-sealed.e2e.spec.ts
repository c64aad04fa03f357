import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteEventStore } from '@counterfoil/event-store';
import { createRegistry } from '@counterfoil/ledger';
import { collect, temporaryDirectory } from '@counterfoil/testing';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { oldRows } from './support/old-rows.js';
import { runCli, startServerProcess, type ServerProcess } from './support/server-process.js';

const at = temporaryDirectory();

interface Keys {
  readonly agent: string;
  readonly auditor: string;
  readonly importer: string;
}

async function keysOf(server: ServerProcess): Promise<Keys> {
  const admin = new Http(server.url, server.adminKey);
  const made = async (principal: string, role: string, more: object = {}): Promise<string> =>
    (await admin.call<{ secret: string }>('POST', '/v1/keys', { principal, roles: [role], ...more })).secret;
  return {
    agent: await made('agent:a', 'agent', { userId: 'u1' }),
    auditor: await made('person:auditor', 'auditor'),
    importer: await made('service:importer', 'importer'),
  };
}

/** Asks for calls until the ledger says that it has ended; gives the receipt ids that were acknowledged, and how it ended. */
async function writeUntilSealed(http: Http, sessionId: string): Promise<{ readonly acknowledged: string[]; readonly end: unknown }> {
  const acknowledged: string[] = [];
  for (let n = 0; ; n++) {
    const tool = { source: 'builtin', name: 'echo' };
    const body = JSON.stringify({ callId: 'call_0', turn: String(n), tool, arguments: { n } });
    const answer = await http.raw('POST', `/v1/sessions/${sessionId}/tool-calls`, body);
    if (answer.status >= 400) return { acknowledged, end: answer };
    acknowledged.push((answer.body as CallAnswer).call.receiptId);
  }
}

const sealedAnswer = { status: 409, body: { code: 'ledger_sealed', retryable: false } };

it('a ledger that is moved with --seal while a server takes commands: whatever was acknowledged is in the copy', async () => {
  const server = await startServerProcess(at('.'), { COUNTERFOIL_LOG: 'info' });
  const keys = await keysOf(server);
  const agent = new Http(server.url, keys.agent);
  for (const session of ['w0', 'w1', 'w2', 'w3', 'short']) await new Agent(agent, session).open();
  // Leases of which one at least runs out when the ledger has ended: the sweeper has something to say then, and can't.
  const short = new Agent(agent, 'short');
  for (const seconds of [4, 12, 30, 60]) {
    const { answer } = await short.dispatch(await short.request(`t${String(seconds)}`, 'call_0', 'echo', { seconds }), seconds);
    expect(answer.call.status).toBe('dispatched');
  }
  const writing = ['w0', 'w1', 'w2', 'w3'].map((session) => writeUntilSealed(agent, session));
  await sleep(300);
  const copy = await runCli(at('.'), [
    'copy',
    '--from',
    `sqlite:${at('counterfoil.db')}`,
    '--to',
    `sqlite:${at('copy.db')}`,
    '--seal',
    '--json',
  ]);
  expect([copy.code, copy.stderr.split('\n').filter((line) => line.startsWith('counterfoil:'))]).toEqual([0, []]);
  const report = JSON.parse(copy.stdout) as { sealed: boolean; ok: boolean; sourceGrew: boolean };
  expect(report).toMatchObject({ sealed: true, ok: true, sourceGrew: false });
  const written = await Promise.all(writing);
  for (const { end } of written) expect(end).toMatchObject(sealedAnswer);
  await checkOldServer(server, keys);
  await server.end('SIGTERM');
  const acknowledged = written.flatMap((one) => one.acknowledged);
  expect(acknowledged.length).toBeGreaterThan(4);
  const there = await requestedIn(at('copy.db'));
  expect(acknowledged.filter((receiptId) => !there.has(receiptId))).toEqual([]);
  await checkNewServer(keys);
}, 240_000);

async function requestedIn(file: string): Promise<ReadonlySet<unknown>> {
  const store = await openSqliteEventStore({ file, registry: createRegistry(), create: false });
  const requested = (await collect(store.readStored(null))).filter(({ type }) => type === 'ToolCallRequested');
  await store.close();
  return new Set(requested.map(({ data }) => (data as { receiptId: string }).receiptId));
}

/** It answers questions, refuses whatever would be recorded, and says once that it has ended. */
async function checkOldServer(server: ServerProcess, keys: Keys): Promise<void> {
  const admin = new Http(server.url, server.adminKey);
  const agent = new Http(server.url, keys.agent);
  const refused = [
    await agent.raw('POST', '/v1/sessions', JSON.stringify({ sessionId: 'new', agent: 'a' })),
    await agent.raw('POST', '/v1/sessions/w0/close', '{}'),
    await admin.raw('POST', '/v1/keys', JSON.stringify({ principal: 'person:late', roles: ['auditor'] })),
    await admin.raw('PUT', '/v1/policy', JSON.stringify({ rules: [], unknownTools: 'refuse' })),
  ];
  for (const answer of refused) expect(answer).toMatchObject(sealedAnswer);
  const uploaded = await fetch(new URL('/v1/imports', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.importer}`, 'content-type': 'application/x-ndjson' },
    body: oldRows(0, 3),
  });
  expect({ status: uploaded.status, body: await uploaded.json() }).toMatchObject(sealedAnswer);
  // The same request again is no new one: it was recorded, and is answered as it was.
  const tool = { source: 'builtin', name: 'echo' };
  const same = { callId: 'call_0', turn: '0', tool, arguments: { n: 0 } };
  expect((await agent.raw('POST', '/v1/sessions/w0/tool-calls', JSON.stringify(same))).status).toBe(200);
  while (!server.log().includes('the ledger has ended')) await sleep(50);
  await sleep(1200);
  expect(server.log().split('the ledger has ended')).toHaveLength(2);
  expect(server.log()).not.toContain('background work failed');
  const auditor = new Http(server.url, keys.auditor);
  expect((await auditor.raw('GET', '/v1/receipts?limit=5')).status).toBe(200);
  expect((await auditor.raw('GET', '/v1/sessions/w0')).status).toBe(200);
  expect((await new Http(server.url, '').raw('GET', '/health/ready')).status).toBe(200);
}

/** It knows the same keys, and goes on where the other ended. */
async function checkNewServer(keys: Keys): Promise<void> {
  const url = `sqlite:${at('copy.db')}`;
  const server = await startServerProcess(at('.'), { COUNTERFOIL_EVENTS: url, COUNTERFOIL_READ_MODELS: url });
  const agent = new Agent(new Http(server.url, keys.agent), 'w0');
  const asked = await agent.request('after', 'call_0', 'echo', { after: true });
  expect(asked.next).toBe('dispatch');
  const auditor = new Http(server.url, keys.auditor);
  const page = await auditor.raw('GET', '/v1/receipts?session=w0&limit=1', undefined, { 'counterfoil-min-position': asked.position });
  expect(page).toMatchObject({ status: 200, body: { items: [{ receiptId: asked.call.receiptId }] } });
  await server.end('SIGTERM');
}
