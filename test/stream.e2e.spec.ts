import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Role } from '@counterfoil/contracts';
import { importSource } from '@counterfoil/history';
import { openLedger, type Ledger } from '@counterfoil/ledger';
import { STREAMS_PER_KEY } from '../apps/server/src/stream/stream-limit.js';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { EventStreamClient, type StreamMessage } from './support/event-stream.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const ok = { status: 'succeeded', exitCode: 0 } as const;

interface Key {
  readonly keyId: string;
  readonly secret: string;
  readonly http: Http;
}

let running: RunningLedger;
let agentKey: Key;
let agent: Agent;
let approver: Key;
let auditor: Key;
const open: EventStreamClient[] = [];
let sessions = 0;

async function makeKey(principal: string, roles: readonly Role[], more: Record<string, unknown> = {}): Promise<Key> {
  const userId = roles.includes('agent') ? { userId: 'u1' } : {};
  const made = await running.admin.call<{ keyId: string; secret: string }>('POST', '/v1/keys', { principal, roles, ...userId, ...more });
  return { ...made, http: new Http(running.url, made.secret) };
}

/** Opens a stream, and says when it has begun: what happens from now on is in it. */
async function listen(key: Key, query = '', headers: Record<string, string> = {}): Promise<EventStreamClient> {
  const stream = await EventStreamClient.open(running.url, key.secret, query, headers);
  open.push(stream);
  return stream;
}

/** Kind, id and status of each message. */
const gist = (messages: readonly StreamMessage[]): unknown[] =>
  messages.map(({ event, document }) => [event, document['status'] ?? document['state']]);

/** The ledger's files opened once more, as another process has them. */
async function withOther(work: (other: Ledger) => Promise<void>): Promise<void> {
  const file = join(running.directory, 'counterfoil.db');
  const keysDirectory = join(running.directory, 'keys');
  const other = await openLedger({ eventsFile: file, readModelsFile: file, keysDirectory }, { createKeys: false });
  try {
    await work(other);
  } finally {
    await other.close();
  }
}

beforeAll(async () => {
  running = await startLedger();
  agentKey = await makeKey('agent:a', ['agent']);
  approver = await makeKey('person:p', ['approver']);
  auditor = await makeKey('person:q', ['auditor']);
});

beforeEach(async () => {
  agent = new Agent(agentKey.http, `s${String(++sessions)}`);
  await agent.open();
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.leave();
});

afterAll(() => running.stop());

