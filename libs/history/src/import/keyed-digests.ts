import { keyed } from '@counterfoil/canonical';
import type { FingerprintKey } from '@counterfoil/canonical';

// The key may stand in JSON in a string, so that its quotes are escaped, once or more often, or in the text that Python makes of a dict;
// the text may be no JSON at all.
const DIGEST_MEMBER = /(\w{0,40}sha256\\{0,7}["']\s{0,9}:\s{0,9}\\{0,7}["'])([0-9a-f]{16,128})(?![0-9a-z])/gi;
const HEX_RUN = /[0-9a-f]{16,}/gi;
/** Digits of a SHA-256. Only such a digest is looked for within a longer run of digits. */
const SHA256_DIGITS = 64;

/**
 * A record's text with each digest over unredacted content in it keyed, so that it can't be used to guess what it is over (promise 4).
 * Runs in linear time on any text, however many digests there are: every repetition in the patterns is bounded, or taken once.
 *
 * @param digests those that were found by reading it, in lower-case hex; what looks like one by its key is found in any case
 */
export function withKeyedDigests(text: string, key: FingerprintKey, digests: readonly string[] = []): string {
  const known = new Set(digests);
  const safe = known.size === 0 ? text : text.replaceAll(HEX_RUN, (run) => keyedRun(run, known, key));
  return safe.replaceAll(DIGEST_MEMBER, (_, before: string, digest: string) => before + keyed(key, 'file', digest.toLowerCase()));
}

function keyedRun(run: string, known: ReadonlySet<string>, key: FingerprintKey): string {
  const digits = run.toLowerCase();
  if (known.has(digits)) return keyed(key, 'file', digits);
  let safe = '';
  let from = 0;
  for (let at = 0; at + SHA256_DIGITS <= digits.length;) {
    const digest = digits.slice(at, at + SHA256_DIGITS);
    if (known.has(digest)) {
      safe += run.slice(from, at) + keyed(key, 'file', digest);
      at += SHA256_DIGITS;
      from = at;
    } else at++;
  }
  return safe + run.slice(from);
}
