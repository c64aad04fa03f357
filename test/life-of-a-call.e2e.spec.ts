import { randomUUID } from 'node:crypto';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;
let approver: Http;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  approver = await running.client('person:approver', ['approver']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

const ok = { status: 'succeeded', exitCode: 0 } as const;
const path = (asked: CallAnswer, action: string): string => `/v1/sessions/s1/tool-calls/${asked.call.receiptId}/${action}`;

async function receipt(answer: { readonly position: string; readonly call: { readonly receiptId: string } }): Promise<ReceiptDocument> {
  const headers = { 'counterfoil-min-position': answer.position };
  return http.call<ReceiptDocument>('GET', `/v1/receipts/${answer.call.receiptId}`, undefined, headers);
}

async function grant(asked: CallAnswer, by = approver): Promise<CallAnswer> {
  const { approval } = asked.call;
  return by.call('POST', `/v1/approvals/${approval?.approvalId ?? ''}/grant`, { operationId: approval?.operationId });
}

describe('the straight way', () => {
  it('request, dispatch, report, read one’s own write', async () => {
    const asked = await agent.request('1', 'call_ä', 'read_file', { path: 'a', n: 1.0 });
    expect([asked.call.status, asked.next]).toEqual(['requested', 'dispatch']);
    const { answer, attempt } = await agent.dispatch(asked);
    expect([answer.call.status, answer.next]).toEqual(['dispatched', 'wait']);
    const done = await agent.report(answer, attempt, ok, { lines: 3 });
    expect([done.call.status, done.next]).toEqual(['succeeded', 'stop']);
    const read = await receipt(done);
    expect(read).toMatchObject({
      callId: 'call_ä',
      status: 'succeeded',
      operationId: asked.call.operationId,
      arguments: { json: '{"path":"a","n":1}', state: 'whole' },
      result: { json: '{"lines":3}' },
      verification: { state: 'unavailable' },
      association: { kind: 'none', taskId: null },
      authorisation: { kind: 'policy' },
      tool: { sideEffects: 'destructive', version: null },
      provenance: { kind: 'live' },
    });
  });

  it('each step again gives the same answer and adds no event', async () => {
    const asked = await agent.request('2', 'call_0', 'read_file', { path: 'b' });
    const { answer, attempt } = await agent.dispatch(asked);
    const result = { attempt, outcome: ok, output: 'x', startedAt: '2026-01-01T00:00:00Z' };
    const done = await http.call<CallAnswer>('POST', path(asked, 'result'), result);
    const before = await running.events();
    expect(await agent.request('2', 'call_0', 'read_file', { path: 'b' })).toEqual(done);
    const again = { attempt, operationId: asked.call.operationId, leaseSeconds: 60 };
    expect(await http.call('POST', path(asked, 'dispatch'), again)).toEqual(done);
    expect(await http.call('POST', path(asked, 'result'), result)).toEqual(done);
    expect(answer.call.status).toBe('dispatched');
    expect(await running.events()).toBe(before);
  });

  it('the spelling of arguments does not matter, their content does', async () => {
    const body = (args: string): string => `{"callId":"c","turn":"3","tool":{"source":"builtin","name":"t"},"arguments":${args}}`;
    const first = await http.raw('POST', '/v1/sessions/s1/tool-calls', body('{"a":1,"b":"é"}'));
    const same = await http.raw('POST', '/v1/sessions/s1/tool-calls', body('{ "b" : "\\u00e9", "a": 1.0 }'));
    const other = await http.raw('POST', '/v1/sessions/s1/tool-calls', body('{"a":"1","b":"é"}'));
    expect([first.status, same.status, other.status]).toEqual([201, 200, 409]);
    expect((other.body as { code: string }).code).toBe('call_conflict');
  });

  it('one call id in turns 1..n is n calls', async () => {
    const calls = await Promise.all(Array.from({ length: 5 }, (_, n) => agent.request(`turn-${String(n)}`, 'call_0', 'list', { n })));
    expect(new Set(calls.map(({ call }) => call.receiptId)).size).toBe(5);
  });
});

describe('approvals', () => {
  const wanted = { requireApproval: true };

  it('a long-poll answers as soon as a person has decided', async () => {
    const asked = await agent.request('10', 'c', 'deploy', { to: 'x' }, wanted);
    expect([asked.call.status, asked.next]).toEqual(['awaiting_approval', 'wait']);
    const waiting = agent.wait(asked, 30);
    await grant(asked);
    expect((await waiting).call.status).toBe('approved');
    const { answer } = await agent.dispatch(asked);
    expect(answer.call).toMatchObject({ status: 'dispatched', approval: { state: 'consumed' } });
    expect((await receipt(answer)).authorisation).toMatchObject({ kind: 'approval', by: 'person:approver' });
  });

  it('what the approver is shown is what would run; other arguments are refused and the approval stays', async () => {
    const asked = await agent.request('11', 'c', 'pay', { amount: 1 }, wanted);
    await grant(asked);
    const headers = { 'counterfoil-min-position': asked.position };
    const id = asked.call.approval?.approvalId ?? '';
    const shown = await approver.call<{ operationId: string; call: { shown: string } }>('GET', `/v1/approvals/${id}`, undefined, headers);
    expect(shown).toMatchObject({ operationId: asked.call.operationId, call: { shown: '{"amount":1}', requestedBy: 'agent:a' } });
    const refused = await http.raw('POST', path(asked, 'dispatch'), JSON.stringify({ attempt: randomUUID(), arguments: { amount: 2 } }));
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([409, 'operation_mismatch']);
    const accepted = await http.call<CallAnswer>('POST', path(asked, 'dispatch'), { attempt: randomUUID(), arguments: { amount: 1 } });
    expect(accepted.call.status).toBe('dispatched');
  });

  it('hidden characters are spelled out for the approver', async () => {
    const asked = await agent.request('12', 'c', 'run', { command: 'echo safe\u202e\u2028rm' }, wanted);
    const headers = { 'counterfoil-min-position': asked.position };
    const id = asked.call.approval?.approvalId ?? '';
    const { call } = await approver.call<{ call: { shown: string } }>('GET', `/v1/approvals/${id}`, undefined, headers);
    expect(call.shown).not.toMatch(/[\u202e\u2028]/);
  });

  it('four eyes: through a second key of the same principal too', async () => {
    const both = await running.client('person:both', ['agent', 'approver']);
    const asked = await new Agent(both, 's1').request('13', 'c', 'pay', { amount: 3 }, wanted);
    const second = await running.client('person:both', ['approver']);
    const refused = await second.raw(
      'POST',
      `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/grant`,
      JSON.stringify({ operationId: asked.call.operationId }),
    );
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([403, 'four_eyes']);
    expect((await grant(asked)).call.status).toBe('approved');
  });

  it('an approval that ran out is expired at once, and by the sweeper in every list', async () => {
    const asked = await agent.request('14', 'c', 'pay', { amount: 4 }, { ...wanted, approvalExpiresSeconds: 1 });
    const expired = await agent.wait(asked, 15);
    expect([expired.call.status, expired.next]).toEqual(['expired', 'stop']);
    const late = await approver.raw(
      'POST',
      `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/grant`,
      JSON.stringify({ operationId: asked.call.operationId }),
    );
    expect([late.status, (late.body as { code: string }).code]).toEqual([409, 'approval_expired']);
  }, 20_000);
});

describe('ends that nobody wished for', () => {
  it('a call that was dispatched and never reported is unknown; its late result stands beside it', async () => {
    const asked = await agent.request('20', 'c', 'run', { command: 'x' });
    const { attempt } = await agent.dispatch(asked, 1);
    const lost = await agent.wait(asked, 15);
    expect([lost.call.status, lost.call.reason?.code]).toEqual(['unknown', 'lease_lost']);
    const late = await agent.report(asked, attempt, ok, 'done after all');
    expect(late.call.status).toBe('unknown');
    const read = await receipt(late);
    expect([read.status, read.outcome, read.lateResult?.outcome.status]).toEqual(['unknown', null, 'succeeded']);
  }, 20_000);

  it('the same operation again in its turn is refused at dispatch, in another turn it runs', async () => {
    await agent.run('21', 'a', 'pay', { amount: 9 }, ok, '');
    const again = await agent.run('21', 'b', 'pay', { amount: 9 }, ok, '');
    expect([again.call.status, again.call.reason?.code]).toEqual(['rejected', 'duplicate_operation']);
    expect((await agent.run('22', 'a', 'pay', { amount: 9 }, ok, '')).call.status).toBe('succeeded');
  });

  it('a session that closes voids its approvals and cancels what was not dispatched; results are still taken', async () => {
    const closing = new Agent(http, 's-closing');
    await closing.open();
    const waiting = await closing.request('1', 'a', 'pay', { amount: 1 }, { requireApproval: true });
    const flying = await closing.request('1', 'b', 'run', { command: 'y' });
    const { attempt } = await closing.dispatch(flying);
    await http.call('POST', '/v1/sessions/s-closing/close', { reason: 'the end' });
    expect((await closing.wait(waiting, 1)).call).toMatchObject({ status: 'cancelled', approval: { state: 'voided' } });
    expect((await closing.report(flying, attempt, ok, '')).call.status).toBe('succeeded');
    const refused = await http.raw(
      'POST',
      '/v1/sessions/s-closing/tool-calls',
      JSON.stringify({ callId: 'z', turn: '1', tool: { source: 's', name: 'n' }, arguments: {} }),
    );
    expect((refused.body as { code: string }).code).toBe('session_closed');
  });

  it('a task id names no task of an active plan: recorded, and rejected', async () => {
    const { call } = await agent.request('23', 'c', 'run', { command: 'z' }, { taskId: 't1' });
    expect([call.status, call.reason?.code]).toEqual(['rejected', 'task_not_eligible']);
  });
});

it('a live receipt can be shown in the old keys', async () => {
  const done = await agent.run('30', 'c', 'run', { command: 'w' }, { status: 'failed', exitCode: 3 }, 'ok');
  await receipt(done);
  expect(await http.call('GET', `/v1/receipts/${done.call.receiptId}?view=compat`)).toMatchObject({
    receipt_id: done.call.receiptId,
    action: 'run',
    success: false,
    exit_code: 3,
    task_id: null,
  });
});
