import { canonicalize, sha256Hex } from '@counterfoil/canonical';
import { OLD_CLASSES, PAYLOAD_LIMIT_BYTES, SideEffectClass, ToolSpec, type DomainError } from '@counterfoil/contracts';
import {
  directoryAfter,
  freeJson,
  freeText,
  givenRegistry,
  registering,
  registeringSchema,
  registryAfter,
  registryContext,
  retiring,
  specAfter,
  TOOL,
} from '@counterfoil/testing';
import { decideRegistry } from '../decide.js';
import { evolveRegistry, initialRegistry } from '../state.js';
import type { RegisterTool } from '../commands.js';
import { MOST_TOOLS } from './register-tool.js';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path'] };

function refusalOf(command: RegisterTool): DomainError | null {
  try {
    decideRegistry(initialRegistry(), command, registryContext());
  } catch (error) {
    return error as DomainError;
  }
  return null;
}

describe('registering a tool', () => {
  it('records its spec as it is, with the digest of it', () => {
    const effect = { kind: 'file_write', path: '/path', content: '/content' } as const;
    const given = givenRegistry().when(
      registeringSchema(SCHEMA, { version: '2', capabilities: ['write', 'read', 'write'], successExitCodes: [1, 0, 1], effect }),
    );
    const { events } = given.then({
      type: 'ToolRegistered',
      data: { ...TOOL, workspaceId: 'w1', version: '2', capabilities: ['read', 'write'], successExitCodes: [0, 1], effect },
    });
    const [event] = events;
    if (event?.type !== 'ToolRegistered') throw new Error('not registered');
    const { workspaceId: _, specDigest, ...rest } = event.data;
    expect(specDigest).toBe(`sha256:${sha256Hex(canonicalize(rest))}`);
    expect(ToolSpec.parse({ ...rest, specDigest })).toEqual({ ...rest, specDigest });
  });

  it('keeps the schema whole, in the text in which it came', () => {
    const text = ' {"type":\t"object", "description":"naïve \\u4fa1 \\/" }\n';
    const { inputSchema } = specAfter(registering({ inputSchema: freeJson(text) }));
    expect(inputSchema).toEqual({
      json: text,
      bytes: Buffer.byteLength(text),
      storedBytes: Buffer.byteLength(text),
      state: 'whole',
      digest: null,
      redactions: [],
      anomalies: [],
    });
  });

  it('again with the same content adds nothing, also under another key and with another spelling of the schema', () => {
    const first = registering({ inputSchema: freeJson('{"type":"object","maxProperties":1}'), capabilities: ['a', 'b'] });
    const again = registering({ inputSchema: freeJson('{ "maxProperties": 1e0, "type": "object" }'), capabilities: ['b', 'a'] });
    const given = givenRegistry().when(first).then({ type: 'ToolRegistered' });
    given.when(first).thenNothing();
    given.when(again).thenNothing();
    given.when(first, { key: { id: 'k2', secret: new Uint8Array(32).fill(9) } }).thenNothing();
  });

  it.each<[string, Partial<RegisterTool>]>([
    ['another schema', { inputSchema: freeJson('{"type":"array"}') }],
    ['no schema', { inputSchema: null }],
    ['another version', { version: '9' }],
    ['another class', { sideEffects: 'remote' }],
    ['the same class by an old name', { sideEffects: 'read' }],
    ['parallel runs', { parallelSafe: true }],
    ['another setting for duplicates', { duplicates: 'refuse_in_session' }],
    ['exit codes', { successExitCodes: [0, 1] }],
    ['an effect', { effect: { kind: 'command', command: '/command' } }],
    ['capabilities', { capabilities: ['x'] }],
  ])('again with %s is another spec, with another digest', (_what, change) => {
    const before = registeringSchema({ type: 'object' }, { sideEffects: 'read_only' });
    const given = givenRegistry().when(before).then({ type: 'ToolRegistered' });
    given.when({ ...before, ...change }).then({ type: 'ToolRegistered', data: TOOL });
    expect(specAfter({ ...before, ...change }).specDigest).not.toBe(specAfter(before).specDigest);
  });

  it('tells sources and names apart, whatever characters stand in them', () => {
    const pairs = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['1:a', 'b'],
      ['1', ':ab'],
      ['a\u0000b', 'c'],
      ['a', '\u0000bc'],
      ['__proto__', 'constructor'],
    ] as const;
    const directory = directoryAfter(...pairs.map(([source, name]) => registering({ source, name, version: `${source}|${name}` })));
    for (const [source, name] of pairs) expect(directory.find(source, name)?.spec.version).toBe(`${source}|${name}`);
    expect(directory.find('a', 'b')).toBeNull();
    expect(directory.find('constructor', '__proto__')).toBeNull();
  });

  it('of a tool that was retired makes it known again', () => {
    const given = givenRegistry().when(registering()).then({ type: 'ToolRegistered' }).when(retiring()).then({ type: 'ToolRetired' });
    given.when(registering()).then({ type: 'ToolRegistered', data: TOOL });
    expect(directoryAfter(registering(), retiring()).find(TOOL.source, TOOL.name)).toBeNull();
    expect(directoryAfter(registering(), retiring(), registering()).find(TOOL.source, TOOL.name)).not.toBeNull();
  });
});

