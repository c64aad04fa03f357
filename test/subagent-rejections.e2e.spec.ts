import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer } from './demo/agent.js';
import { Workshop } from './support/workshop.js';

let shop: Workshop;
let child: Agent;
let parent: CallAnswer;

beforeAll(async () => {
  shop = await Workshop.open();
  await shop.register('add', {
    version: '2',
    sideEffects: 'read_only',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  });
  await shop.register('wipe', { version: '1', sideEffects: 'destructive' });
  const rules = [{ id: 'no-wiping', match: { sideEffects: ['destructive'] }, then: 'refuse' }];
  await shop.running.admin.call('PUT', '/v1/policy', { rules, unknownTools: 'allow' });
  await shop.register('delegate', { sideEffects: 'internal' });
  parent = await shop.ask('delegate');
  await shop.http.call('POST', '/v1/sessions', { sessionId: 'child', parent: { sessionId: 's1', receiptId: parent.call.receiptId } });
  child = new Agent(shop.http, 'child');
});

afterAll(() => shop.running.stop());

describe('a call of a subagent that is rejected', () => {
  it.each([
    ['not allowed by the policy', 'wipe', {}, 'policy_refused', '1'],
    ['with a number for its arguments', 'add', 7, 'arguments_schema_violation', '2'],
    ['with no arguments that its tool takes', 'add', { b: 1 }, 'arguments_schema_violation', '2'],
    ['for a task of its parent', 'add', { a: 1 }, 'task_not_eligible', '2'],
  ])('%s has one receipt, under the id that was answered and in its own session', async (what, tool, args, code, version) => {
    const more = code === 'task_not_eligible' ? { taskId: 't1' } : {};
    const answer: CallAnswer = await child.request(what, 'call_0', tool, args, more);
    expect(answer.call).toMatchObject({ status: 'rejected', reason: { code } });
    const page = await shop.http.call<Page<ReceiptDocument>>(
      'GET',
      `/v1/receipts?session=child&turn=${encodeURIComponent(what)}`,
      undefined,
      {
        'counterfoil-min-position': answer.position,
      },
    );
    expect(page.items).toMatchObject([
      {
        receiptId: answer.call.receiptId,
        callId: 'call_0',
        callIdSource: 'native',
        sessionId: 'child',
        rootSessionId: 's1',
        userId: 'u1',
        status: 'rejected',
        reason: { code },
        tool: { source: 'builtin', name: tool, version },
        arguments: { json: JSON.stringify(args) },
        times: { dispatched: null },
      },
    ]);
  });

  it('is none of its parent’s', async () => {
    const atLeast = { 'counterfoil-min-position': parent.position };
    const page = await shop.http.call<Page<ReceiptDocument>>('GET', '/v1/receipts?session=s1', undefined, atLeast);
    expect(page.items.map(({ receiptId, status }) => [receiptId, status])).toEqual([[parent.call.receiptId, 'requested']]);
  });
});
