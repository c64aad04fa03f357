import { RegisterToolBody, type DomainError, type Policy, type RecordedEvent } from '@counterfoil/contracts';
import { verifyStore } from '@counterfoil/event-store';
import { collect } from '@counterfoil/testing';
import type { Ledger } from '../ledger.js';
import { origin, testLedger, type TestLedger } from '../testing/test-ledger.js';
import { registryStream } from './workspace-registry.js';

let test: TestLedger;
let ledger: Ledger;
let other: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
  other = await test.open();
});
afterEach(() => test.dispose());

const ADMIN = origin('person:admin');
const WORKSPACE = 'default';
const TOOL = { source: 'mcp:files', name: 'write_file' };

const schema = (value: unknown): RegisterToolBody['inputSchema'] => ({ text: JSON.stringify(value), anomalies: [] });
const body = (change: Partial<RegisterToolBody> = {}): RegisterToolBody => ({ ...RegisterToolBody.parse(TOOL), ...change });
const policy = (change: Partial<Policy> = {}): Policy => ({ rules: [], unknownTools: 'allow', ...change });
const refuseAll = (id: string): Policy => policy({ rules: [{ id, match: { source: '*', name: '*' }, then: 'refuse' }] });

const eventsOf = (workspaceId = WORKSPACE): Promise<RecordedEvent[]> => collect(ledger.store.readStream(registryStream(workspaceId)));

const codeOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt;
    return 'accepted';
  } catch (error) {
    return (error as DomainError).code;
  }
};

describe('the tools of a workspace', () => {
  it('are registered in its stream, with who did it; the answer says where', async () => {
    const answer = await ledger.tools.register(WORKSPACE, body({ inputSchema: schema({ type: 'object' }), version: '1' }), ADMIN);
    expect(answer).toMatchObject({ revision: 0n, position: await ledger.store.head(), added: 1, tool: { ...TOOL, version: '1' } });
    expect(await eventsOf()).toMatchObject([
      {
        type: 'ToolRegistered',
        data: { workspaceId: WORKSPACE, ...answer.tool },
        metadata: { actor: ADMIN.actor, recordedAt: new Date(test.now).toISOString() },
      },
    ]);
    const directory = await ledger.tools.directory(WORKSPACE);
    expect(directory).toMatchObject({ revision: '0', policyVersion: null });
    expect(directory.find(TOOL.source, TOOL.name)?.spec).toEqual(answer.tool);
    expect(directory.find(TOOL.source, TOOL.name)?.violation('[]')).toBe('type at #/type');
  });

  it('are registered again, retired and registered once more; what is the same adds nothing and answers where it stands', async () => {
    await ledger.tools.register(WORKSPACE, body(), ADMIN);
    const second = await ledger.tools.register(WORKSPACE, body({ version: '2' }), ADMIN);
    expect(await other.tools.register(WORKSPACE, body({ version: '2' }), ADMIN)).toEqual({ ...second, added: 0 });
    const retired = await ledger.tools.retire(WORKSPACE, { ...TOOL, reason: 'unused' }, ADMIN);
    expect(retired).toMatchObject({ revision: 2n, added: 1, tool: TOOL });
    expect(await other.tools.retire(WORKSPACE, TOOL, ADMIN)).toEqual({ ...retired, added: 0 });
    expect((await other.tools.directory(WORKSPACE)).find(TOOL.source, TOOL.name)).toBeNull();
    expect(await other.tools.register(WORKSPACE, body({ version: '2' }), ADMIN)).toMatchObject({ revision: 3n, added: 1 });
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['ToolRegistered', 'ToolRegistered', 'ToolRetired', 'ToolRegistered']);
  });

  it('are not those of another workspace', async () => {
    await ledger.tools.register(WORKSPACE, body(), ADMIN);
    await ledger.tools.setPolicy(WORKSPACE, policy({ unknownTools: 'refuse' }), ADMIN);
    const elsewhere = await ledger.tools.directory('other');
    expect(elsewhere).toMatchObject({ revision: null, policyVersion: null });
    expect(elsewhere.find(TOOL.source, TOOL.name)).toBeNull();
    expect(elsewhere.judge({ ...TOOL, sideEffects: 'destructive', known: false }).then).toBe('allow');
    expect(await codeOf(ledger.tools.retire('other', TOOL, ADMIN))).toBe('not_found');
  });

  it.each([
    ['a schema that cannot be used', { inputSchema: schema({ type: 'text' }) }, 'tool_schema_invalid'],
    ['a schema with a secret', { inputSchema: schema({ default: { password: 'FAKE-hunter' } }) }, 'tool_schema_secret'],
    ['a schema that is too large', { inputSchema: schema({ title: 'a'.repeat(70_000) }) }, 'tool_schema_too_large'],
    ['a secret in a name', { version: 'token=FAKE-token-12345' }, 'identifier_is_secret'],
  ])('are refused for %s, and nothing is recorded', async (_what, change, code) => {
    expect(await codeOf(ledger.tools.register(WORKSPACE, body(change), ADMIN))).toBe(code);
    expect(await ledger.store.head()).toBe(0n);
  });

  it('of the largest specs fit into an event', async () => {
    const wide = { source: '価'.repeat(256), name: '価'.repeat(256), version: '価'.repeat(256) };
    const capabilities = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(128, '価'));
    const inputSchema = schema({ title: 'a'.repeat(65_000) });
    expect(await ledger.tools.register(WORKSPACE, body({ ...wide, capabilities, inputSchema }), ADMIN)).toMatchObject({ added: 1 });
  });
});

