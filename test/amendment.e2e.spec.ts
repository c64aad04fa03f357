import { randomUUID } from 'node:crypto';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

interface Amended extends CallAnswer {
  readonly call: CallAnswer['call'] & { readonly amendedFrom: string | null };
  readonly amendedArguments?: { readonly json: string; readonly state: string };
}

interface Refusal {
  readonly code: string;
  readonly reason?: string;
}

let running: RunningLedger;
let http: Http;
let approver: Http;
let agent: Agent;
let turns = 0;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  approver = await running.client('person:approver', ['approver']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

const ask = (args: unknown): Promise<CallAnswer> => agent.request(`t${String(turns++)}`, 'c', 'pay', args, { requireApproval: true });
const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });
const grantPath = ({ call }: CallAnswer): string => `/v1/approvals/${call.approval?.approvalId ?? ''}/grant`;
const callPath = ({ call }: CallAnswer, action = ''): string => `/v1/sessions/s1/tool-calls/${call.receiptId}${action}`;

/** Grants what was shown, with other arguments: their JSON text as it stands. */
async function grant(asked: CallAnswer, text: string, by = approver): Promise<{ status: number; body: Amended & Refusal }> {
  const body = `{"operationId":${JSON.stringify(asked.call.approval?.operationId)},"arguments":${text},"note":"less"}`;
  return (await by.raw('POST', grantPath(asked), body)) as { status: number; body: Amended & Refusal };
}

const dispatch = async (
  asked: CallAnswer,
  named: object,
  attempt: string = randomUUID(),
): Promise<{ status: number; body: Amended & Refusal }> =>
  (await http.raw('POST', callPath(asked, '/dispatch'), JSON.stringify({ attempt, ...named }))) as {
    status: number;
    body: Amended & Refusal;
  };

/** Runs a task that must add no event. */
async function idle<T>(task: () => Promise<T>): Promise<T> {
  const before = await running.events();
  const result = await task();
  expect(await running.events()).toBe(before);
  return result;
}