describe('the class of a tool', () => {
  it.each(SideEffectClass.options)('%s is kept as it is', (sideEffects) => {
    expect(specAfter(registering({ sideEffects }))).toMatchObject({ sideEffects, declaredClass: null });
  });

  it.each(Object.entries(OLD_CLASSES))('%s is an old name of %s', (declaredClass, sideEffects) => {
    expect(specAfter(registering({ sideEffects: declaredClass }))).toMatchObject({ sideEffects, declaredClass });
  });

  it.each(['READ_ONLY', 'read only', 'harmless', '__proto__', 'toString', ' none'])('%j is none, and so destructive', (declaredClass) => {
    expect(specAfter(registering({ sideEffects: declaredClass }))).toMatchObject({ sideEffects: 'destructive', declaredClass });
  });

  it('says how duplicates are judged where nothing else does (promise 12)', () => {
    const duplicatesOf = (sideEffects: string): string => specAfter(registering({ sideEffects })).duplicates;
    expect(['read_only', 'process'].map(duplicatesOf)).toEqual(['allow', 'allow']);
    expect(['filesystem', 'remote', 'destructive', 'internal', 'nonsense', 'unknown'].map(duplicatesOf)).toEqual(
      Array(6).fill('refuse_in_turn'),
    );
    expect(specAfter(registering({ sideEffects: 'read_only', duplicates: 'refuse_in_session' })).duplicates).toBe('refuse_in_session');
    expect(specAfter(registering({ sideEffects: 'destructive', duplicates: 'allow' })).duplicates).toBe('allow');
  });

  it('adds no parallel safety and no capability: both are as declared (behaviours 42, 43)', () => {
    for (const sideEffects of [...SideEffectClass.options, ...Object.keys(OLD_CLASSES), 'anything']) {
      expect(specAfter(registering({ sideEffects, capabilities: ['write'] }))).toMatchObject({
        parallelSafe: false,
        capabilities: ['write'],
      });
      expect(specAfter(registering({ sideEffects, parallelSafe: true })).parallelSafe).toBe(true);
    }
  });
});

describe('a tool that is refused', () => {
  it.each<[string, Partial<RegisterTool>]>([
    ['source', { source: 'mcp:ghp_FAKE567890abcdefghijklmnopqrstuvwxyz0123' }],
    ['name', { name: 'https://user:FAKE-pass-1@example.test' }],
    ['version', { version: 'token=FAKE-token-12345' }],
    ['sideEffects', { sideEffects: 'sk_live_FAKE567890abcdefghijklmn' }],
    ['capabilities[1]', { capabilities: ['read', 'Bearer FAKE567890abcdefghijklmnop'] }],
    ['effect.command', { effect: { kind: 'command', command: '/password=FAKE-pass-12345' } }],
  ])('for a secret in its %s, which the refusal does not repeat', (field, change) => {
    const refusal = refusalOf(registering(change));
    expect(refusal).toMatchObject({ code: 'identifier_is_secret', extensions: { field } });
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain('FAKE');
  });

  it('takes names that only speak of secrets', () => {
    expect(
      refusalOf(
        registering({ name: 'rotate_api_key', capabilities: ['secrets', 'token'], effect: { kind: 'command', command: '/password' } }),
      ),
    ).toBeNull();
  });

  it.each([
    ['the arguments as a whole', { kind: 'file_write', path: '', content: '/content' }],
    ['one member for two things', { kind: 'file_write', path: '/a', content: '/a' }],
    ['one member for two things, of a command', { kind: 'command', command: '/a', cwd: '/a' }],
  ] as const)('for an effect that names %s', (_what, effect) => {
    givenRegistry().when(registering({ effect })).thenRefused('invalid_request');
  });

  it('for an effect of another kind, or one that is no pointer', () => {
    const effects = [{ kind: 'teleport', path: '/a', content: '/b' }, { kind: 'command', command: 'a' }, { kind: 'command' }];
    for (const effect of effects) {
      givenRegistry()
        .when(registering({ effect: effect as unknown as NonNullable<RegisterTool['effect']> }))
        .thenRefused('invalid_request');
    }
  });

  it('for one too many, until another was retired', () => {
    const full = registryAfter(...Array.from({ length: MOST_TOOLS }, (_, n) => registering({ name: `t${n}` })));
    const decide = (change: Partial<RegisterTool>): unknown => decideRegistry(full, registering(change), registryContext());
    expect(() => decide({ name: 'one more' })).toThrow('registry_full');
    expect(decide({ name: 't7', version: '2' })).toMatchObject([{ type: 'ToolRegistered' }]);
    const [retired] = decideRegistry(full, retiring({ name: 't7' }), registryContext());
    if (retired !== undefined) evolveRegistry(full, { ...retired, revision: MOST_TOOLS });
    expect(decide({ name: 'one more' })).toMatchObject([{ type: 'ToolRegistered' }]);
  });

  it('for more schemas than a workspace may hold', () => {
    const large = freeJson(JSON.stringify({ description: 'a'.repeat(PAYLOAD_LIMIT_BYTES - 100) }));
    const state = registryAfter(...Array.from({ length: 508 }, (_, n) => registering({ name: `t${n}`, inputSchema: large })));
    const decide = (name: string): unknown =>
      decideRegistry(state, registering({ name, inputSchema: large, version: '2' }), registryContext());
    expect(() => decide('one more')).toThrow('registry_full');
    expect(decide('t3')).toMatchObject([{ type: 'ToolRegistered' }]);
  });
});