describe('what it sends', () => {
  it('each change of a receipt and an approval, as GET answers it', async () => {
    const stream = await listen(auditor);
    const asked = await agent.request('1', 'a', 'pay', { n: 1 }, { requireApproval: true });
    const requested = await stream.take(3);
    expect(gist(requested)).toEqual([
      ['receipt', 'awaiting_approval'],
      ['receipt', 'awaiting_approval'],
      ['approval', 'pending'],
    ]);
    const { receiptId, approval, operationId } = asked.call;
    expect(requested[1]?.document).toEqual(await auditor.http.call('GET', `/v1/receipts/${receiptId}`));
    expect(requested[2]?.document).toEqual(await auditor.http.call('GET', `/v1/approvals/${approval?.approvalId ?? ''}`));

    await approver.http.call('POST', `/v1/approvals/${approval?.approvalId ?? ''}/grant`, { operationId });
    const granted = await stream.until(({ event }) => event === 'approval');
    expect(gist(granted).at(-1)).toEqual(['approval', 'granted']);
    const { answer, attempt } = await agent.dispatch(asked);
    await agent.report(answer, attempt, ok, 'done');
    const done = await stream.until(({ document }) => document['status'] === 'succeeded');
    expect(done.at(-1)?.document).toEqual(await auditor.http.call('GET', `/v1/receipts/${receiptId}`));
  });

  it('is a stream of events that nobody keeps', async () => {
    const stream = await listen(auditor);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('counterfoil-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('only the types and the session that were asked for', async () => {
    const other = new Agent(agentKey.http, `other-${agent.sessionId}`);
    await other.open();
    const approvals = await listen(auditor, `?types=approval&session=${agent.sessionId}`);
    await other.request('1', 'x', 'pay', { n: 1 }, { requireApproval: true });
    await agent.request('1', 'a', 'pay', { n: 1 }, { requireApproval: true });
    const [first] = await approvals.take(1);
    expect([first?.event, first?.document['sessionId']]).toEqual(['approval', agent.sessionId]);
  });

  it('what another process wrote', async () => {
    const asked = await agent.request('1', 'a', 'read', { n: 1 });
    const stream = await listen(auditor);
    const waiting = agent.wait((await agent.dispatch(asked)).answer, 60);
    await stream.take(1);
    await withOther(async ({ sessions: elsewhere }) => {
      const ref = { workspaceId: 'default', sessionId: agent.sessionId };
      const origin = { actor: { principal: 'agent:a', keyId: 'x' }, roles: [], occurredAt: null, correlationId: null, traceparent: null };
      const attempt = (await waitingAttempt(asked)) ?? '';
      const outcome = { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null } as const;
      const report = { output: null, observation: null, startedAt: null, completedAt: null, outcome };
      await elsewhere.handle(
        ref,
        { type: 'ReportResult', receiptId: asked.call.receiptId, attempt, ...report },
        origin,
        () => undefined,
        () => null,
      );
    });
    expect((await waiting).call.status).toBe('succeeded');
    expect(gist(await stream.take(1))).toEqual([['receipt', 'succeeded']]);
  });

  it('receipts that are imported', async () => {
    const stream = await listen(auditor, '?types=receipt');
    const file = join(running.directory, 'old.jsonl');
    writeFileSync(file, `${JSON.stringify(oldRow())}\n`);
    await withOther(async ({ store, keys }) => {
      const actor = { principal: 'service:import', keyId: 'local' };
      await importSource(file, { store, workspaceId: 'default', actor, importKey: keys.importKey, importRun: 'run-1', now: Date.now });
    });
    const [imported] = await stream.take(1);
    expect(imported?.document).toMatchObject({ status: 'succeeded', provenance: { kind: 'imported' } });
  });

  it('each change of a task, and every task of a plan that is activated', async () => {
    const stream = await listen(auditor, `?types=task&session=${agent.sessionId}`);
    const path = `/v1/sessions/${agent.sessionId}`;
    await agentKey.http.call('POST', `${path}/plans`, { planId: 'p1', tasks: [{ taskId: 't1' }, { taskId: 't2' }] });
    await agentKey.http.call('POST', `${path}/tasks/t2/start`, {});
    const told = await stream.take(3);
    expect(told.map(({ document, id }) => [document['taskId'], document['status'], id === null])).toEqual([
      ['t1', 'pending', true],
      ['t2', expect.any(String), false],
      ['t2', 'running', false],
    ]);
    expect(told.at(-1)?.document).toEqual(await auditor.http.call('GET', `${path}/tasks/t2`));
  });

  it('goes on while the read models are rebuilt', async () => {
    const stream = await listen(auditor, '?types=receipt');
    await running.ledger.engine.rebuild();
    await agent.request('1', 'a', 'read', { n: 1 });
    expect(gist(await stream.take(1))).toEqual([['receipt', 'requested']]);
  });
});

/** The attempt that holds a call's lease. */
async function waitingAttempt(asked: CallAnswer): Promise<string | null> {
  const path = `/v1/sessions/${agent.sessionId}/tool-calls/${asked.call.receiptId}`;
  return (await agentKey.http.call<{ call: { attempt: string | null } }>('GET', path)).call.attempt;
}

const oldRow = (): object => ({
  id: 'evt_11112222333344445555666677778888',
  event_type: 'execution.receipt',
  payload: {
    receipt_id: 'receipt_aaaabbbbccccddddeeeeffff00001111',
    operation_id: '00112233445566778899aabbccddeeff',
    action: 'read_file',
    args: 'docs/plan.md',
    authorized: true,
    started_at: '2026-05-04T03:02:01.000100+00:00',
    completed_at: '2026-05-04T03:02:01.250000+00:00',
    success: true,
    result: '# Plan',
    failure: null,
    exit_code: null,
    verified_effect: null,
    acceptance: null,
  },
  user_id: 'local',
  workspace_id: 'source-1',
  session_id: 'chat-1',
  task_id: null,
  created_at: '2026-05-04T03:02:01.300000+00:00',
});

describe('resuming', () => {
  it('at any message loses none: everything after the last id comes again', async () => {
    const from = await listen(auditor, `?session=${agent.sessionId}`);
    for (const n of [1, 2, 3]) await agent.request('1', `call-${String(n)}`, 'pay', { n }, { requireApproval: true });
    const all = await from.take(9);
    for (const [n, message] of all.entries()) {
      const again = await listen(auditor, `?session=${agent.sessionId}`, { 'last-event-id': message.lastEventId });
      const rest = all.slice(n + 1);
      const got = rest.length === 0 ? [] : await again.until(({ id }) => id === all.at(-1)?.id);
      const key = ({ event, document }: StreamMessage): string =>
        `${event} ${String(document['receiptId'])} ${String(document['approvalId'])} ${String(document['position'])}`;
      expect(got.map(key)).toEqual(expect.arrayContaining(rest.map(key)));
      again.leave();
    }
  });

  it('a client that lost its stream before the first event resumes where it began', async () => {
    const lost = await listen(auditor, '?types=receipt');
    const began = await lost.begin();
    lost.leave();
    await agent.request('1', 'a', 'read', { n: 1 });
    const again = await listen(auditor, '?types=receipt', { 'last-event-id': began });
    expect((await again.take(1))[0]?.document).toMatchObject({ callId: 'a' });
  });

  it('`from` begins there too, and Last-Event-ID goes before it', async () => {
    const asked = await agent.request('1', 'a', 'read', { n: 1 });
    await agent.request('1', 'b', 'read', { n: 2 });
    const query = `?session=${agent.sessionId}&from=${running.ledger.token(0n)}`;
    expect((await (await listen(auditor, query)).take(2)).map(({ document }) => document['callId'])).toEqual(['a', 'b']);
    const later = await listen(auditor, query, { 'last-event-id': asked.position });
    expect((await later.take(1))[0]?.document['callId']).toBe('b');
  });

  it.each([
    ['a position that is none', 'nonsense', 400, 'invalid_position'],
    ['a position that is not reached', 'EPOCH.999999', 400, 'invalid_position'],
    ['a position of another ledger', 'other.1', 409, 'position_of_another_ledger'],
  ])('%s is refused', async (_what, token, status, code) => {
    const lastEventId = token.replace('EPOCH', running.ledger.store.epoch);
    const refused = await auditor.http.raw('GET', '/v1/stream', undefined, { 'last-event-id': lastEventId });
    expect([refused.status, refused.body]).toEqual([status, expect.objectContaining({ code })]);
    expect((await auditor.http.raw('GET', `/v1/stream?from=${lastEventId}`)).status).toBe(status);
  });
});

describe('who hears what', () => {
  it('an agent hears of its own user only', async () => {
    const foreign = await makeKey('agent:b', ['agent'], { userId: 'u2' });
    const theirs = new Agent(foreign.http, `theirs-${agent.sessionId}`);
    await theirs.open();
    const mine = await listen(agentKey);
    const others = await listen(foreign);
    await theirs.request('1', 'theirs', 'read', { n: 1 });
    await agent.request('1', 'mine', 'read', { n: 1 });
    expect((await mine.take(1))[0]?.document['callId']).toBe('mine');
    expect((await others.take(1))[0]?.document['callId']).toBe('theirs');
  });

  it('another workspace hears nothing, also from the beginning', async () => {
    await agent.request('1', 'a', 'read', { n: 1 });
    const workspace = `far${String(sessions)}`;
    const admin = await makeKey('person:w', ['admin'], { workspace });
    const { secret } = await admin.http.call<{ secret: string }>('POST', '/v1/keys', {
      principal: 'agent:f',
      roles: ['agent'],
      userId: 'u1',
    });
    const key = { keyId: '', secret, http: new Http(running.url, secret) };
    const stream = await listen(key, `?from=${running.ledger.token(0n)}`);
    const far = new Agent(key.http, agent.sessionId);
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
    const refused = await auditor.http.raw('GET', `/v1/stream${query}`);
    expect([refused.status, refused.body]).toEqual([422, expect.objectContaining({ code: 'invalid_request' })]);
  });

  it('HEAD is refused like any route that is not in the table', async () => {
    const response = await fetch(new URL('/v1/stream', running.url), {
      method: 'HEAD',
      headers: { authorization: `Bearer ${auditor.secret}` },
    });
    expect(response.status).toBe(403);
  });
});

describe('its end', () => {
  it('comes when the key is revoked', async () => {
    const key = await makeKey('person:r', ['auditor']);
    const stream = await listen(key);
    await running.admin.call('DELETE', `/v1/keys/${key.keyId}`);
    expect(await stream.next()).toBeNull();
  });

  it('comes when the key expires', async () => {
    const key = await makeKey('person:e', ['auditor'], { expiresAt: new Date(Date.now() + 1500).toISOString() });
    const stream = await listen(key);
    expect(await stream.next()).toBeNull();
  });

  it('a key has so many streams, and gets a place back when a client goes', async () => {
    const key = await makeKey('person:m', ['auditor']);
    const streams: EventStreamClient[] = [];
    for (let n = 0; n < STREAMS_PER_KEY; n++) streams.push(await listen(key));
    const refused = await key.http.raw('GET', '/v1/stream');
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining({ code: 'too_many_streams', retryable: false })]);
    expect((await listen(auditor)).status).toBe(200);
    streams[0]?.leave();
    let status = 429;
    while (status === 429) status = (await listen(key)).status;
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
