import { createHmac, hash } from 'node:crypto';
import { encodeUtf8, isWellFormed } from '../utf8.js';

// A well-formed string goes in as it is, and Node encodes it without a copy in JavaScript.
const bytesOf = (text: string): string | Uint8Array => (isWellFormed(text) ? text : encodeUtf8(text));

/** An input that no hash is defined for, such as a file digest that is not hex. The caller's mistake. */
export class HashInputError extends Error {
  readonly code = 'hash_input';
  constructor(readonly detail: string) {
    super(detail);
    this.name = 'HashInputError';
  }
}

/** SHA-256 (FIPS 180-4) of bytes, or of the UTF-8 of a text, in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', typeof data === 'string' ? bytesOf(data) : data, 'hex');
}

/** SHA-256 of bytes, or of the UTF-8 of a text: 32 bytes. */
export function sha256Bytes(data: string | Uint8Array): Buffer {
  return hash('sha256', typeof data === 'string' ? bytesOf(data) : data, 'buffer');
}

/** HMAC-SHA-256 (RFC 2104) over the tag, a NUL, and the text, each in UTF-8: 32 bytes. Tags hold no NUL. */
export function taggedHmac(secret: Uint8Array, tag: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`${tag}\0`, 'utf8').update(bytesOf(text)).digest();
}
