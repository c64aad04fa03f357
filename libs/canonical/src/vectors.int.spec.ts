import { readFileSync } from 'node:fs';
import { admitArguments } from './admission.js';
import { canonicalText } from './form/canonical-text.js';
import { canonicalize } from './form/canonicalize.js';
import { apiKeySecretHash } from './hashes/api-key.js';
import { sha256Hex } from './hashes/digest.js';
import type { HashedEvent } from './hashes/event-hash.js';
import { eventHash } from './hashes/event-hash.js';
import { historyRecordKey } from './hashes/history.js';
import type { CallCoordinates } from './hashes/ids.js';
import { importedReceiptId, receiptId } from './hashes/ids.js';
import { fileDigest, keyed, payloadDigest } from './hashes/keyed.js';
import type { OperationParts, RequestParts } from './hashes/operation.js';
import { operationId, requestFingerprint } from './hashes/operation.js';
import { uuidV5 } from './hashes/uuid.js';
import { decodeUtf8 } from './utf8.js';

interface Vector {
  readonly name: string;
  readonly expected: string;
}
interface Text {
  readonly text?: string;
  /** UTF-8, with three bytes for a lone surrogate. */
  readonly textHex?: string;
}
interface Hashes {
  readonly keys: { readonly fingerprint: { readonly id: string; readonly secretHex: string }; readonly importKeyHex: string };
  readonly operationId: readonly (Vector & {
    readonly input: Omit<OperationParts, 'canonicalArguments'> & { readonly arguments: string };
  })[];
  readonly requestFingerprint: readonly (Vector & {
    readonly input: Omit<RequestParts, 'arguments'> & {
      readonly arguments?: string;
      readonly rawArguments?: string;
      readonly rawArgumentsHex?: string;
    };
  })[];
  readonly payloadDigest: readonly (Vector & Text)[];
  readonly fileDigest: readonly (Vector & { readonly sha256: string })[];
  readonly keyed: readonly (Vector & Text & { readonly tag: string })[];
  readonly receiptId: readonly (Vector & { readonly input: CallCoordinates })[];
  readonly importedReceiptId: readonly (Vector & { readonly recordKey: string })[];
  readonly apiKeySecretHash: readonly (Vector & { readonly secret: string })[];
  readonly eventHash: readonly (Vector & { readonly event: HashedEvent })[];
  readonly historyRecordKey: readonly (Vector & { readonly coordinates: unknown; readonly content: string | null })[];
  readonly uuidV5: readonly (Vector & Text & { readonly namespace: string })[];
}

const load = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../../docs/vectors/${name}.json`, import.meta.url), 'utf8'));
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const textOf = (vector: Text): string => (vector.textHex === undefined ? (vector.text ?? '') : decodeUtf8(bytes(vector.textHex)).text);

describe('docs/vectors/canonical.json', () => {
  const { vectors } = load('canonical') as { vectors: { name: string; json: string; canonical: string; sha256: string }[] };

  it.each(vectors)('$name', ({ json, canonical, sha256 }) => {
    // A vector may hold an integer that admission would refuse; its canonical form is defined all the same.
    expect(canonicalize(JSON.parse(json))).toBe(canonical);
    expect(sha256Hex(canonical)).toBe(sha256);
  });
});

describe('docs/vectors/admission.json', () => {
  const { vectors } = load('admission') as { vectors: (Text & { name: string; ok: boolean; canonical?: string; code?: string })[] };

  it.each(vectors)('$name', (vector) => {
    const text = textOf(vector);
    const { ok, canonical, code } = vector;
    expect(admitArguments(text)).toMatchObject(ok ? { ok, text, canonical } : { ok, text, code });
    if (canonical !== undefined) expect(canonicalText(text)).toBe(canonical);
  });
});

describe('docs/vectors/hashes.json', () => {
  const hashes = load('hashes') as Hashes;
  const key = { id: hashes.keys.fingerprint.id, secret: bytes(hashes.keys.fingerprint.secretHex) };

  it.each(hashes.operationId)('operation id: $name', ({ input, expected }) => {
    const { arguments: text, ...parts } = input;
    expect(operationId(key, { ...parts, canonicalArguments: canonicalText(text) })).toBe(expected);
  });

  it.each(hashes.requestFingerprint)('request fingerprint: $name', ({ input, expected }) => {
    const { arguments: text, rawArguments, rawArgumentsHex, ...parts } = input;
    const raw = textOf({
      ...(rawArguments === undefined ? {} : { text: rawArguments }),
      ...(rawArgumentsHex === undefined ? {} : { textHex: rawArgumentsHex }),
    });
    const declared = parts.declared === null ? null : canonicalText(parts.declared);
    expect(
      requestFingerprint(key, { ...parts, declared, arguments: text === undefined ? { raw } : { canonical: canonicalText(text) } }),
    ).toBe(expected);
  });

  it.each(hashes.payloadDigest)('payload digest: $name', (vector) => {
    expect(payloadDigest(key, textOf(vector))).toBe(vector.expected);
  });

  it.each(hashes.fileDigest)('file digest: $name', ({ sha256, expected }) => {
    expect(fileDigest(key, sha256)).toBe(expected);
  });

  it.each(hashes.keyed)('keyed: $name', (vector) => {
    expect(keyed(key, vector.tag, textOf(vector))).toBe(vector.expected);
  });

  it.each(hashes.receiptId)('receipt id: $name', ({ input, expected }) => {
    expect(receiptId(input)).toBe(expected);
  });

  it.each(hashes.importedReceiptId)('imported receipt id: $name', ({ recordKey, expected }) => {
    expect(importedReceiptId(recordKey)).toBe(expected);
  });

  it.each(hashes.apiKeySecretHash)('API key: $name', ({ secret, expected }) => {
    expect(apiKeySecretHash(secret)).toBe(expected);
  });

  it.each(hashes.eventHash)('event hash: $name', ({ event, expected }) => {
    expect(eventHash(event)).toBe(expected);
  });

  it.each(hashes.historyRecordKey)('record key: $name', ({ coordinates, content, expected }) => {
    expect(historyRecordKey(bytes(hashes.keys.importKeyHex), coordinates, content)).toBe(expected);
  });

  it.each(hashes.uuidV5)('UUID of version 5: $name', (vector) => {
    expect(uuidV5(vector.namespace, textOf(vector))).toBe(vector.expected);
  });

  it('shows what is one operation and what is not', () => {
    const id = Object.fromEntries(hashes.operationId.map(({ name, expected }) => [name, expected]));
    expect(id['the same reordered']).toBe(id.plain);
    expect(id['the same with spaces and escapes']).toBe(id.plain);
    expect(id['number 1.0']).toBe(id['number 1']);
    expect(new Set([id['number 1'], id['string 1'], id.true, id.NFC, id.NFD, id.plain]).size).toBe(6);
  });
});
