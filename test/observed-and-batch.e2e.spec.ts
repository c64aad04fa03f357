import { randomUUID } from 'node:crypto';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { Planner } from './support/plans.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(() => running.stop());

const tool = { source: 'builtin', name: 'run' };
const ok = { status: 'succeeded', exitCode: 0 } as const;
const observedPath = '/v1/sessions/s1/observed-calls';

async function receipt({ position, call }: CallAnswer): Promise<ReceiptDocument> {
  return http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, { 'counterfoil-min-position': position });
}

const finished = (callId: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  callId,
  turn: 'observed',
  tool,
  arguments: { command: 'make' },
  outcome: ok,
  output: 'built',
  ...more,
});

/** A request that appends nothing. */
async function idle(path: string, text: string): Promise<{ status: number; body: unknown }> {
  const before = await running.events();
  const answer = await http.raw('POST', path, text);
  expect(await running.events()).toBe(before);
  return answer;
}

describe('a finished call that is reported afterwards', () => {
  it('is recorded in one request, and never as approved or dispatched', async () => {
    const body = finished('done', { startedAt: '2027-01-01T00:00:00.000Z', completedAt: '2027-01-01T00:00:05.000Z' });
    const first = await http.raw('POST', observedPath, JSON.stringify(body));
    expect(first).toMatchObject({ status: 201, body: { call: { status: 'succeeded', approval: null, attempt: null }, next: 'stop' } });
    const again = await idle(observedPath, JSON.stringify(body));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await receipt(first.body as CallAnswer)).toMatchObject({
      callId: 'done',
      callIdSource: 'native',
      authorisation: { kind: 'observed', approvalId: null, by: null },
      association: { kind: 'none', taskId: null },
      verification: { state: 'unavailable' },
      times: { dispatched: null, reportedStart: '2027-01-01T00:00:00.000Z', reportedEnd: '2027-01-01T00:00:05.000Z' },
      outcome: { status: 'succeeded', exitCode: 0 },
      result: { json: '"built"' },
    });
    const dispatch = { attempt: randomUUID(), operationId: (first.body as CallAnswer).call.operationId };
    const path = `/v1/sessions/s1/tool-calls/${(first.body as CallAnswer).call.receiptId}/dispatch`;
    expect(await idle(path, JSON.stringify(dispatch))).toMatchObject({ status: 409 });
  });

  it.each(['failed', 'timed_out', 'interrupted', 'cancelled'])('that %s keeps that end', async (status) => {
    const answer = await http.call<CallAnswer>('POST', observedPath, finished(`end-${status}`, { outcome: { status } }));
    expect(answer.call.status).toBe(status);
  });

  it('under a call id of that turn with other content is a conflict, also against a request', async () => {
    await http.call('POST', observedPath, finished('taken'));
    for (const more of [{ output: 'other' }, { outcome: { status: 'failed' } }, { arguments: {} }])
      expect(await idle(observedPath, JSON.stringify(finished('taken', more)))).toMatchObject({
        status: 409,
        body: { code: 'call_conflict' },
      });
    await agent.request('observed', 'asked', 'run', { command: 'make' });
    expect(await idle(observedPath, JSON.stringify(finished('asked')))).toMatchObject({ status: 409, body: { code: 'call_conflict' } });
  });

  it('is bound to a task that is eligible, proves nothing for it, and is bound to none otherwise', async () => {
    const planner = new Planner(running, http, 's1');
    const criteria = [{ id: 'c1', kind: 'evidence', description: 'it was built' }];
    await planner.post('plans', { planId: 'p1', tasks: [{ taskId: 't1', criteria }, { taskId: 't2' }] });
    await planner.post('tasks/t2/cancel');
    const bound = await http.call<CallAnswer>('POST', observedPath, finished('bound', { taskId: 't1' }));
    const loose = await http.call<CallAnswer>('POST', observedPath, finished('loose', { taskId: 't2' }));
    expect((await receipt(bound)).association).toEqual({ kind: 'task', taskId: 't1' });
    expect((await receipt(loose)).association).toEqual({ kind: 'none', taskId: null });
    expect((await planner.read('t1', loose.position)).status).toBe('pending');
    const evidence = { evidenceId: 'e1', taskId: 't1', receiptId: bound.call.receiptId };
    const refused = await planner.idle('evidence', evidence);
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([409, 'evidence_unusable', 'observed']);
  });

  it.each([
    ['no outcome', JSON.stringify({ ...finished('x'), outcome: undefined }), 422, 'invalid_request'],
    ['a status that is none', JSON.stringify(finished('x', { outcome: { status: 'unknown' } })), 422, 'invalid_request'],
    ['an attempt', JSON.stringify(finished('x', { attempt: randomUUID() })), 422, 'invalid_request'],
    ['an id made by a legacy adapter', JSON.stringify(finished('x', { callIdSource: 'legacy' })), 422, 'invalid_request'],
    ['a key twice outside of payloads', '{"callId":"x","callId":"y","turn":"1"}', 400, 'body_anomaly'],
  ])('is refused with %s', async (_name, text, status, code) => {
    expect(await idle(observedPath, text)).toMatchObject({ status, body: { code } });
  });

  it('keeps odd output whole', async () => {
    const text =
      '{"callId":"odd","turn":"observed","tool":{"source":"builtin","name":"run"},"arguments":{},"outcome":{"status":"failed"},"output":"\\ud800 \\u0000"}';
    const answer = (await http.raw('POST', observedPath, text)).body as CallAnswer;
    const { result } = await receipt(answer);
    expect(result?.json).toBe('"\\ud800 \\u0000"');
    expect([...(result?.anomalies ?? [])].sort()).toEqual(['lone_surrogate', 'nul']);
  });
});

