import { connect } from 'node:net';
import { STREAMS_PER_KEY } from '../apps/server/src/stream/stream-limit.js';
import { Agent, Http } from './demo/agent.js';
import { EventStreamClient } from './support/event-stream.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';
import { StreamStage } from './support/stream-stage.js';

const ok = { status: 'succeeded', exitCode: 0 } as const;

let stage: StreamStage;

beforeAll(async () => {
  stage = await StreamStage.start();
});
beforeEach(() => stage.nextSession());
afterEach(() => stage.leaveAll());
afterAll(() => stage.running.stop());

describe('who hears what', () => {
  it('an agent hears of its own user only', async () => {
    const foreign = await stage.makeKey('agent:b', ['agent'], { userId: 'u2' });
    const theirs = new Agent(foreign.http, `theirs-${stage.agent.sessionId}`);
    await theirs.open();
    const mine = await stage.listen(stage.agentKey);
    const others = await stage.listen(foreign);
    await theirs.request('1', 'theirs', 'read', { n: 1 });
    await stage.agent.request('1', 'mine', 'read', { n: 1 });
    expect((await mine.take(1))[0]?.document['callId']).toBe('mine');
    expect((await others.take(1))[0]?.document['callId']).toBe('theirs');
  });

  it('another workspace hears nothing, also from the beginning', async () => {
    await stage.agent.request('1', 'a', 'read', { n: 1 });
    const workspace = `far-${stage.agent.sessionId}`;
    const admin = await stage.makeKey('person:w', ['admin'], { workspace });
    const { secret } = await admin.http.call<{ secret: string }>('POST', '/v1/keys', {
      principal: 'agent:f',
      roles: ['agent'],
      userId: 'u1',
    });
    const key = { keyId: '', secret, http: new Http(stage.running.url, secret) };
    const stream = await stage.listen(key, `?from=${stage.running.ledger.token(0n)}`);
    const far = new Agent(key.http, stage.agent.sessionId);
    await far.open();
    await far.request('1', 'far', 'read', { n: 1 });
    expect((await stream.take(1))[0]?.document['callId']).toBe('far');
  });

  it.each([
    ['an unknown type', '?types=secrets'],
    ['an empty list', '?types='],
    ['a name that is none', '?session=a%2Fb'],
    ['an unknown member', '?kind=receipt'],
  ])('%s is refused', async (_what, query) => {
    const refused = await stage.auditor.http.raw('GET', `/v1/stream${query}`);
    expect([refused.status, refused.body]).toEqual([422, expect.objectContaining({ code: 'invalid_request' })]);
  });

  it('HEAD is refused like any route that is not in the table', async () => {
    const response = await fetch(new URL('/v1/stream', stage.running.url), {
      method: 'HEAD',
      headers: { authorization: `Bearer ${stage.auditor.secret}` },
    });
    expect(response.status).toBe(403);
  });
});

describe('its end', () => {
  it('comes when the key is revoked', async () => {
    const key = await stage.makeKey('person:r', ['auditor']);
    const stream = await stage.listen(key);
    await stage.running.admin.call('DELETE', `/v1/keys/${key.keyId}`);
    expect(await stream.next()).toBeNull();
  });

  it('comes when the key expires', async () => {
    const key = await stage.makeKey('person:e', ['auditor'], { expiresAt: new Date(Date.now() + 1500).toISOString() });
    const stream = await stage.listen(key);
    expect(await stream.next()).toBeNull();
  });

  it('a key has so many streams, and gets a place back when a client goes', async () => {
    const key = await stage.makeKey('person:m', ['auditor']);
    const streams: EventStreamClient[] = [];
    for (let n = 0; n < STREAMS_PER_KEY; n++) streams.push(await stage.listen(key));
    const refused = await key.http.raw('GET', '/v1/stream');
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining({ code: 'too_many_streams', retryable: false })]);
    expect((await stage.listen(stage.auditor)).status).toBe(200);
    streams[0]?.leave();
    let status = 429;
    while (status === 429) status = (await stage.listen(key)).status;
    expect(status).toBe(200);
  });

  it('comes at once when the server stops, also for a client that takes nothing', async () => {
    const other = await startLedger();
    const { secret } = await other.admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'person:z', roles: ['auditor'] });
    const streams = await Promise.all([1, 2, 3].map(() => EventStreamClient.open(other.url, secret)));
    const ended = streams.map((stream) => stream.next());
    await fill(other);
    const stuck = connect(Number(new URL(other.url).port), '127.0.0.1');
    stuck.on('error', () => undefined);
    stuck.pause();
    stuck.write(`GET /v1/stream?from=${other.ledger.token(0n)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await other.stop();
    expect(await Promise.all(ended)).toEqual([expect.objectContaining({ event: 'receipt' }), expect.anything(), expect.anything()]);
    for (const stream of streams) await stream.until(() => false).catch(() => undefined);
    stuck.destroy();
  });
});

/** Messages of more bytes than a connection holds for a client that takes nothing: each event of a call sends its whole receipt. */
async function fill(other: RunningLedger): Promise<void> {
  const filler = new Agent(await other.client('agent:f', ['agent']), 'full');
  await filler.open();
  const text = 'lorem ipsum '.repeat(4500);
  for (let n = 0; n < 60; n++) await filler.run('1', `call-${String(n)}`, 'read', { n, text }, ok, { text });
}