describe('an input schema that is refused', () => {
  it.each([
    ['no JSON', '{'],
    ['a number', '7'],
    ['a text', '"true"'],
    ['a list', '[{}]'],
    ['null', 'null'],
    ['a key twice', '{"type":"object","type":"array"}'],
    ['a key twice, once by an escape', '{"type":"object","\\u0074ype":"array"}'],
    ['a number that no double holds', '{"maximum":9007199254740993}'],
    ['half of a pair', '{"title":"\\ud800"}'],
    ['no schema', '{"type":"text"}'],
    ['a reference to elsewhere', '{"$ref":"https://example.test/schema"}'],
  ])('%s', (_what, text) => {
    givenRegistry()
      .when(registering({ inputSchema: freeJson(text) }))
      .thenRefused('tool_schema_invalid');
  });

  it('says why, in its own words', () => {
    expect(refusalOf(registeringSchema({ properties: { a: { type: 'text' } } }))?.extensions).toEqual({
      reason: 'it is no JSON Schema at #/properties/a/type',
    });
  });

  it('was not read exactly', () => {
    const inputSchema = { kind: 'json', text: '{}', anomalies: ['invalid_utf8'] } as const;
    givenRegistry().when(registering({ inputSchema })).thenRefused('tool_schema_invalid');
  });

  it.each([
    ['over the limit', { description: 'a'.repeat(PAYLOAD_LIMIT_BYTES) }],
    ['over the limit once its quotes are escaped', Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`x${n}`, '"']))],
    ['over the limit in UTF-8', { description: '価'.repeat(PAYLOAD_LIMIT_BYTES / 3) }],
  ])('is %s', (_what, schema) => {
    givenRegistry().when(registeringSchema(schema)).thenRefused('tool_schema_too_large');
  });

  it('may take all the room there is', () => {
    const text = JSON.stringify({ description: 'a'.repeat(PAYLOAD_LIMIT_BYTES - 22) });
    expect(specAfter(registering({ inputSchema: freeJson(text) })).inputSchema?.json).toBe(text);
  });
});

describe('retiring a tool', () => {
  it('keeps why, redacted', () => {
    const given = givenRegistry().when(registering()).then({ type: 'ToolRegistered' });
    const retired = given.when(retiring({ reason: freeText('leaked password=FAKE-pass-1234') })).then({ type: 'ToolRetired', data: TOOL });
    expect(JSON.stringify(retired.events)).not.toContain('FAKE');
    expect(retired.events.at(-1)?.data).toMatchObject({ reason: { redactions: [{ rule: expect.any(String) as unknown }] } });
  });

  it('again adds nothing; of one that never was is refused', () => {
    givenRegistry()
      .when(registering())
      .then({ type: 'ToolRegistered' })
      .when(retiring())
      .then({ type: 'ToolRetired' })
      .when(retiring())
      .thenNothing();
    givenRegistry().when(retiring()).thenRefused('not_found');
    givenRegistry()
      .when(registering())
      .then({})
      .when(retiring({ name: 'other' }))
      .thenRefused('not_found');
  });
});