interface BatchAnswer {
  readonly answers: readonly {
    readonly status: number;
    readonly body: CallAnswer & { readonly code?: string; readonly errors?: unknown };
  }[];
}

const batchPath = '/v1/sessions/s1/batch';
const batch = (items: readonly unknown[], client = http): Promise<BatchAnswer> => client.call('POST', batchPath, { items });
const request = (callId: string, more: Record<string, unknown> = {}): object => ({
  do: 'request',
  body: { callId, turn: 'batch', tool, arguments: { callId }, ...more },
});
const named = (callId: string): object => ({ call: { turn: 'batch', callId } });

describe('a batch', () => {
  it('does its items in order, each as its own route would, by receipt id or by turn and call id', async () => {
    const attempt = randomUUID();
    const asked = await agent.request('batch', 'before', 'run', { n: 1 });
    const items = [
      request('b1'),
      { do: 'dispatch', ...named('b1'), body: { attempt, arguments: { callId: 'b1' } } },
      { do: 'heartbeat', ...named('b1'), body: { attempt } },
      { do: 'result', ...named('b1'), body: { attempt, outcome: ok, output: { text: 'done' } } },
      { do: 'cancel', receiptId: asked.call.receiptId, body: { reason: 'not needed' } },
      { do: 'observe', body: finished('b2', { turn: 'batch' }) },
    ];
    const { answers } = await batch(items);
    expect(answers.map(({ status, body }) => [status, body.call.status])).toEqual([
      [201, 'requested'],
      [200, 'dispatched'],
      [200, 'dispatched'],
      [200, 'succeeded'],
      [200, 'cancelled'],
      [201, 'succeeded'],
    ]);
    const single = await http.call('GET', `/v1/sessions/s1/tool-calls/${answers[3]?.body.call.receiptId ?? ''}`);
    expect(single).toMatchObject({ call: answers[3]?.body.call });
    // The whole batch again: what was recorded is recognised; a lease that is over is not extended.
    const before = await running.events();
    const again = await batch(items);
    expect(await running.events()).toBe(before);
    expect(again.answers.map(({ status, body }) => [status, body.code ?? body.call.status])).toEqual([
      [200, 'succeeded'],
      [200, 'succeeded'],
      [409, 'call_ended'],
      [200, 'succeeded'],
      [200, 'cancelled'],
      [200, 'succeeded'],
    ]);
  });

  it('answers an item’s problem in its place, and goes on', async () => {
    const { answers } = await batch([
      request('ok-1'),
      request('ok-1', { arguments: { other: true } }),
      { do: 'request', body: { callId: 'x' } },
      { do: 'dispatch', ...named('nobody-asked'), body: { attempt: randomUUID(), arguments: {} } },
      { do: 'close', body: {} },
      { do: 'dispatch', body: { attempt: randomUUID(), arguments: {} } },
      { do: 'cancel', ...named('ok-1'), receiptId: 'rcp_0000000000000000000000', body: {} },
      request('ok-1', { callId: 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE' }),
      null,
      request('ok-2'),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code ?? body.call.status])).toEqual([
      [201, 'requested'],
      [409, 'call_conflict'],
      [422, 'invalid_request'],
      [404, 'not_found'],
      [422, 'invalid_request'],
      [422, 'invalid_request'],
      [422, 'invalid_request'],
      [422, 'identifier_is_secret'],
      [422, 'invalid_request'],
      [201, 'requested'],
    ]);
    expect(answers[2]?.body.errors).toContainEqual({ path: 'body.turn', message: expect.any(String) as string });
    expect(answers[1]?.body).toMatchObject({
      title: expect.any(String) as string,
      retryable: false,
      correlationId: expect.any(String) as string,
    });
  });

  it('reads each item as its route does: what is odd inside arguments is that item’s recorded rejection', async () => {
    const item = (callId: string, args: string): string =>
      `{"do":"request","body":{"callId":"${callId}","turn":"raw","tool":{"source":"builtin","name":"run"},${args}}}`;
    const items = [
      item('r1', '"arguments":{"a":1,"a":2}'),
      item('r2', '"arguments":{"n":9007199254740993}'),
      item('r3', '"argumentsJson":"{\\"a\\":"'),
      item('r4', '"arguments":{"__proto__":{"a":1},"n":1.0}'),
      item('r5', '"argumentsJson":5'),
    ];
    const { body } = await http.raw('POST', batchPath, `{"items":[${items.join(',')}]}`);
    const { answers } = body as BatchAnswer;
    expect(answers.map(({ status, body: one }) => [status, one.code ?? one.call.reason?.code ?? one.call.status])).toEqual([
      [201, 'arguments_duplicate_key'],
      [201, 'arguments_integer_not_exact'],
      [201, 'arguments_not_json'],
      [201, 'requested'],
      [422, 'invalid_request'],
    ]);
    const single = await http.raw(
      'POST',
      '/v1/sessions/s1/tool-calls',
      item('r4', '"arguments":{"n":1,"__proto__":{"a":1}}').slice(23, -1),
    );
    expect(single).toMatchObject({ status: 200, body: { call: { receiptId: answers[3]?.body.call.receiptId } } });
  });

  it('keeps odd output of a result', async () => {
    const attempt = randomUUID();
    await batch([request('odd'), { do: 'dispatch', ...named('odd'), body: { attempt, arguments: { callId: 'odd' } } }]);
    const result = `{"do":"result","call":{"turn":"batch","callId":"odd"},"body":{"attempt":"${attempt}","outcome":{"status":"failed","error":{"message":"\\udc00"}},"output":[NaN,"\\u0000"]}}`;
    const { body } = await http.raw('POST', batchPath, `{"items":[${result}]}`);
    const [answer] = (body as BatchAnswer).answers;
    expect(answer?.status).toBe(200);
    if (answer === undefined) throw new Error('no answer');
    const read = await receipt(answer.body);
    expect(read.result).toMatchObject({ json: '["NaN","\\u0000"]' });
    expect(read.outcome?.error?.message).toMatchObject({ json: '"\\udc00"', anomalies: ['lone_surrogate'] });
  });

  it.each([
    ['an anomaly outside of payloads', '{"items":[{"do":"request","do":"cancel"}]}', 400, 'body_anomaly'],
    ['no items', '{"items":[]}', 422, 'invalid_request'],
    ['an unknown field', '{"items":[{}],"more":1}', 422, 'invalid_request'],
    ['101 items', JSON.stringify({ items: Array.from({ length: 101 }, (_, n) => request(`many-${String(n)}`)) }), 422, 'invalid_request'],
    ['items that nest without end', `{"items":[${'['.repeat(100)}${']'.repeat(100)}]}`, 400, 'body_too_deep'],
  ])('as a whole is refused with %s', async (_name, text, status, code) => {
    expect(await idle(batchPath, text)).toMatchObject({ status, body: { code } });
  });

  it('takes 100 items, and the receipts are in their order', async () => {
    const { answers } = await batch(Array.from({ length: 100 }, (_, n) => request(`full-${String(n)}`, { turn: 'full' })));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const { position } = answers.at(-1)?.body ?? { position: '' };
    const page = await http.call<Page<ReceiptDocument>>('GET', '/v1/receipts?session=s1&turn=full&limit=100', undefined, {
      'counterfoil-min-position': position,
    });
    expect(page.items.map(({ callId }) => callId).reverse()).toEqual(Array.from({ length: 100 }, (_, n) => `full-${String(n)}`));
  });

  it('in a session that the key does not act in is a missing one', async () => {
    const other = await running.client('agent:other', ['agent', 'auditor'], { userId: 'u2' });
    const before = await running.events();
    expect(await other.raw('POST', batchPath, JSON.stringify({ items: [request('z')] }))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(await http.raw('POST', '/v1/sessions/none/batch', JSON.stringify({ items: [request('z')] }))).toMatchObject({ status: 404 });
    expect(await running.events()).toBe(before);
  });
});
