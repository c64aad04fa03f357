import type { FingerprintKey } from '@counterfoil/canonical';
import { keyed } from '@counterfoil/canonical';

/** How many characters (UTF-16 units) of a secret the filter is over, and so the fewest that a known secret has. */
export const WINDOW = 6;

/**
 * The base of the rolling hash: the first four bytes, big-endian, of the keyed digest of `base` under the tag
 * `known-filter`, made odd. Without the key, nothing can be told from a filter.
 */
export function rollingBase(key: FingerprintKey): number {
  const digest = keyed(key, 'known-filter', 'base');
  return (Buffer.from(digest.slice(digest.lastIndexOf(':') + 1), 'base64url').readUInt32BE(0) | 1) >>> 0;
}

/** The filter's 16 bits of a hash of 32: both halves, since the lower one depends on the lower half of the base alone. */
const folded = (hash: number): number => (hash ^ (hash >>> 16)) & 0xffff;

/**
 * The filter of a secret: 16 bits of the polynomial hash, modulo 2^32, of its first six UTF-16 units.
 * Stored in events (`KnownSecret.filter`), so it stays as it is.
 */
export function filterOf(base: number, value: string): number {
  let hash = 0;
  for (let at = 0; at < WINDOW; at++) hash = (Math.imul(hash, base) + value.charCodeAt(at)) | 0;
  return folded(hash);
}

/**
 * Calls `hit` at each offset of a text where the filter of the six characters there is in `filters` (a bit for each of 65,536),
 * until it returns false.
 */
export function rollOver(base: number, text: string, filters: Uint32Array, hit: (at: number, filter: number) => boolean): void {
  if (text.length < WINDOW) return;
  let power = 1;
  for (let at = 1; at < WINDOW; at++) power = Math.imul(power, base);
  let hash = 0;
  for (let at = 0; at < WINDOW - 1; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
  for (let end = WINDOW - 1; end < text.length; end++) {
    hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0;
    const filter = folded(hash);
    const start = end - WINDOW + 1;
    if (((filters[filter >>> 5] ?? 0) & (1 << (filter & 31))) !== 0 && !hit(start, filter)) return;
    hash = (hash - Math.imul(power, text.charCodeAt(start))) | 0;
  }
}
