import { HashInputError, taggedHmac } from './digest.js';

/** The key of fingerprints. `id` stands in front of what it made; `secret` is 32 random bytes. */
export interface FingerprintKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** What a keyed digest is for. Digests of one text under two tags have nothing in common. */
export type KeyedTag = 'operation' | 'request' | 'payload' | 'file' | 'command' | 'path' | 'result' | 'known' | (string & {});

const FILE_SHA256 = /^[0-9a-f]{64}$/;

/**
 * A keyed digest (promise 4): `<key id>:` and the base64url (RFC 4648, no padding) of HMAC-SHA-256 over tag, NUL, text.
 *
 * @param text hashed in UTF-8; a lone surrogate counts as the three bytes of its code point, so that no two texts are one
 */
export function keyed(key: FingerprintKey, tag: KeyedTag, text: string): string {
  return `${key.id}:${taggedHmac(key.secret, tag, text).toString('base64url')}`;
}

/** The digest of a payload: over its text as it came, before redaction and cuts. */
export function payloadDigest(key: FingerprintKey, rawText: string): string {
  return keyed(key, 'payload', rawText);
}

/**
 * The digest of a file's content.
 *
 * @param sha256HexLower SHA-256 of the file, 64 lower-case hex digits
 * @throws HashInputError for anything else, since another spelling would make another digest of the same file
 */
export function fileDigest(key: FingerprintKey, sha256HexLower: string): string {
  if (!FILE_SHA256.test(sha256HexLower)) throw new HashInputError('a file digest is the SHA-256 in 64 lower-case hex digits');
  return keyed(key, 'file', sha256HexLower);
}
