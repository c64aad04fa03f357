import { CanonicalError, canonicalize } from '@counterfoil/canonical';
import { isObject } from './json-text.js';

export interface StableText {
  readonly text: string;
  /** Some string or key of it holds half a surrogate pair. */
  readonly hasLoneSurrogate: boolean;
}

/**
 * One JSON text for all spellings of a value: its RFC 8785 form. A value with a lone surrogate has none; it gets the same form with the
 * surrogate escaped, as JSON.stringify does, so that the same record is the same text in every export.
 *
 * @param value as JSON.parse gives it, nested at most 500 levels, its numbers finite
 */
export function stableText(value: unknown): StableText {
  try {
    return { text: canonicalize(value), hasLoneSurrogate: false };
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    return { text: JSON.stringify(sorted(value)), hasLoneSurrogate: true };
  }
}

/** With the keys of every object in the order of their UTF-16 units. Integer-like keys come first in any object, whatever its order was. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