describe('a policy', () => {
  it('is kept in all its versions', async () => {
    expect(await ledger.tools.policy(WORKSPACE)).toEqual({
      version: null,
      policy: policy(),
      setAt: null,
      setBy: null,
      revision: null,
      position: 0n,
      added: 0,
    });
    const first = await ledger.tools.setPolicy(WORKSPACE, refuseAll('r1'), ADMIN);
    const firstAt = new Date(test.now).toISOString();
    test.now += 5000;
    await ledger.tools.register(WORKSPACE, body(), ADMIN);
    const second = await other.tools.setPolicy(WORKSPACE, refuseAll('r2'), origin('person:second'));
    expect(first).toMatchObject({ version: 1, policy: refuseAll('r1'), setAt: firstAt, setBy: 'person:admin', revision: 0n });
    expect(second).toMatchObject({ version: 2, revision: 2n, added: 1 });
    const place = { revision: 2n, position: second.position, added: 0 };
    for (const each of [ledger, other]) {
      expect(await each.tools.policy(WORKSPACE, 1)).toEqual({ ...first, ...place });
      expect(await each.tools.policy(WORKSPACE)).toEqual({ ...second, ...place });
      expect(await each.tools.policy(WORKSPACE, 2)).toEqual({ ...second, ...place });
      for (const version of [0, 3, -1, 1.5]) expect(await codeOf(each.tools.policy(WORKSPACE, version))).toBe('not_found');
    }
    expect(await ledger.tools.setPolicy(WORKSPACE, refuseAll('r2'), ADMIN)).toEqual({ ...second, ...place });
  });

  it('is still there after a restart (case 22)', async () => {
    await ledger.tools.setPolicy(WORKSPACE, refuseAll('r1'), ADMIN);
    await ledger.tools.register(WORKSPACE, body({ sideEffects: 'read' }), ADMIN);
    await Promise.all([ledger.close(), other.close()]);
    const again = await test.open();
    const directory = await again.tools.directory(WORKSPACE);
    expect(directory).toMatchObject({ revision: '1', policyVersion: 1 });
    expect(directory.judge({ ...TOOL, sideEffects: 'read_only', known: true })).toEqual({
      then: 'refuse',
      reasons: [{ code: 'policy_refuses', ruleId: 'r1' }],
      expiresSeconds: null,
    });
    ledger = again;
  });

  it('that is too large for an event is refused, and the one before stands', async () => {
    await ledger.tools.setPolicy(WORKSPACE, refuseAll('r1'), ADMIN);
    const rules = Array.from({ length: 500 }, (_, n) => ({
      id: `r${n}`,
      match: { source: `${n}${'価'.repeat(200)}`, name: '*' },
      then: 'refuse' as const,
    }));
    expect(await codeOf(ledger.tools.setPolicy(WORKSPACE, policy({ rules }), ADMIN))).toBe('event_too_large');
    expect(await ledger.tools.policy(WORKSPACE)).toMatchObject({ version: 1, policy: refuseAll('r1') });
  });
});

describe('two processes', () => {
  it('see what the other one changed at once', async () => {
    for (let n = 0; n < 20; n++) {
      const [writer, reader] = n % 2 === 0 ? [ledger, other] : [other, ledger];
      const { tool, revision } = await writer.tools.register(WORKSPACE, body({ version: `${n}` }), ADMIN);
      const directory = await reader.tools.directory(WORKSPACE);
      expect(directory.revision).toBe(String(revision));
      expect(directory.find(TOOL.source, TOOL.name)?.spec).toEqual(tool);
    }
  });

  it('hold on to what they were shown: a directory never changes', async () => {
    await ledger.tools.register(WORKSPACE, body({ version: '1' }), ADMIN);
    const before = await ledger.tools.directory(WORKSPACE);
    await other.tools.register(WORKSPACE, body({ version: '2' }), ADMIN);
    await other.tools.setPolicy(WORKSPACE, refuseAll('r'), ADMIN);
    const after = await ledger.tools.directory(WORKSPACE);
    expect([before.revision, before.policyVersion, before.find(TOOL.source, TOOL.name)?.spec.version]).toEqual(['0', null, '1']);
    expect([after.revision, after.policyVersion, after.find(TOOL.source, TOOL.name)?.spec.version]).toEqual(['2', 1, '2']);
  });

  it('that write at the same time lose nothing, and count the versions of the policy without a gap', async () => {
    const writes = Array.from({ length: 15 }, (_, n) =>
      [ledger, other].flatMap((each, at) => [
        again(() => each.tools.register(WORKSPACE, body({ name: `t${n}-${at}` }), ADMIN)),
        again(() => each.tools.setPolicy(WORKSPACE, refuseAll(`r${n}-${at}`), ADMIN)),
      ]),
    );
    const answers = (await Promise.all(writes.flat())) as readonly { readonly revision: bigint | null; readonly version?: number }[];
    expect(answers.map(({ revision }) => Number(revision)).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
    const versions = answers.flatMap(({ version }) => version ?? []);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    for (const each of [ledger, other]) {
      const directory = await each.tools.directory(WORKSPACE);
      expect(directory).toMatchObject({ revision: '59', policyVersion: 30 });
      for (let n = 0; n < 15; n++) expect(directory.find(TOOL.source, `t${n}-1`)).not.toBeNull();
    }
    expect((await verifyStore(ledger.store)).faults).toEqual([]);
  });

  it('that register the same at the same time record it once', async () => {
    const answers = await Promise.all(
      [ledger, other, ledger, other].map((each) => again(() => each.tools.register(WORKSPACE, body(), ADMIN))),
    );
    expect(answers.map(({ added }) => added).sort()).toEqual([0, 0, 0, 1]);
    expect(await eventsOf()).toHaveLength(1);
  });
});

/** Asked again where too many were faster. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as DomainError).code !== 'contention') throw error;
    }
  }
}
