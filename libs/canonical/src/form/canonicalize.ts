import { plainRunEnd } from '../scan/plain-run.js';
import { isWellFormed } from '../utf8.js';

/** The value has no RFC 8785 form. `detail` says why, and quotes nothing of the value. */
export class CanonicalError extends Error {
  readonly code = 'not_canonical';
  constructor(readonly detail: string) {
    super(`no canonical form: ${detail}`);
    this.name = 'CanonicalError';
  }
}

const MAX_DEPTH = 512;
const KEY_CACHE_SIZE = 4096;
const CACHED_KEY_LENGTH = 40;

const keyCache = new Map<string, string>();

/** A string as RFC 8785 section 3.2.2.2 writes it, which is what JSON.stringify does, save for lone surrogates. */
export function quote(text: string): string {
  if (plainRunEnd(text, 0) === text.length) return `"${text}"`;
  if (!isWellFormed(text)) throw new CanonicalError('a lone surrogate in a string');
  return JSON.stringify(text);
}

/**
 * Keys of our own shapes come again and again. Those that begin with a digit stay out of the cache: V8 hashes array
 * indices predictably, and a caller could fill one bucket with them.
 */
function quoteKey(key: string): string {
  const cached = keyCache.get(key);
  if (cached !== undefined) return cached;
  const quoted = `${quote(key)}:`;
  const first = key.charCodeAt(0);
  if (key.length <= CACHED_KEY_LENGTH && !(first >= 0x30 && first <= 0x39)) {
    if (keyCache.size >= KEY_CACHE_SIZE) keyCache.clear();
    keyCache.set(key, quoted);
  }
  return quoted;
}

/** By UTF-16 code units (RFC 8785 section 3.2.3), which is how `<` and `sort` compare strings. Most are few or in order. */
function sortKeys(keys: string[]): string[] {
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort();
  }
  return keys;
}

/** Plain in any realm: no prototype, or one that is itself the end of the chain, as Object.prototype is. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function objectText(value: Readonly<Record<string, unknown>>, depth: number): string {
  if (!isPlain(value)) throw new CanonicalError('an object that is not plain');
  if (Object.getOwnPropertySymbols(value).length > 0) throw new CanonicalError('a symbol as a key');
  let text = '{';
  for (const key of sortKeys(Object.keys(value))) {
    if (text.length > 1) text += ',';
    text += quoteKey(key) + valueText(value[key], depth);
  }
  return `${text}}`;
}

function arrayText(value: readonly unknown[], depth: number): string {
  let text = '[';
  // By index: a hole reads as undefined, which has no form, where forEach would skip it.
  for (let at = 0; at < value.length; at++) text += (at > 0 ? ',' : '') + valueText(value[at], depth);
  return `${text}]`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new CanonicalError('a number that is not finite');
  // ECMAScript's own conversion is RFC 8785 section 3.2.2.3; it also makes 0 of -0.
  return `${value}`;
}

function valueText(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) throw new CanonicalError(`nested deeper than ${MAX_DEPTH} levels, or in a circle`);
      return Array.isArray(value) ? arrayText(value, depth + 1) : objectText(value as Record<string, unknown>, depth + 1);
    default:
      throw new CanonicalError(`a value of type ${typeof value}`);
  }
}

/**
 * The canonical form (RFC 8785) of a value of ours: plain objects with or without a prototype, arrays, strings, finite
 * numbers, booleans, null. Own enumerable keys count, `__proto__` and integer-like ones too.
 *
 * @throws CanonicalError for undefined, functions, bigints, symbols, NaN, infinities, lone surrogates, class instances
 *   (Date and Map too), arrays with holes, cycles, and nesting over 512 levels: nothing is dropped or converted silently
 */
export function canonicalize(value: unknown): string {
  return valueText(value, 0);
}
