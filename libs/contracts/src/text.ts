import { z } from 'zod';

/** Counts Unicode code points, so that one emoji is one character (promise 1 speaks of characters). */
export function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++, count++) {
    const unit = text.charCodeAt(i);
    // A high surrogate followed by its low half is one character.
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) i++;
    }
  }
  return count;
}

/** A string of `min` to `max` Unicode characters with no lone surrogate (RFC 8785 could not hash one). */
export function wellFormed(min: number, max: number) {
  return (
    z
      .string()
      .refine((text) => text.isWellFormed() && characters(text) >= min && characters(text) <= max, {
        error: `must be ${String(min)} to ${String(max)} Unicode characters with no lone surrogate`,
      })
      // JSON Schema counts characters as we do; a check of our own says nothing to whoever describes the API.
      .meta({ minLength: min, maxLength: max })
  );
}

/** RFC 3339 time in UTC or with an offset; kept as given, so its fraction may not be a text of its own: 40 characters at most. */
export const Timestamp = z.iso.datetime({ offset: true }).max(40);

/** A non-negative bigint as decimal text: revisions and positions in JSON (design §5, Ports). */
export const Decimal = z.string().regex(/^(0|[1-9][0-9]{0,18})$/);

/** `<ledger epoch>.<n>`: a position that a client may hold (design §5, Ports). */
export const PositionToken = z.string().regex(/^[a-z0-9]{1,32}\.(0|[1-9][0-9]{0,18})$/);

/** `<keyId>:` and base64url of an HMAC-SHA-256 (promise 4). */
export const KeyedDigest = z.string().regex(/^[A-Za-z0-9-]{1,32}:[A-Za-z0-9_-]{16,86}$/);
