import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFirstKey, openFileKeyRing, openLedger, openProjections, type Ledger } from '@counterfoil/ledger';
import { mongoTestDatabase, overMongo, startTestEventStoreDb, WireProxy, type TestEventStoreDb } from '@counterfoil/testing';
import { startServer, type RunningServer } from '../apps/server/src/server.js';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { withDatabase } from './support/test-stores.js';

/** A server, a projector, and their two stores, each of which can go away. What goes wrong takes its time: bounded, and some seconds. */
overMongo('a distributed ledger whose stores go away', ['A'], (mongo) => {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-outage-'));
  const database = mongoTestDatabase(mongo);
  const stopping = new AbortController();
  let eventStore: TestEventStoreDb;
  let proxy: WireProxy;
  let ledger: Ledger;
  let server: RunningServer;
  let projecting: Promise<void>;
  let closeProjections: () => Promise<void>;
  let admin: Http;
  let adminKey: string;
  let agentHttp: Http;
  let agent: Agent;

  beforeAll(async () => {
    eventStore = await startTestEventStoreDb();
    proxy = await WireProxy.start(mongo.url);
    const events = { kind: 'eventstoredb', connectionString: eventStore.connectionString, streamPrefix: 'counterfoil.' } as const;
    const keysDirectory = join(directory, 'keys');
    openFileKeyRing(keysDirectory, { create: true });
    const readModels = { kind: 'mongodb', url: withDatabase(proxy.url, database.name) } as const;
    ledger = await openLedger({ events, readModels, keysDirectory }, { createKeys: true });
    await makeFirstKey(ledger.access, keysDirectory);
    server = await startServer(ledger, { host: '127.0.0.1', port: 0, bodyLimitBytes: 1024 * 1024, log: 'silent' });
    const projections = await openProjections({ events, readModels });
    projecting = projections.engine.run(stopping.signal);
    closeProjections = () => projections.close();
    adminKey = readFileSync(join(keysDirectory, 'admin.key'), 'utf8').trim();
    admin = new Http(server.url, adminKey);
    const { secret } = await admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'agent:a', roles: ['agent'], userId: 'u1' });
    agentHttp = new Http(server.url, secret);
    agent = new Agent(agentHttp, 's1');
    await agent.open();
  });
  afterAll(async () => {
    proxy.onCommand(() => 'pass');
    stopping.abort();
    await projecting;
    await closeProjections();
    await server.stop();
    await ledger.close();
    await Promise.all([eventStore.stop(), proxy.close()]);
    await database.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const read = ({ call, position }: CallAnswer): Promise<{ status: number; body: unknown }> =>
    admin.raw('GET', `/v1/receipts/${call.receiptId}`, undefined, { 'counterfoil-min-position': position });

  it('without its read models takes commands, and says 503 to questions, with a code of its own', async () => {
    proxy.onCommand((command) => (command === '' ? 'pass' : 'lose'));
    const asked = await agent.request('1', 'meanwhile', 'write', { n: 1 });
    expect(asked.next).toBe('dispatch');
    expect(await read(asked)).toMatchObject({ status: 503, body: { code: 'read_models_unavailable', retryable: true } });
    expect(await new Http(server.url, '').raw('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'not_ready', unreachable: ['read_models'] },
    });
    proxy.onCommand(() => 'pass');
    expect(await eventually200(() => read(asked))).toMatchObject({ body: { callId: 'meanwhile', status: 'requested' } });
  }, 90_000);

  // Keys stand in the event store: whether one was revoked meanwhile can't be known, so that nothing is read with it either.
  it('without its events refuses commands and questions as ones that may be sent again, and goes on afterwards', async () => {
    const before = await agent.request('2', 'before', 'write', { n: 2 });
    expect((await read(before)).status).toBe(200);
    await eventStore.stop();
    // A key that was looked at within the last second is taken as it was.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const body = JSON.stringify({ callId: 'during', turn: '2', tool: { source: 'builtin', name: 'write' }, arguments: { n: 3 } });
    const [command, question] = await Promise.all([agentHttp.raw('POST', '/v1/sessions/s1/tool-calls', body), read(before)]);
    expect(command).toMatchObject({ status: 503, body: { retryable: true } });
    expect(['store_unavailable', 'outcome_unknown']).toContain((command.body as { code: string }).code);
    expect(question).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    expect(eventStore.connections).toBe(0);
    await eventStore.listen();
    const again = await eventually200(() => agentHttp.raw('POST', '/v1/sessions/s1/tool-calls', body));
    expect(await eventually200(() => read(again.body as CallAnswer))).toMatchObject({ body: { callId: 'during' } });
    // Sent many times, recorded once.
    const { items } = await admin.call<{ items: { callId: string }[] }>('GET', '/v1/receipts?session=s1');
    expect(items.map(({ callId }) => callId)).toEqual(['during', 'before', 'meanwhile']);
  }, 120_000);

  // The last one: nobody projects any more.
  it('without a projector says 503 to who asks for what it wrote, and when to ask again', async () => {
    stopping.abort();
    await projecting;
    const asked = await agent.request('3', 'late', 'write', { n: 4 });
    const url = new URL(`/v1/receipts/${asked.call.receiptId}`, server.url);
    const headers = { authorization: `Bearer ${adminKey}`, 'counterfoil-min-position': asked.position };
    const answer = await fetch(url, { headers });
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
      503,
      '1',
      { code: 'projection_lagging', retryable: true },
    ]);
  }, 60_000);
});

/** Asks until it is answered: each 503 says that the same may be sent again. */
async function eventually200(ask: () => Promise<{ status: number; body: unknown }>): Promise<{ status: number; body: unknown }> {
  for (;;) {
    const answer = await ask();
    if (answer.status < 300) return answer;
    expect(answer).toMatchObject({ status: 503, body: { retryable: true } });
  }
}
