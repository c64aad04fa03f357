import { ToolDocument as ToolSchema, type CounterfoilEvent, type ToolDocument } from '@counterfoil/contracts';
import {
  payloadOf,
  policySet,
  projecting,
  recordedAt,
  recordedIn,
  REGISTRY_STREAM,
  sessionOpened,
  STREAM,
  testLog,
  toolRegistered,
  toolRetired,
} from '@counterfoil/testing';
import fc from 'fast-check';
import { toolKey, toolsProjection } from './projection.js';

const { given, fault } = projecting(toolsProjection);
const KEY = toolKey('w1', 'mcp:files', 'write_file');
const toolAfter = (...events: readonly CounterfoilEvent[]): ToolDocument => given(...recordedIn(REGISTRY_STREAM, ...events)).doc(KEY);

describe('a tool', () => {
  it('is as it was registered', () => {
    const inputSchema = payloadOf({ type: 'object' });
    const log = testLog({ principal: 'person:admin' });
    log.append(REGISTRY_STREAM, policySet(), toolRegistered({ inputSchema, successExitCodes: [0, 1], declaredClass: 'mutation' }));
    given(...log.events).thenExactly({
      [KEY]: {
        source: 'mcp:files',
        name: 'write_file',
        version: '1',
        inputSchema,
        sideEffects: 'filesystem',
        declaredClass: 'mutation',
        parallelSafe: false,
        capabilities: ['write'],
        duplicates: 'refuse_in_turn',
        successExitCodes: [0, 1],
        effect: { kind: 'file_write', path: '/path', content: '/content' },
        specDigest: `sha256:${'0'.repeat(64)}`,
        workspaceId: 'w1',
        state: 'registered',
        registeredAt: recordedAt(2),
        registeredBy: 'person:admin',
        registrations: 1,
        retiredAt: null,
        retiredBecause: null,
        registeredPosition: '2',
        revision: '1',
        position: '2',
      },
    });
  });

  it('is as it was registered last, and keeps its place in lists', () => {
    const log = testLog();
    log.append(REGISTRY_STREAM, toolRegistered());
    log.appendParts(REGISTRY_STREAM, [toolRegistered({ version: '2', sideEffects: 'remote', effect: null })], {
      principal: 'person:other',
    });
    expect(given(...log.events).doc(KEY)).toMatchObject({
      version: '2',
      sideEffects: 'remote',
      effect: null,
      registrations: 2,
      registeredAt: recordedAt(2),
      registeredBy: 'person:other',
      registeredPosition: '1',
      revision: '1',
    });
  });

  it('is retired with a reason, until it is registered again', () => {
    const reason = payloadOf('too sharp');
    const retired = [toolRegistered(), toolRetired({ reason })];
    expect(toolAfter(...retired)).toMatchObject({
      state: 'retired',
      retiredAt: recordedAt(2),
      retiredBecause: reason,
      registrations: 1,
      version: '1',
    });
    expect(toolAfter(...retired, toolRegistered({ version: '2' }))).toMatchObject({
      state: 'registered',
      retiredAt: null,
      retiredBecause: null,
      registrations: 2,
      version: '2',
      registeredPosition: '1',
    });
  });

  it.each([
    ['a retirement of nothing', [toolRetired()]],
    ['a second retirement', [toolRegistered(), toolRetired(), toolRetired()]],
    ['a retirement of a tool of that name on another server', [toolRegistered(), toolRetired({ source: 'mcp:other' })]],
  ] as const)('is at fault with %s', (_, events) => {
    fault('projection_fault', ...recordedIn(REGISTRY_STREAM, ...events));
  });
});

describe('the tools projection', () => {
  it('keeps tools of two servers and two workspaces apart', () => {
    const log = testLog();
    log.append(REGISTRY_STREAM, toolRegistered(), toolRegistered({ source: 'mcp:other' }));
    log.append('registry-w2', toolRegistered({ workspaceId: 'w2' }), toolRetired({ workspaceId: 'w2' }));
    given(...log.events).then({
      [KEY]: { workspaceId: 'w1', state: 'registered' },
      [toolKey('w1', 'mcp:other', 'write_file')]: { source: 'mcp:other' },
      [toolKey('w2', 'mcp:files', 'write_file')]: { workspaceId: 'w2', state: 'retired' },
    });
  });

  it('takes nothing from other streams, and nothing from policies', () => {
    given(...recordedIn(STREAM, sessionOpened(), toolRegistered())).thenNothing();
    given(...recordedIn(REGISTRY_STREAM, policySet())).thenNothing();
  });

  it('has a short id for any source and name, and none for two of them', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 256 });
    fc.assert(
      fc.property(names, names, (source, name) => {
        const key = toolKey('w1', source, name);
        expect(key).toMatch(/^w1\/[0-9a-f]{64}$/);
        expect(toolKey('w1', `${source}a`, name)).not.toBe(toolKey('w1', source, `a${name}`));
        expect(toolKey('w1', source, `${name}\u0000`)).not.toBe(key);
      }),
    );
    expect(toolKey('w1', 'a","b', 'c')).not.toBe(toolKey('w1', 'a', 'b","c'));
    // NFC and NFD are two names (promise 3).
    expect(toolKey('w1', 'x', '\u00e9')).not.toBe(toolKey('w1', 'x', 'e\u0301'));
  });

  it('makes documents that fit their schema, in the order of their keys', () => {
    for (const events of [[toolRegistered()], [toolRegistered(), toolRegistered()], [toolRegistered(), toolRetired()]]) {
      const doc = toolAfter(...events);
      expect(JSON.stringify(ToolSchema.parse(doc))).toBe(JSON.stringify(doc));
    }
  });

  it('leaves out what a later version said of a tool', () => {
    const event = toolRegistered();
    const later = { ...event, data: { ...event.data, invented: true } };
    expect(toolAfter(later)).toEqual(toolAfter(event));
  });

  it('gives fields to list by', () => {
    expect(toolsProjection.fields(toolAfter(toolRegistered()))).toEqual({
      workspace: 'w1',
      source: 'mcp:files',
      state: 'registered',
      registeredPosition: 1,
    });
  });
});
