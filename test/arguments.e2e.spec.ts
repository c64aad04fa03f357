import { randomUUID } from 'node:crypto';
import type { ApprovalDocument, ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;
let approver: Http;
const calls = '/v1/sessions/s1/tool-calls';

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  approver = await running.client('person:approver', ['approver']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

const asText = (turn: string, text: string, more: Record<string, unknown> = {}): Promise<CallAnswer> =>
  agent.request(turn, 'c', 'write', undefined, { argumentsJson: text, ...more });

async function receiptOf({ call, position }: CallAnswer): Promise<ReceiptDocument> {
  return http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, { 'counterfoil-min-position': position });
}

type Shown = ApprovalDocument & { readonly call: { readonly shown: string; readonly arguments: ReceiptDocument['arguments'] } };
const shownOf = ({ call, position }: CallAnswer): Promise<Shown> =>
  approver.call('GET', `/v1/approvals/${call.approval?.approvalId ?? ''}`, undefined, { 'counterfoil-min-position': position });

describe('arguments as a JSON value, or as the text that a model produced', () => {
  it('are one request and one operation', async () => {
    const first = await agent.request('1', 'c', 'write', { path: 'a', n: 1 });
    const before = await running.events();
    expect((await asText('1', '{ "n": 1.0, "path": "\\u0061" }')).call).toEqual(first.call);
    expect(await running.events()).toBe(before);
    const body = { attempt: randomUUID(), argumentsJson: '{"n":1,"path":"a"}' };
    const { call } = await http.call<CallAnswer>('POST', `${calls}/${first.call.receiptId}/dispatch`, body);
    expect(call).toMatchObject({ status: 'dispatched', operationId: first.call.operationId });
  });

  it('are a recorded rejection when the text is no JSON: kept with its call id, redacted and bounded', async () => {
    const cut = await asText('2', `{"password": "FAKE-hunter2-77", "content": "${'x'.repeat(100_000)}`);
    expect([cut.call.status, cut.call.reason?.code, cut.next]).toEqual(['rejected', 'arguments_not_json', 'stop']);
    const { callId, operationId, arguments: kept } = await receiptOf(cut);
    expect([callId, operationId, kept.state]).toEqual(['c', null, 'cut']);
    expect(kept.anomalies).toContain('not_json');
    expect(kept.json).toContain('content');
    expect(kept.json).not.toContain('hunter2');
    expect(kept.storedBytes).toBeLessThanOrEqual(64 * 1024);
  });

  it('are refused when the text is given as something else than a string', async () => {
    const { status, body } = await http.raw(
      'POST',
      calls,
      '{"callId":"d","turn":"2","tool":{"source":"s","name":"n"},"argumentsJson":{"a":1}}',
    );
    expect([status, (body as { code: string }).code]).toEqual([422, 'invalid_request']);
  });
});

describe('what an approver is shown', () => {
  it('is one operation from the request to the report', async () => {
    const asked = await agent.request('3', 'c', 'pay', { amount: 5 }, { requireApproval: true });
    const { operationId } = asked.call;
    const shown = await shownOf(asked);
    expect(shown).toMatchObject({ operationId, state: 'pending', call: { shown: '{"amount":5}' } });
    const granted = await approver.call<CallAnswer>('POST', `/v1/approvals/${shown.approvalId}/grant`, { operationId: shown.operationId });
    const { answer, attempt } = await agent.dispatch(granted);
    const done = await agent.report(answer, attempt, { status: 'succeeded' }, 'paid');
    for (const { call } of [granted, answer, done])
      expect([call.operationId, call.approval?.operationId]).toEqual([operationId, operationId]);
    expect(await receiptOf(done)).toMatchObject({
      operationId,
      status: 'succeeded',
      authorisation: { kind: 'approval', by: 'person:approver' },
    });
  });

  it('names rule and length of what was redacted, and lets two secrets be two operations', async () => {
    const ask = (callId: string, password: string): Promise<CallAnswer> =>
      agent.request('4', callId, 'login', { user: 'u', password }, { requireApproval: true });
    const [one, two] = [await ask('a', 'FAKE-correct-horse-1'), await ask('b', 'FAKE-correct-horse-2')];
    const { call } = await shownOf(one);
    expect(call.shown).toMatch(/^\{"user":"u","password":"\[redacted:key\.[a-z]+:20\]"\}$/);
    expect(call.arguments.redactions).toEqual([{ path: '/password', rule: expect.stringMatching(/^key\./) as unknown, bytes: 20 }]);
    // They look alike, and yet a grant for one is none for the other.
    expect((await shownOf(two)).call.shown).toBe(call.shown);
    const grant = JSON.stringify({ operationId: one.call.operationId });
    const refused = await approver.raw('POST', `/v1/approvals/${two.call.approval?.approvalId ?? ''}/grant`, grant);
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([409, 'operation_mismatch']);
  });

  it('is never a part only: arguments that would have to be cut are rejected', async () => {
    const asked = await agent.request('5', 'c', 'write', { text: 'x'.repeat(70_000) }, { requireApproval: true });
    expect([asked.call.status, asked.call.reason?.code, asked.call.approval]).toEqual(['rejected', 'too_large_to_approve', null]);
  });
});
