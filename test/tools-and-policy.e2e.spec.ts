import { randomUUID } from 'node:crypto';
import type { Policy } from '@counterfoil/contracts';
import type { CallAnswer, Http } from './demo/agent.js';
import { Workshop } from './support/workshop.js';

interface PolicyAnswer {
  readonly version: number | null;
  readonly policy: Policy;
}

let shop: Workshop;
let approver: Http;
let turns = 0;

beforeAll(async () => {
  shop = await Workshop.open();
  approver = await shop.running.client('person:approver', ['approver']);
});

afterAll(() => shop.running.stop());
// Each test begins without rules.
afterEach(() => setPolicy([]));

const rule = (id: string, then: string, match: object = {}, more: object = {}): object => ({ id, match, then, ...more });
const setPolicy = (rules: readonly object[], unknownTools = 'allow'): Promise<PolicyAnswer> =>
  shop.running.admin.call('PUT', '/v1/policy', { rules, unknownTools });

describe('arguments that violate the tool’s schema', () => {
  const inputSchema = {
    type: 'object',
    properties: { path: { type: 'string', maxLength: 5 }, n: { type: 'integer' } },
    required: ['path'],
    additionalProperties: false,
  };

  it('are a recorded rejection with the call id, in the schema’s words', async () => {
    await shop.register('strict', { inputSchema });
    for (const args of [{}, { path: 5 }, { path: 'FAKE-too-long' }, { path: 'a', FAKE_more: 1 }, [], null]) {
      const asked = await shop.ask('strict', args);
      expect(asked.call).toMatchObject({ callId: 'c', status: 'rejected', reason: { code: 'arguments_schema_violation' } });
      expect(JSON.stringify(asked.call.reason)).not.toContain('FAKE');
    }
    expect((await shop.ask('strict', { path: 'a', n: 1.0 })).call.status).toBe('requested');
  });

  it('are no amendment', async () => {
    await shop.register('strict', { inputSchema });
    const asked = await shop.ask('strict', { path: 'a' }, { requireApproval: true });
    const path = `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/grant`;
    const body = { operationId: asked.call.operationId, arguments: { path: 5 } };
    const refused = await shop.idle('POST', path, body, approver);
    expect(refused).toMatchObject({ status: 422, body: { code: 'amendment_invalid', reason: 'arguments_schema_violation' } });
  });
});

describe('a tool that changed between request and dispatch (case 11)', () => {
  const changes: readonly [string, (name: string) => Promise<unknown>][] = [
    ['was registered anew', (name) => shop.register(name, { version: '2', sideEffects: 'remote' })],
    ['was retired', (name) => shop.running.admin.call('POST', '/v1/tools/retire', { source: 'builtin', name })],
  ];
  it.each(changes)('%s: nothing runs, and the approval is void', async (what, change) => {
    const name = `changing ${what}`;
    await shop.register(name, { version: '1', sideEffects: 'remote' });
    const asked = await shop.ask(name, {}, { requireApproval: true });
    await approver.call('POST', `/v1/approvals/${asked.call.approval?.approvalId ?? ''}/grant`, { operationId: asked.call.operationId });
    await change(name);
    const { answer } = await shop.agent.dispatch(asked);
    expect(answer.call).toMatchObject({ status: 'rejected', reason: { code: 'tool_changed' }, approval: { state: 'voided' } });
  });

  it('was registered only meanwhile: nothing runs', async () => {
    const asked = await shop.ask('newcomer');
    await shop.register('newcomer', { sideEffects: 'read_only' });
    expect((await shop.agent.dispatch(asked)).answer.call).toMatchObject({ status: 'rejected', reason: { code: 'tool_changed' } });
  });

  it('was registered with the same spec: it runs', async () => {
    await shop.register('same', { version: '1' });
    const asked = await shop.ask('same');
    await shop.register('same', { version: '1' });
    expect((await shop.agent.dispatch(asked)).answer.call.status).toBe('dispatched');
  });
});

