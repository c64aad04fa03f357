import { canonicalize } from '../form/canonicalize.js';
import { HashInputError, sha256Bytes, taggedHmac } from './digest.js';

const KEY_BYTES = 20;

/**
 * The key of an old record: names its stream, and makes a second import of it meet the first (promise 30).
 *
 * - with coordinates: `c` and the base64url of the first 20 bytes of SHA-256 over their RFC 8785 form
 * - else: `x` and the base64url of the first 20 bytes of HMAC-SHA-256 over `record`, NUL, content. Keyed, since the content
 *   may be a short secret
 *
 * @param importKey 32 bytes that never rotate
 * @param coordinates format, source workspace, event or receipt id as recorded; null if the record has none
 * @param content the record's text as read; not looked at if there are coordinates
 * @returns 28 characters of [A-Za-z0-9_-]
 * @throws HashInputError with neither, CanonicalError if the coordinates have no canonical form
 */
export function historyRecordKey(importKey: Uint8Array, coordinates: unknown, content: string | null): string {
  if (coordinates !== null && coordinates !== undefined) {
    return `c${sha256Bytes(canonicalize(coordinates)).toString('base64url', 0, KEY_BYTES)}`;
  }
  if (content === null) throw new HashInputError('a record needs coordinates or content');
  return `x${taggedHmac(importKey, 'record', content).toString('base64url', 0, KEY_BYTES)}`;
}
