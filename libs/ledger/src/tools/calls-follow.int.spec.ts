import { RegisterToolBody, type Policy } from '@counterfoil/contracts';
import type { Ledger } from '../ledger.js';
import {
  APPROVER,
  callOf,
  decision,
  dispatch,
  openSession,
  origin,
  readCall,
  request,
  send,
  testLedger,
  type TestLedger,
} from '../testing/test-ledger.js';

let test: TestLedger;
/** Where agents send their calls. */
let ledger: Ledger;
/** Another process, where an admin sets the rules. */
let admin: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
  admin = await test.open();
  await send(ledger, openSession());
});
afterEach(() => test.dispose());

const ADMIN = origin('person:admin');
/** The tool of the builders' calls. */
const TOOL = { source: 'builtin', name: 'write' };
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false };

const register = (change: Partial<RegisterToolBody> = {}) =>
  admin.tools.register('default', { ...RegisterToolBody.parse(TOOL), ...change }, ADMIN);
const policy = (then: 'refuse' | 'require_approval'): Policy => ({
  rules: [{ id: 'r1', match: { source: '*', name: 'write' }, then }],
  unknownTools: 'allow',
});
const schema = (value: unknown): { readonly inputSchema: NonNullable<RegisterToolBody['inputSchema']> } => ({
  inputSchema: { text: JSON.stringify(value), anomalies: [] },
});

async function approved(callId: string): Promise<ReturnType<typeof callOf>> {
  const call = callOf(await send(ledger, request(callId, { path: callId }, { requireApproval: true })));
  await send(ledger, decision('GrantApproval', call), APPROVER);
  return call;
}

describe('a call', () => {
  it('is judged by the policy that another process has just set, and still after a restart (case 22)', async () => {
    expect(callOf(await send(ledger, request('before', { n: 0 }))).status).toBe('requested');
    await admin.tools.setPolicy('default', policy('refuse'), ADMIN);
    expect(callOf(await send(ledger, request('after', { n: 1 })))).toMatchObject({
      status: 'rejected',
      reason: { code: 'policy_refused' },
    });
    await Promise.all([ledger.close(), admin.close()]);
    const restarted = await test.open();
    const answer = callOf(await send(restarted, request('later', { n: 2 })));
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'policy_refused' } });
    expect((await readCall(restarted, answer.receiptId))?.status).toBe('rejected');
  });

  it('that was approved does not run when the policy refuses it meanwhile', async () => {
    const call = await approved('c1');
    await admin.tools.setPolicy('default', policy('refuse'), ADMIN);
    expect(callOf(await send(ledger, dispatch(call)))).toMatchObject({ status: 'rejected', reason: { code: 'policy_refused' } });
  });

  it.each([
    ['has another schema', async () => register(schema({ ...SCHEMA, required: [] }))],
    ['has another description only', async () => register(schema({ ...SCHEMA, description: 'Writes a file, and mails it.' }))],
    ['was retired', async () => admin.tools.retire('default', TOOL, ADMIN)],
  ])('that was approved does not run when its tool %s meanwhile (case 11)', async (_what, change) => {
    await register(schema(SCHEMA));
    const call = await approved('c1');
    await change();
    expect(callOf(await send(ledger, dispatch(call)))).toMatchObject({ status: 'rejected', reason: { code: 'tool_changed' } });
  });

  it('that was approved runs when its tool was registered again as it was', async () => {
    await register(schema(SCHEMA));
    const call = await approved('c1');
    const { additionalProperties, ...rest } = SCHEMA;
    expect(await register(schema({ additionalProperties, ...rest }))).toMatchObject({ added: 0 });
    expect(callOf(await send(ledger, dispatch(call))).status).toBe('dispatched');
  });

  it('is of the tool of its own server (case 11)', async () => {
    await register({ ...schema(SCHEMA), sideEffects: 'read_only' });
    const other = { source: 'mcp:other', name: TOOL.name, declared: null };
    expect(callOf(await send(ledger, request('own', { n: 1 })))).toMatchObject({
      status: 'rejected',
      reason: { code: 'arguments_schema_violation' },
    });
    expect(callOf(await send(ledger, request('other', { n: 1 }, { tool: other })))).toMatchObject({
      status: 'requested',
      tool: { source: 'mcp:other', sideEffects: 'destructive' },
    });
  });

  it('that violates the schema is a recorded rejection with its call id, which says where and nothing of the arguments', async () => {
    await register(schema(SCHEMA));
    const call = callOf(await send(ledger, request('call_7', { path: 'a', FAKEextra: 'FAKEvalue' })));
    expect(call).toMatchObject({ callId: 'call_7', status: 'rejected', reason: { code: 'arguments_schema_violation' } });
    expect(call.reason?.detail).toContain('additionalProperties at #/additionalProperties');
    expect(call.reason?.detail).not.toContain('FAKE');
  });
});
