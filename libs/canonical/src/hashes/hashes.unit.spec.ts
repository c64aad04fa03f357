import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { canonicalize } from '../form/canonicalize.js';
import { HashInputError, sha256Bytes, sha256Hex } from './digest.js';
import type { HashedEvent } from './event-hash.js';
import { eventHash, eventHashFromText, hashedMetadataText } from './event-hash.js';
import { historyRecordKey } from './history.js';
import { importedReceiptId, receiptId } from './ids.js';
import { fileDigest, keyed, payloadDigest } from './keyed.js';
import type { RequestParts } from './operation.js';
import { operationId, requestFingerprint } from './operation.js';

// The values themselves stand in docs/vectors/hashes.json, and vectors.int.spec.ts walks them.
const key = { id: 'k1', secret: new Uint8Array(32).fill(7) };
const other = { id: 'k1', secret: new Uint8Array(32).fill(8) };

const distinct = (values: readonly string[]): number => new Set(values).size;

describe('keyed digests', () => {
  it('is HMAC-SHA-256 over tag, NUL and text behind the id of the key', () => {
    const mac = createHmac('sha256', key.secret).update('payload\0é', 'utf8').digest('base64url');
    expect(payloadDigest(key, 'é')).toBe(`k1:${mac}`);
    expect(payloadDigest(key, 'é')).toMatch(/^k1:[A-Za-z0-9_-]{43}$/);
  });

  it('differs by key, by tag and by text, lone surrogates included', () => {
    const texts = ['a', 'b', '', '\ud800', '\ud801', '\ufffd'];
    const digests = [key, other].flatMap((one) => ['payload', 'file'].flatMap((tag) => texts.map((text) => keyed(one, tag, text))));
    expect(distinct(digests)).toBe(24);
  });

  it('takes the digest of a file in one spelling only', () => {
    const digest = sha256Hex('abc');
    expect(fileDigest(key, digest)).toBe(keyed(key, 'file', digest));
    for (const wrong of [digest.toUpperCase(), digest.slice(1), `${digest} `, ''])
      expect(() => fileDigest(key, wrong)).toThrow(HashInputError);
  });

  it('hashes bytes and texts alike', () => {
    const expected = createHash('sha256').update('é').digest();
    expect(sha256Hex(Buffer.from('é'))).toBe(expected.toString('hex'));
    expect(sha256Bytes('é')).toEqual(expected);
    expect(sha256Hex('\ud800')).toBe(createHash('sha256').update(Buffer.from('eda080', 'hex')).digest('hex'));
  });
});

describe('operationId', () => {
  const parts = { workspaceId: 'w', userId: 'u', sessionId: 's', tool: { source: 'mcp:fs', name: 'write' }, canonicalArguments: '{"a":1}' };

  it('hashes the canonical form of its parts', () => {
    expect(operationId(key, parts)).toBe(keyed(key, 'operation', '["w","u","s","mcp:fs","write",{"a":1}]'));
    const odd = { ...parts, tool: { source: 'a"b', name: 'x\ny' } };
    expect(operationId(key, odd)).toBe(keyed(key, 'operation', canonicalize(['w', 'u', 's', 'a"b', 'x\ny', { a: 1 }])));
  });

  it('differs with each of them', () => {
    const variants = [
      parts,
      { ...parts, workspaceId: 'w2' },
      { ...parts, userId: 'u2' },
      { ...parts, sessionId: 's2' },
      { ...parts, tool: { source: 'mcp:x', name: 'write' } },
      { ...parts, tool: { source: 'mcp:fs', name: 'read' } },
      { ...parts, canonicalArguments: '{"a":"1"}' },
      { ...parts, canonicalArguments: '{"a":true}' },
    ];
    expect(distinct(variants.map((variant) => operationId(key, variant)))).toBe(variants.length);
  });
});

describe('requestFingerprint', () => {
  const parts: RequestParts = {
    callIdSource: 'native',
    tool: { source: 'mcp:fs', name: 'write' },
    declared: '{"v":1}',
    arguments: { canonical: '{"a":1}' },
    taskId: 't1',
    requireApproval: true,
    approvalExpiresSeconds: 900,
  };

  it('hashes the canonical form of its parts', () => {
    const items = ['native', 'mcp:fs', 'write', { v: 1 }, { canonical: { a: 1 } }, 't1', true, 900];
    expect(requestFingerprint(key, parts)).toBe(keyed(key, 'request', canonicalize(items)));
    const malformed = ['native', 'mcp:fs', 'write', null, { raw: '"{\\"a\\":\\"\\ud800"' }, null, false, null];
    expect(
      requestFingerprint(key, {
        ...parts,
        declared: null,
        arguments: { raw: '{"a":"\ud800' },
        taskId: null,
        requireApproval: false,
        approvalExpiresSeconds: null,
      }),
    ).toBe(keyed(key, 'request', canonicalize(malformed)));
  });

  it('differs with each of them, and between texts that only look alike', () => {
    const variants: RequestParts[] = [
      parts,
      { ...parts, callIdSource: 'synthetic' },
      { ...parts, declared: null },
      { ...parts, taskId: null },
      { ...parts, requireApproval: false },
      { ...parts, approvalExpiresSeconds: null },
      { ...parts, arguments: { raw: '{"a":1}' } },
      { ...parts, arguments: { raw: '\ud800' } },
      { ...parts, arguments: { raw: '\ud801' } },
      { ...parts, arguments: { raw: '\ufffd' } },
      { ...parts, arguments: { raw: '\\ud800' } },
    ];
    expect(distinct(variants.map((variant) => requestFingerprint(key, variant)))).toBe(variants.length);
  });
});

