import { keyed, receiptId } from '@counterfoil/canonical';
import { FINGERPRINT_KEY } from '@counterfoil/testing';
import { digest8, receiptIdOfKey, receiptKey, sameBytes, sixteenOf } from './compact.js';

const ids = Array.from({ length: 300 }, (_, n) => receiptId({ workspaceId: 'w', sessionId: 's', turn: 't', callId: String(n) }));

describe('what is kept of a closed call', () => {
  it('has the bytes inside a receipt id, from which the id comes back', () => {
    for (const id of ids) {
      expect(Buffer.from(receiptKey(id))).toEqual(Buffer.from(id.slice(4), 'base64url'));
      expect(receiptIdOfKey(receiptKey(id))).toBe(id);
    }
  });

  it('has the first 16 bytes of a keyed digest, whatever the key is called', () => {
    for (const key of [FINGERPRINT_KEY, { ...FINGERPRINT_KEY, id: 'a-longer-key-id' }]) {
      const digest = keyed(key, 'operation', 'text');
      expect(Buffer.from(sixteenOf(digest))).toEqual(Buffer.from(digest.slice(key.id.length + 1), 'base64url').subarray(0, 16));
    }
  });

  it('tells turns and principals apart', () => {
    const texts = ['', ' ', 'a', 'a ', 'é', 'e\u0301', 'agent:a', 'person:a', '\u0000'];
    expect(new Set(texts.map((text) => Buffer.from(digest8(text)).toString('hex'))).size).toBe(texts.length);
    expect(digest8('a')).toHaveLength(8);
  });

  it('compares bytes', () => {
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(sameBytes(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false);
  });
});
