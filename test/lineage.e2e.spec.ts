import type { Page, ReceiptDocument, SessionDocument } from '@counterfoil/contracts';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
});

afterAll(() => running.stop());

const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });

/** Opens a session under a call of another one. */
async function open(sessionId: string, parent?: { sessionId: string; receiptId: string }, by = http): Promise<Agent> {
  await by.call('POST', '/v1/sessions', { sessionId, ...(parent === undefined ? {} : { parent }) });
  return new Agent(by, sessionId);
}

async function refused(body: unknown, by = http): Promise<{ status: number; code: string; detail: string }> {
  const before = await running.events();
  const answer = await by.raw('POST', '/v1/sessions', JSON.stringify(body));
  expect(await running.events()).toBe(before);
  return { status: answer.status, ...(answer.body as { code: string; detail: string }) };
}

const parentOf = (sessionId: string, { call }: CallAnswer): { sessionId: string; receiptId: string } => ({
  sessionId,
  receiptId: call.receiptId,
});

describe('a subagent’s session', () => {
  it('names the call that started it, and all of them the session in which the work began', async () => {
    const root = await open('root');
    const started = await root.request('1', 'delegate', 'subagent', { task: 'a' });
    const child = await open('child', parentOf('root', started));
    const deeper = await child.request('1', 'delegate', 'subagent', { task: 'b' });
    const grandchild = await open('grandchild', parentOf('child', deeper));
    const last = await grandchild.request('1', 'c', 'write', { n: 1 });
    const session = async (id: string): Promise<SessionDocument> => http.call('GET', `/v1/sessions/${id}`, undefined, at(last.position));
    expect(await session('root')).toMatchObject({ parent: null, rootSessionId: 'root' });
    expect(await session('child')).toMatchObject({ parent: parentOf('root', started), rootSessionId: 'root' });
    expect(await session('grandchild')).toMatchObject({ parent: parentOf('child', deeper), rootSessionId: 'root' });
    const page = await http.call<Page<ReceiptDocument>>('GET', '/v1/receipts?root=root', undefined, at(last.position));
    expect(page.items.map(({ sessionId, callId }) => `${sessionId ?? ''}/${callId}`).sort()).toEqual([
      'child/delegate',
      'grandchild/c',
      'root/delegate',
    ]);
    expect(page.items.every(({ rootSessionId }) => rootSessionId === 'root')).toBe(true);
  });

  it('is the same session when it is opened again, and a conflict under another parent', async () => {
    const root = await open('again-root');
    const [one, two] = [await root.request('1', 'a', 'subagent', {}), await root.request('1', 'b', 'subagent', { n: 2 })];
    await open('again', parentOf('again-root', one));
    const before = await running.events();
    const again = await http.raw('POST', '/v1/sessions', JSON.stringify({ sessionId: 'again', parent: parentOf('again-root', one) }));
    expect([again.status, await running.events()]).toEqual([200, before]);
    expect(await refused({ sessionId: 'again', parent: parentOf('again-root', two) })).toMatchObject({
      status: 409,
      code: 'session_conflict',
    });
    expect(await refused({ sessionId: 'again' })).toMatchObject({ status: 409, code: 'session_conflict' });
  });

  it('of a parent that is not there, or not of the same user, is not opened: the answers are the same', async () => {
    const other = await running.client('agent:other', ['agent'], { userId: 'u2' });
    const reader = await running.client('agent:reader', ['agent', 'auditor', 'approver'], { userId: 'u3' });
    const theirs = await (await open('theirs', undefined, other)).request('1', 'a', 'subagent', {});
    const missing = { sessionId: 'nobody', receiptId: theirs.call.receiptId };
    const answers = [
      await refused({ sessionId: 'x', parent: missing }),
      await refused({ sessionId: 'x', parent: parentOf('theirs', theirs) }),
      await refused({ sessionId: 'x', parent: parentOf('theirs', theirs) }, reader),
    ];
    for (const { status, code } of answers) expect([status, code]).toEqual([404, 'not_found']);
    expect(new Set(answers.map(({ detail }) => detail)).size).toBe(1);
  });

  it('under a call that its parent session does not have is not opened', async () => {
    const root = await open('no-call');
    const call = await root.request('1', 'a', 'subagent', {});
    await open('no-call-2');
    expect(await refused({ sessionId: 'y', parent: parentOf('no-call-2', call) })).toMatchObject({ status: 404, code: 'not_found' });
    expect(await refused({ sessionId: 'y', parent: { sessionId: 'no-call', receiptId: 'rcp_nothing' } })).toMatchObject({ status: 422 });
    expect(await refused({ sessionId: 'no-call-3', parent: parentOf('no-call-3', call) })).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it('of another workspace’s parent is not opened', async () => {
    const root = await open('here');
    const call = await root.request('1', 'a', 'subagent', {});
    const made = { principal: 'person:there', roles: ['admin'], workspace: 'elsewhere' };
    const admin = new Http(running.url, (await running.admin.call<{ secret: string }>('POST', '/v1/keys', made)).secret);
    const key = await admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'agent:there', roles: ['agent'], userId: 'u1' });
    const there = new Http(running.url, key.secret);
    expect(await refused({ sessionId: 'z', parent: parentOf('here', call) }, there)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('the parent', () => {
  it('is told nothing by its subagent: its call ends only by its own result (case 28)', async () => {
    const root = await open('swallow');
    const asked = await root.request('1', 'delegate', 'subagent', {});
    const { attempt } = await root.dispatch(asked);
    const child = await open('swallow-child', parentOf('swallow', asked));
    const inner = await child.run('1', 'c', 'write', { n: 1 }, { status: 'failed' }, 'no');
    const between = await http.call<CallAnswer>('GET', `/v1/sessions/swallow/tool-calls/${asked.call.receiptId}`);
    expect([inner.call.status, between.call.status]).toEqual(['failed', 'dispatched']);
    expect((await root.report(asked, attempt, { status: 'succeeded' }, 'yes')).call.status).toBe('succeeded');
  });

  it('has its task proven by its own calls alone', async () => {
    const root = await open('proof');
    const evidence = [{ id: 'c', kind: 'evidence', description: 'done' }];
    await http.call('POST', '/v1/sessions/proof/plans', { planId: 'p', tasks: [{ taskId: 't', criteria: evidence }] });
    const asked = await root.request('1', 'delegate', 'subagent', {}, { taskId: 't' });
    const child = await open('proof-child', parentOf('proof', asked));
    const inner = await child.run('1', 'c', 'write', { n: 1 }, { status: 'succeeded' }, 'yes');
    const body = { evidenceId: 'e', taskId: 't', receiptId: inner.call.receiptId };
    const answer = await http.raw('POST', '/v1/sessions/proof/evidence', JSON.stringify(body));
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