describe('receipt ids', () => {
  it('are short, and differ with each coordinate', () => {
    const call = { workspaceId: 'w', sessionId: 's', turn: '1', callId: 'call_0' };
    const calls = [
      call,
      { ...call, workspaceId: 'x' },
      { ...call, sessionId: 'x' },
      { ...call, turn: '2' },
      { ...call, callId: 'é' },
      { ...call, callId: 'e\u0301' },
    ];
    const ids = [...calls.map(receiptId), importedReceiptId('call_0')];
    expect(distinct(ids)).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^rcp_[A-Za-z0-9_-]{22}$/);
  });
});

describe('eventHash', () => {
  const event: HashedEvent = {
    stream: 'session-default/s1',
    revision: '3',
    id: '019b0000-0000-7000-8000-000000000001',
    type: 'SessionOpened',
    version: 1,
    data: { b: [1, { c: 'x' }], a: null },
    metadata: { actor: { principal: 'agent:x' }, integrity: { prev: 'ab' } },
  };

  it('is SHA-256 over the canonical form of exactly seven members', () => {
    expect(eventHash(event)).toBe(sha256Hex(canonicalize(event)));
    expect(eventHash({ ...event, position: '9' } as HashedEvent)).toBe(eventHash(event));
  });

  it('leaves out the hash itself and nothing else of the metadata', () => {
    const stored = { ...event, metadata: { integrity: { hash: 'cd', prev: 'ab' }, actor: { principal: 'agent:x' } } };
    expect(eventHash(stored)).toBe(eventHash(event));
    expect(eventHash({ ...event, metadata: { ...event.metadata, hash: 'cd' } })).not.toBe(eventHash(event));
    expect(hashedMetadataText({ integrity: null })).toBe('{"integrity":null}');
    expect(stored.metadata.integrity.hash).toBe('cd');
  });

  it('is the same from texts at hand', () => {
    const { data, metadata, ...head } = event;
    expect(eventHashFromText({ ...head, dataText: canonicalize(data), metadataText: canonicalize(metadata) })).toBe(eventHash(event));
  });

  it('changes with every change of anything that is stored (case 65)', () => {
    const leaves: ((event: HashedEvent) => HashedEvent)[] = [
      (one) => ({ ...one, stream: 'session-default/s2' }),
      (one) => ({ ...one, revision: '4' }),
      (one) => ({ ...one, id: '019b0000-0000-7000-8000-000000000002' }),
      (one) => ({ ...one, type: 'SessionClosed' }),
      (one) => ({ ...one, version: 2 }),
      (one) => ({ ...one, data: { b: [1, { c: 'y' }], a: null } }),
      (one) => ({ ...one, data: { b: [1, { c: 'x' }] } }),
      (one) => ({ ...one, metadata: { ...one.metadata, actor: { principal: 'agent:y' } } }),
      (one) => ({ ...one, metadata: { ...one.metadata, integrity: { prev: null } } }),
    ];
    const hashes = [event, ...leaves.map((change) => change(event))].map(eventHash);
    expect(distinct(hashes)).toBe(hashes.length);
  });

  it('does not depend on the order of keys (case 65)', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(event), { minLength: 7, maxLength: 7 }), (names) => {
        const entries = names.map((name) => [name, event[name as keyof HashedEvent]] as const);
        expect(eventHash(Object.fromEntries(entries) as unknown as HashedEvent)).toBe(eventHash(event));
      }),
    );
  });
});

describe('historyRecordKey', () => {
  const importKey = new Uint8Array(32).fill(9);

  it('comes from coordinates, whatever the content and the key', () => {
    const found = historyRecordKey(importKey, { format: 'f', id: '1' }, 'x');
    expect(found).toMatch(/^c[A-Za-z0-9_-]{27}$/);
    expect(historyRecordKey(other.secret, { id: '1', format: 'f' }, null)).toBe(found);
    expect(historyRecordKey(importKey, { format: 'f', id: 1 }, 'x')).not.toBe(found);
  });

  it('else from content under the key', () => {
    const found = historyRecordKey(importKey, null, 'x');
    expect(found).toMatch(/^x[A-Za-z0-9_-]{27}$/);
    expect(historyRecordKey(other.secret, null, 'x')).not.toBe(found);
    expect(historyRecordKey(importKey, null, 'y')).not.toBe(found);
    expect(() => historyRecordKey(importKey, null, null)).toThrow(HashInputError);
  });
});
