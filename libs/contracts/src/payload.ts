import { z } from 'zod';
import { KeyedDigest } from './text.js';

/** What the redaction door took out of one place: where (RFC 6901 pointer, bounded), by which rule, how many UTF-8 bytes. */
export const Redaction = z.object({ path: z.string(), rule: z.string(), bytes: z.int().nonnegative() });
export type Redaction = z.infer<typeof Redaction>;

/** What is odd about a text that was kept all the same (promise 24). */
export const Anomaly = z.enum([
  'duplicate_key',
  'lone_surrogate',
  'number_overflow',
  'number_underflow',
  'integer_inexact',
  'not_a_number',
  'infinity',
  'control_character',
  'invalid_utf8',
  'nul',
  'too_deep',
  'not_json',
]);
export type Anomaly = z.infer<typeof Anomaly>;

/**
 * The envelope in which every piece of free JSON or text stands in events and documents (promise 24): JSON *text*, redacted,
 * bounded, so that its spelling survives and neither RFC 8785 nor a document store ever meets it.
 */
export const Payload = z.object({
  /** JSON text after redaction and cut; always parses. */
  json: z.string(),
  /** UTF-8 bytes of the text as it came, before redaction and cut. */
  bytes: z.int().nonnegative(),
  /** UTF-8 bytes of `json`. */
  storedBytes: z.int().nonnegative(),
  state: z.enum(['whole', 'cut', 'sealed', 'erased']),
  /** Keyed digest of the text as it came (use tag `payload`); null where no key was at hand (upcast history). */
  digest: KeyedDigest.nullable(),
  /** At most 100 entries; the rest is counted in `redactionsOmitted`. */
  redactions: z.array(Redaction),
  redactionsOmitted: z.int().positive().optional(),
  anomalies: z.array(Anomaly),
});
export type Payload = z.infer<typeof Payload>;

/**
 * A secret that was redacted once, in a form that recognises it again without holding it (promise 21): UTF-16 length, a 16-bit
 * keyed filter over its first characters, and a keyed digest.
 */
export const KnownSecret = z.object({ length: z.int().positive(), filter: z.int().min(0).max(0xffff), mac: KeyedDigest });
export type KnownSecret = z.infer<typeof KnownSecret>;

/** A stored payload is at most 64 KiB after escaping (design §4, Events). */
export const PAYLOAD_LIMIT_BYTES = 64 * 1024;
/** An event is at most 256 KiB. */
export const EVENT_LIMIT_BYTES = 256 * 1024;
/** An append is at most 768 KiB. */
export const APPEND_LIMIT_BYTES = 768 * 1024;