describe('a policy', () => {
  it('demands approvals and refuses, by source, name and class; the strictest match wins', async () => {
    await shop.register('wipe', { source: 'mcp:disk', sideEffects: 'destructive' });
    await shop.register('fetch', { source: 'mcp:net', sideEffects: 'read_only' });
    const { version } = await setPolicy([
      rule('ask-mcp', 'require_approval', { source: 'mcp:*' }, { expiresSeconds: 60 }),
      rule('ask-longer', 'require_approval', { name: 'f*ch' }, { expiresSeconds: 600 }),
      rule('never', 'refuse', { sideEffects: ['destructive'], source: 'mcp:*' }),
    ]);
    const request = (source: string, name: string): Promise<CallAnswer> =>
      shop.http.call('POST', '/v1/sessions/s1/tool-calls', {
        callId: 'c',
        turn: `p${String(turns++)}`,
        tool: { source, name },
        arguments: {},
      });
    const refused = await request('mcp:disk', 'wipe');
    expect(refused.call).toMatchObject({ status: 'rejected', reason: { code: 'policy_refused' } });
    expect((await shop.receipt(refused)).policy).toEqual({
      version,
      reasons: expect.arrayContaining([
        { code: 'policy_refuses', ruleId: 'never' },
        { code: 'policy_requires_approval', ruleId: 'ask-mcp' },
      ]) as unknown,
    });
    // A class that sounds harmless takes nothing away.
    const asked = await request('mcp:net', 'fetch');
    expect(asked.call).toMatchObject({ status: 'awaiting_approval' });
    const { reasons } = (await shop.receipt(asked)).policy;
    expect(reasons.map(({ ruleId }) => ruleId).sort()).toEqual(['ask-longer', 'ask-mcp']);
    const { expiresAt, requestedAt } = await approver.call<{ expiresAt: string; requestedAt: string }>(
      'GET',
      `/v1/approvals/${asked.call.approval?.approvalId ?? ''}`,
    );
    expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBeLessThanOrEqual(60_000);
    expect((await request('builtin', 'wipe')).call.status).toBe('requested');
  });

  it('takes nothing away from what the caller asks for', async () => {
    expect((await shop.ask('anything', {}, { requireApproval: true })).call.status).toBe('awaiting_approval');
  });

  it.each([
    ['require_approval', 'awaiting_approval'],
    ['refuse', 'rejected'],
  ])('says %s of tools that nobody registered', async (unknownTools, status) => {
    await setPolicy([], unknownTools);
    await shop.register('known-one', { sideEffects: 'destructive' });
    const asked = await shop.ask('stranger');
    expect(asked.call.status).toBe(status);
    expect((await shop.receipt(asked)).policy.reasons).toMatchObject([{ ruleId: null }]);
    expect((await shop.ask('known-one')).call.status).toBe('requested');
  });

  it('that changed meanwhile is asked again at dispatch', async () => {
    const [first, second] = [await shop.ask('changing-policy'), await shop.ask('changing-policy', { n: 2 })];
    await setPolicy([rule('r', 'require_approval', { name: 'changing-policy' })]);
    expect((await shop.agent.dispatch(first)).answer.call).toMatchObject({ status: 'rejected', reason: { code: 'approval_required' } });
    await setPolicy([rule('r', 'refuse', { name: 'changing-policy' })]);
    expect((await shop.agent.dispatch(second)).answer.call).toMatchObject({ status: 'rejected', reason: { code: 'policy_refused' } });
  });

  it('keeps all of its versions; the same again is none', async () => {
    const rules = [rule('r1', 'refuse', { source: '*', name: 'x', sideEffects: ['remote'] })];
    const one = await setPolicy(rules, 'refuse');
    const version = one.version ?? 0;
    expect(await shop.idle('PUT', '/v1/policy', { rules, unknownTools: 'refuse' })).toMatchObject({
      status: 200,
      body: { version },
    });
    const two = await setPolicy([], 'allow');
    expect(two.version).toBe(version + 1);
    expect(await shop.http.call('GET', '/v1/policy')).toMatchObject({ version: version + 1, policy: { rules: [] }, setBy: 'person:admin' });
    expect(await shop.http.call('GET', `/v1/policy?version=${String(version)}`)).toMatchObject({
      version,
      policy: { rules, unknownTools: 'refuse' },
    });
    expect(await shop.http.raw('GET', '/v1/policy?version=9999')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const wrong of ['0', '-1', 'x', '1.5', '']) {
      expect(await shop.http.raw('GET', `/v1/policy?version=${wrong}`)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    }
  });

  it.each([
    ['two rules of one id', { rules: [rule('r', 'refuse'), rule('r', 'refuse')] }],
    ['a rule that grants', { rules: [rule('r', 'allow')] }],
    ['a class that is none', { rules: [rule('r', 'refuse', { sideEffects: ['mutation'] })] }],
    ['an unknown field', { rules: [], default: 'allow' }],
    ['no rules', {}],
  ])('is not set with %s', async (_name, body) => {
    expect(await shop.idle('PUT', '/v1/policy', body)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  it('is the admin’s to set, and a call that was refused stays so when it is lifted (case 22)', async () => {
    expect(await shop.idle('PUT', '/v1/policy', { rules: [] }, shop.http)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    await setPolicy([rule('r', 'refuse', { name: 'declined' })]);
    const refused = await shop.ask('declined');
    await setPolicy([]);
    const dispatch = JSON.stringify({ attempt: randomUUID(), operationId: refused.call.operationId });
    const path = `/v1/sessions/s1/tool-calls/${refused.call.receiptId}/dispatch`;
    expect(await shop.http.raw('POST', path, dispatch)).toMatchObject({ status: 409, body: { code: 'call_not_dispatchable' } });
  });
});
