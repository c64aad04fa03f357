import { HashInputError, sha256Hex } from './digest.js';
import type { RandomSource } from './random.js';
import { secureRandom } from './random.js';

// No underscore in the key id: the first one after the prefix ends it, and base64url has underscores of its own.
const KEY_ID = /^[A-Za-z0-9-]{1,64}$/;
const API_KEY = /^cfk_([A-Za-z0-9-]{1,64})_[A-Za-z0-9_-]{43}$/;
const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;

/**
 * What is stored of an API key: SHA-256 of the whole `cfk_…` string, in lower-case hex. The 256 random bits in it make a
 * slow hash needless.
 */
export function apiKeySecretHash(secret: string): string {
  return sha256Hex(secret);
}

/**
 * Makes an API key, `cfk_<key id>_<43 characters of base64url>`. The secret is shown once and never stored.
 *
 * @param keyId letters, digits and hyphens; 16 random hex digits if left out
 * @throws HashInputError for any other key id
 */
export function newApiKey(keyId?: string, random: RandomSource = secureRandom): { keyId: string; secret: string } {
  const id = keyId ?? Buffer.from(random(KEY_ID_BYTES)).toString('hex');
  if (!KEY_ID.test(id)) throw new HashInputError('a key id is 1 to 64 letters, digits and hyphens');
  return { keyId: id, secret: `cfk_${id}_${Buffer.from(random(SECRET_BYTES)).toString('base64url')}` };
}

/** The key id in an API key, to find its hash by; null if the text is not shaped like a key. Proves nothing. */
export function parseApiKey(text: string): { keyId: string } | null {
  const keyId = API_KEY.exec(text)?.[1];
  return keyId === undefined ? null : { keyId };
}
