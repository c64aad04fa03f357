import { randomUUID } from 'node:crypto';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;
let done: CallAnswer;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent', 'auditor', 'approver']);
  agent = new Agent(http, 's1');
  await agent.open();
  done = await agent.run('1', 'c', 'build', { n: 1 }, { status: 'failed', exitCode: 3 }, 'no');
});

afterAll(() => running.stop());

const path = (): string => `/v1/receipts/${done.call.receiptId}`;
const view = (): Promise<Record<string, unknown>> =>
  http.call('GET', `${path()}?view=compat`, undefined, { 'counterfoil-min-position': done.position });

describe('the old keys of a receipt', () => {
  it('are for reading: sent back changed they change nothing', async () => {
    const before = await view();
    const events = await running.events();
    const forged = JSON.stringify({
      ...before,
      success: true,
      authorized: true,
      acceptance: 'make test',
      verified_effect: 'yes',
      task_id: 't1',
    });
    for (const method of ['POST', 'PUT', 'PATCH'])
      for (const query of ['', '?view=compat']) expect((await http.raw(method, path() + query, forged)).status).toBeGreaterThanOrEqual(400);
    expect(await running.events()).toBe(events);
    expect(await view()).toEqual(before);
  });

  it('are fields of no request', async () => {
    const asked = await agent.request('2', 'c', 'build', { n: 2 });
    const { attempt } = await agent.dispatch(asked);
    const events = await running.events();
    const calls = '/v1/sessions/s1/tool-calls';
    const request = { callId: 'd', turn: '2', tool: { source: 's', name: 'n' }, arguments: {} };
    const result = { attempt, outcome: { status: 'failed' }, output: 'no' };
    for (const key of ['success', 'authorized', 'acceptance', 'verified_effect', 'operation_id', 'receipt_id', 'failure']) {
      expect(await http.raw('POST', calls, JSON.stringify({ ...request, [key]: true }))).toMatchObject({ status: 422 });
      const ended = await http.raw('POST', `${calls}/${asked.call.receiptId}/result`, JSON.stringify({ ...result, [key]: true }));
      expect(ended).toMatchObject({ status: 422 });
    }
    const dispatch = { attempt: randomUUID(), operation_id: asked.call.operationId };
    expect(await http.raw('POST', `${calls}/${asked.call.receiptId}/dispatch`, JSON.stringify(dispatch))).toMatchObject({ status: 422 });
    expect(await running.events()).toBe(events);
  });
});
