import { sha256Bytes } from '@counterfoil/canonical';

/** The 16 digest bytes inside a receipt id (`rcp_` and 22 characters of base64url). */
export function receiptKey(receiptId: string): Uint8Array {
  return decodeBase64Url(receiptId.slice(receiptId.indexOf('_') + 1), 16);
}

/** The receipt id that has these 16 bytes in it. */
export function receiptIdOfKey(key: Uint8Array): string {
  let id = 'rcp_';
  let bits = 0;
  let held = 0;
  for (const byte of key) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 6; bits -= 6) id += ALPHABET.charAt((held >> (bits - 6)) & 63);
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? id : id + ALPHABET.charAt((held << (6 - bits)) & 63);
}

/** The first 16 bytes of a keyed digest (`<keyId>:` and base64url): enough to tell two apart within one session. */
export function sixteenOf(digest: string): Uint8Array {
  return decodeBase64Url(digest.slice(digest.indexOf(':') + 1), 16);
}

/** Eight bytes of SHA-256: tells texts of one session apart that need not be kept. */
export function digest8(text: string): Uint8Array {
  return sha256Bytes(text).subarray(0, 8);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

function decodeBase64Url(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let bits = 0;
  let held = 0;
  let out = 0;
  for (let i = 0; i < text.length && out < length; i++) {
    held = (held << 6) | (VALUES[text.charCodeAt(i)] ?? 0);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[out++] = (held >> bits) & 255;
    held &= (1 << bits) - 1;
  }
  return bytes;
}
