import type { FingerprintKey } from '@counterfoil/canonical';
import { payloadDigest } from '@counterfoil/canonical';
import type { KnownSecret, Payload } from '@counterfoil/contracts';
import { PAYLOAD_LIMIT_BYTES } from '@counterfoil/contracts';
import { Learned } from '../known/learned.js';
import { RULES } from '../rules.js';
import type { RuleSet } from '../text/rule.js';
import type { RedactionInput } from './input.js';
import { Work } from './work.js';
import { boundAll, redactAll } from './rounds.js';

export interface RedactionOptions<K extends string> {
  /** The fingerprint key of the session: for the digests, and for what is kept of secrets. */
  readonly key: FingerprintKey;
  /** The secrets that the session knows so far, under the same key. */
  readonly known: readonly KnownSecret[];
  /** UTF-8 bytes that each payload's JSON may take in an event, marks included; PAYLOAD_LIMIT_BYTES where not given. At least 64. */
  readonly limits?: Readonly<Partial<Record<K, number>>>;
  readonly rules?: RuleSet;
  /** UTF-16 units of each input that are looked at; WINDOW_UNITS where not given. */
  readonly window?: number;
}

export interface RedactedRecord<K extends string> {
  readonly payloads: Record<K, Payload | null>;
  /** Secrets that the session didn't know: at most 200, to be kept with it. */
  readonly learned: KnownSecret[];
}

/**
 * So much of an input is looked at, and nothing beyond it is kept: eight times what a payload may store, so that one huge input can't
 * hold up everybody else's. An input over it is taken as text, since its JSON has no end there.
 */
export const WINDOW_UNITS = 512 * 1024;

/** A limit below which no mark would fit. */
export const LEAST_LIMIT = 64;

/**
 * The one door through which free JSON and text enters events, documents and exports (promises 21 to 24): redacts all inputs
 * of a record together, so that a secret that is found in one of them stands in none, bounds each, and puts each in its
 * envelope.
 *
 * @throws RangeError for a limit below 64 bytes
 */
export function redactRecord<K extends string>(
  record: Readonly<Record<K, RedactionInput | null>>,
  options: RedactionOptions<K>,
): RedactedRecord<K> {
  const { key, known, rules = RULES, window = WINDOW_UNITS } = options;
  const names = Object.keys(record) as K[];
  const works = new Map<K, Work>();
  for (const name of names) {
    const input = record[name];
    if (input !== null) works.set(name, new Work(input, limitOf(options.limits?.[name]), window));
  }
  const learned = new Learned();
  const all = [...works.values()];
  const context = { key, known, rules, learned };
  redactAll(all, context);
  boundAll(all, context);
  const payloads = Object.fromEntries(
    names.map((name) => [name, works.get(name)?.payload(payloadDigest(key, record[name]?.text ?? '')) ?? null]),
  ) as Record<K, Payload | null>;
  return { payloads, learned: learned.toKnown(key, known) };
}

function limitOf(limit: number | undefined): number {
  if (limit !== undefined && !(limit >= LEAST_LIMIT)) throw new RangeError(`a payload's limit is at least ${String(LEAST_LIMIT)} bytes`);
  return limit ?? PAYLOAD_LIMIT_BYTES;
}