describe('a grant with edited arguments', () => {
  it('makes the call another operation, to which the approval is bound; its dispatch hands the arguments back', async () => {
    const asked = await ask({ amount: 500, to: 'x' });
    const before = await running.events();
    const granted = await grant(asked, '{"to":"x","amount":5.0}');
    expect(granted.status).toBe(200);
    expect(await running.events()).toBe(before + 2n);
    const { call } = granted.body;
    expect(call).toMatchObject({ status: 'approved', amendedFrom: asked.call.operationId });
    expect(call.operationId).not.toBe(asked.call.operationId);
    expect(call.approval).toMatchObject({ state: 'granted', operationId: call.operationId });
    // The agent learns of it by waiting, and can't run what it asked for.
    expect((await agent.wait(asked, 5)).call).toMatchObject({ operationId: call.operationId, amendedFrom: asked.call.operationId });
    for (const named of [{ operationId: asked.call.operationId }, { arguments: { amount: 500, to: 'x' } }])
      expect(await idle(() => dispatch(asked, named))).toMatchObject({ status: 409, body: { code: 'operation_mismatch' } });
    const attempt = randomUUID();
    const dispatched = await dispatch(asked, { operationId: call.operationId }, attempt);
    expect(dispatched.body).toMatchObject({
      call: { status: 'dispatched', approval: { state: 'consumed' } },
      amendedArguments: { json: '{"to":"x","amount":5.0}', state: 'whole', redactions: [] },
    });
    expect(await idle(() => dispatch(asked, { arguments: { amount: 5, to: 'x' } }, attempt))).toEqual(dispatched);
    const done = await agent.report(asked, attempt, { status: 'succeeded' }, 'paid');
    expect(done).not.toHaveProperty('amendedArguments');
    const again = await idle(() => dispatch(asked, { operationId: call.operationId }, attempt));
    expect(again.body).toMatchObject({ call: { status: 'succeeded' }, amendedArguments: { json: '{"to":"x","amount":5.0}' } });
    const receipt = await http.call<ReceiptDocument>('GET', `/v1/receipts/${asked.call.receiptId}`, undefined, at(done.position));
    expect(receipt).toMatchObject({
      operationId: call.operationId,
      arguments: { json: '{"to":"x","amount":5.0}' },
      amendment: { by: 'person:approver', from: asked.call.operationId, originalArguments: { json: '{"amount":500,"to":"x"}' } },
      authorisation: { kind: 'approval', by: 'person:approver' },
    });
  });

  it('of the arguments as they are is a plain grant', async () => {
    const asked = await ask({ a: 1, b: 2 });
    const granted = await grant(asked, '{"b":2,"a":1}');
    expect(granted.body.call).toMatchObject({ status: 'approved', operationId: asked.call.operationId, amendedFrom: null });
    expect((await dispatch(asked, { operationId: asked.call.operationId })).body).not.toHaveProperty('amendedArguments');
  });

  it('said again adds nothing; with others still it comes too late', async () => {
    const asked = await ask({ amount: 500 });
    const granted = await grant(asked, '{"amount":5}');
    const again = await idle(() => grant(asked, '{"amount":5}'));
    expect([again.status, again.body.call]).toEqual([200, granted.body.call]);
    for (const text of ['{"amount":6}', '{"amount":500}']) expect((await idle(() => grant(asked, text))).status).toBe(409);
  });

  it('said again long after the call ended adds nothing, and with others it is refused', async () => {
    const asked = await ask({ amount: 500 });
    const granted = await grant(asked, '{"amount":5}');
    const attempt = randomUUID();
    await dispatch(asked, { operationId: granted.body.call.operationId }, attempt);
    await agent.report(asked, attempt, { status: 'succeeded' }, 'paid');
    // More calls end than the session keeps at hand.
    const items = Array.from({ length: 100 }, (_, n) => ({
      do: 'observe',
      body: {
        callId: `o${String(n)}`,
        turn: 'many',
        tool: { source: 'builtin', name: 'x' },
        arguments: { n },
        outcome: { status: 'failed' },
      },
    }));
    await http.call('POST', '/v1/sessions/s1/batch', { items });
    const again = await idle(() => grant(asked, '{"amount":5}'));
    expect([again.status, again.body.call.status]).toEqual([200, 'succeeded']);
    expect((await idle(() => grant(asked, '{"amount":6}'))).status).toBe(409);
    const dispatched = await idle(() => dispatch(asked, { arguments: { amount: 5 } }, attempt));
    expect(dispatched).toMatchObject({ status: 200, body: { amendedArguments: { json: '{"amount":5}' } } });
  });

  it.each([
    ['a key twice', '{"a":1,"a":2}', 'arguments_duplicate_key'],
    ['an integer that a double cannot hold', '{"n":9007199254740993}', 'arguments_integer_not_exact'],
    ['half a surrogate pair', '{"s":"\\ud800"}', 'arguments_lone_surrogate'],
    ['257 levels', `${'['.repeat(257)}${']'.repeat(257)}`, 'arguments_too_deep'],
  ])('that have no exact form (%s) is refused, and the approval stays', async (_name, text, reason) => {
    const asked = await ask({ n: 1 });
    const refused = await idle(() => grant(asked, text));
    expect(refused).toMatchObject({ status: 422, body: { code: 'amendment_invalid', reason } });
    expect(await http.call('GET', callPath(asked))).toMatchObject({
      call: { status: 'awaiting_approval', operationId: asked.call.operationId },
    });
  });

  it.each([
    ['before', { token: 'FAKE-before-000000' }, '{"n":1}', 'amendment_needs_vault'],
    ['after', { n: 1 }, '{"token":"FAKE-after-0000000"}', 'amendment_needs_vault'],
  ])('needs arguments that are stored unredacted, %s', async (_name, args, text, code) => {
    const asked = await ask(args);
    const refused = await idle(() => grant(asked, text));
    expect(refused).toMatchObject({ status: 409, body: { code } });
    expect(JSON.stringify(refused.body)).not.toContain('FAKE');
  });

  it('needs arguments that are stored whole', async () => {
    const asked = await ask({ n: 1 });
    const refused = await idle(() => grant(asked, JSON.stringify({ text: 'x'.repeat(100_000) })));
    expect(refused).toMatchObject({ status: 409, body: { code: 'too_large_to_approve' } });
  });

  it('is not the requester’s, and not of another operation than the one shown', async () => {
    const both = await running.client('agent:a', ['agent', 'approver']);
    const asked = await ask({ n: 1 });
    expect(await idle(() => grant(asked, '{"n":2}', both))).toMatchObject({ status: 403, body: { code: 'four_eyes' } });
    const other = await ask({ n: 3 });
    const mixed = {
      ...asked,
      call: { ...asked.call, approval: { approvalId: asked.call.approval?.approvalId ?? '', operationId: other.call.operationId ?? '' } },
    };
    expect(await idle(() => grant(mixed, '{"n":2}'))).toMatchObject({ status: 409, body: { code: 'operation_mismatch' } });
  });

  it('is shown with what was asked for, hidden characters spelled out; the operation is that of the text as it is (case 23)', async () => {
    const hidden = 'echo \u202esafe\u2066\u200b\u2028rm';
    const asked = await agent.request('hidden', 'c\u2069', 'run\u200d', { command: hidden }, { requireApproval: true });
    const granted = await grant(asked, JSON.stringify({ command: `${hidden} -i` }));
    const id = asked.call.approval?.approvalId ?? '';
    const shown = await approver.call<Record<string, unknown>>('GET', `/v1/approvals/${id}`, undefined, at(granted.body.position));
    expect(shown).toMatchObject({
      operationId: granted.body.call.operationId,
      call: {
        shown: '{"command":"echo \\u{202e}safe\\u{2066}\\u{200b}\\u{2028}rm -i"}',
        shownAs: { name: 'run\\u{200d}', callId: 'c\\u{2069}' },
        tool: { name: 'run\u200d' },
        arguments: { json: JSON.stringify({ command: `${hidden} -i` }) },
        amendment: { by: 'person:approver', shown: '{"command":"echo \\u{202e}safe\\u{2066}\\u{200b}\\u{2028}rm"}' },
      },
    });
    const same = await dispatch(asked, { arguments: { command: `${hidden} -i` } });
    expect(same.body.call.operationId).toBe(granted.body.call.operationId);
  });
});
