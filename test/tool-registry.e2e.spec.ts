import type { Page, ToolDocument } from '@counterfoil/contracts';
import { Http, type CallAnswer } from './demo/agent.js';
import { spec, Workshop, type ToolAnswer } from './support/workshop.js';

let shop: Workshop;

beforeAll(async () => {
  shop = await Workshop.open();
});

afterAll(() => shop.running.stop());

const ok = { status: 'succeeded', exitCode: 0 } as const;

describe('a tool', () => {
  it('is registered once; its next spec takes the place of the one before', async () => {
    const body = spec('write', { version: '1', sideEffects: 'filesystem', capabilities: ['write'], inputSchema: { type: 'object' } });
    const first = await shop.running.admin.raw('POST', '/v1/tools', JSON.stringify(body));
    expect(first).toMatchObject({
      status: 201,
      body: {
        tool: {
          ...body,
          inputSchema: { json: '{"type":"object"}' },
          duplicates: 'refuse_in_turn',
          specDigest: expect.stringMatching(/^sha256:/) as string,
        },
      },
    });
    expect(await shop.idle('POST', '/v1/tools', body)).toEqual({ status: 200, body: first.body });
    const next = await shop.register('write', { ...body, version: '2' });
    expect(next.tool.specDigest).not.toBe((first.body as ToolAnswer).tool.specDigest);
    const asked = await shop.ask('write');
    expect(asked.call).toMatchObject({ status: 'requested', tool: { version: '2', sideEffects: 'filesystem' } });
  });

  it.each([
    ['read_only', 'read_only', null, 'allow'],
    ['process', 'process', null, 'allow'],
    ['none', 'read_only', 'none', 'allow'],
    ['read', 'read_only', 'read', 'allow'],
    ['mutation', 'destructive', 'mutation', 'refuse_in_turn'],
    ['external', 'remote', 'external', 'refuse_in_turn'],
    ['stateful', 'remote', 'stateful', 'refuse_in_turn'],
    ['internal_write', 'internal', 'internal_write', 'refuse_in_turn'],
    ['orchestration', 'internal', 'orchestration', 'refuse_in_turn'],
    ['unknown', 'destructive', 'unknown', 'refuse_in_turn'],
    ['harmless', 'destructive', 'harmless', 'refuse_in_turn'],
  ])('whose class is given as %s is %s', async (given, sideEffects, declaredClass, duplicates) => {
    const { tool } = await shop.register(`class-${given}`, { sideEffects: given });
    expect(tool).toMatchObject({ sideEffects, declaredClass, duplicates, parallelSafe: false });
  });

  it('that nobody registered is destructive, whatever the client declares', async () => {
    const declared = { sideEffects: 'read_only', parallelSafe: true };
    const tool = { source: 'builtin', name: 'nobody', declared };
    const asked = await shop.http.call<CallAnswer>('POST', '/v1/sessions/s1/tool-calls', {
      callId: 'c',
      turn: 'declared',
      tool,
      arguments: {},
    });
    expect(asked.call).toMatchObject({ tool: { sideEffects: 'destructive', version: null } });
    expect(await shop.receipt(asked)).toMatchObject({ declared: { json: '{"sideEffects":"read_only","parallelSafe":true}' } });
  });

  it('that is read_only needs no verification without an effect mapping; any other is not verified without one', async () => {
    await shop.register('look', { sideEffects: 'read_only' });
    await shop.register('touch', { sideEffects: 'filesystem' });
    expect((await shop.receipt(await shop.run('look', { n: 1 }, ok))).verification).toMatchObject({
      state: 'not_applicable',
      method: null,
    });
    expect((await shop.receipt(await shop.run('touch', { n: 1 }, ok))).verification).toMatchObject({ state: 'unavailable', method: null });
    // One that never ran has nothing to verify.
    const cancelled = await shop.agent.cancel(await shop.ask('touch', { n: 2 }), 'no');
    expect((await shop.receipt(cancelled)).verification.state).toBe('not_applicable');
  });

  it('says which exit codes are success, and that wins over what the runner says; a disagreement is marked (case 31)', async () => {
    await shop.register('grep', { sideEffects: 'process', successExitCodes: [0, 1] });
    const found = await shop.run('grep', { n: 1 }, { status: 'failed', exitCode: 1 });
    expect(found.call.status).toBe('succeeded');
    expect((await shop.receipt(found)).outcome).toMatchObject({ status: 'succeeded', exitCode: 1, reportedStatus: 'failed' });
    expect((await shop.run('grep', { n: 2 }, { status: 'succeeded', exitCode: 2 })).call.status).toBe('failed');
    expect((await shop.receipt(await shop.run('grep', { n: 3 }, ok))).outcome).not.toHaveProperty('reportedStatus');
  });

  it('says how a repeated operation is judged', async () => {
    await shop.register('once', { duplicates: 'refuse_in_session' });
    await shop.register('twice', { sideEffects: 'read_only' });
    await shop.run('once', { n: 1 }, ok);
    const again = await shop.agent.dispatch(await shop.ask('once', { n: 1 }));
    expect(again.answer.call).toMatchObject({ status: 'rejected', reason: { code: 'duplicate_operation' } });
    for (const callId of ['a', 'b']) {
      const asked = await shop.agent.request('same-turn', callId, 'twice', { n: 1 });
      expect((await shop.agent.dispatch(asked)).answer.call.status).toBe('dispatched');
    }
  });

  it('that is retired counts as not registered', async () => {
    await shop.register('old', { sideEffects: 'read_only' });
    const retired = { source: 'builtin', name: 'old', reason: 'replaced' };
    const { position } = await shop.running.admin.call<{ position: string }>('POST', '/v1/tools/retire', retired);
    expect((await shop.idle('POST', '/v1/tools/retire', retired)).status).toBe(200);
    expect((await shop.ask('old')).call).toMatchObject({ tool: { sideEffects: 'destructive' } });
    const list = async (query: string): Promise<ToolDocument[]> => [
      ...(await shop.http.call<Page<ToolDocument>>('GET', `/v1/tools?${query}`, undefined, { 'counterfoil-min-position': position })).items,
    ];
    expect((await list('source=builtin&limit=100')).find(({ name }) => name === 'old')).toMatchObject({
      state: 'retired',
      retiredBecause: { json: '"replaced"' },
      registeredBy: 'person:admin',
    });
    expect((await list('state=registered&limit=100')).some(({ name }) => name === 'old')).toBe(false);
    expect(await shop.idle('POST', '/v1/tools/retire', { source: 'builtin', name: 'never' })).toMatchObject({ status: 404 });
    await shop.register('old', { sideEffects: 'read_only' });
    expect((await shop.ask('old')).call).toMatchObject({ tool: { sideEffects: 'read_only' } });
  });

  it('of one workspace is none of another', async () => {
    const made = { principal: 'person:there', roles: ['admin'], workspace: 'elsewhere' };
    const admin = new Http(shop.running.url, (await shop.running.admin.call<{ secret: string }>('POST', '/v1/keys', made)).secret);
    await shop.register('mine', { sideEffects: 'read_only' });
    const page = await admin.call<Page<ToolDocument>>('GET', '/v1/tools');
    expect(page.items).toEqual([]);
    expect(await admin.call('GET', '/v1/policy')).toMatchObject({
      version: null,
      policy: { rules: [], unknownTools: 'allow' },
      setBy: null,
      revision: null,
    });
    expect(await shop.idle('POST', '/v1/tools/retire', { source: 'builtin', name: 'mine' }, admin)).toMatchObject({ status: 404 });
  });

  const ghp = 'ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE';
  it.each([
    ['a schema that refers to elsewhere', { inputSchema: { $ref: 'https://example.org/x' } }, 422, 'tool_schema_invalid'],
    ['a schema of an unknown type', { inputSchema: { type: 'thing' } }, 422, 'tool_schema_invalid'],
    ['a schema with a secret in it', { inputSchema: { type: 'object', default: { token: ghp } } }, 422, 'tool_schema_secret'],
    ['a schema of more than 64 KiB', { inputSchema: { description: 'x'.repeat(70_000) } }, 422, 'tool_schema_too_large'],
    ['a name that is a secret', { name: ghp }, 422, 'identifier_is_secret'],
    ['a pointer that is none', { effect: { kind: 'command', command: 'command' } }, 422, 'invalid_request'],
    ['an unknown field', { grants: true }, 422, 'invalid_request'],
    ['an exit code beyond 32 bits', { successExitCodes: [2 ** 40] }, 422, 'invalid_request'],
  ])('is not registered with %s', async (_name, more, status, code) => {
    const answer = await shop.idle('POST', '/v1/tools', spec('bad', more));
    expect(answer).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(answer.body)).not.toContain('FAKEfake');
  });

  it('keeps its schema as it was written', async () => {
    const text = '{"source":"builtin","name":"spelled","inputSchema":{ "type" : "object", "properties":{"n":{"const":1.0}} }}';
    const { body } = await shop.running.admin.raw('POST', '/v1/tools', text);
    expect((body as ToolAnswer).tool.inputSchema).toMatchObject({
      json: '{ "type" : "object", "properties":{"n":{"const":1.0}} }',
      state: 'whole',
    });
  });
});
