import { scanJson } from '../scan/scan.js';
import type { AnomalyKind, JsonVisitor } from '../scan/visitor.js';
import { CanonicalError, canonicalize } from './canonicalize.js';

const ignore = (): void => undefined;

/** Tells anomalies only. */
export function anomalyVisitor(anomaly: (kind: AnomalyKind, start: number, end: number) => void): JsonVisitor {
  return {
    startObject: ignore,
    endObject: ignore,
    startArray: ignore,
    endArray: ignore,
    key: ignore,
    string: ignore,
    number: ignore,
    literal: ignore,
    anomaly,
  };
}

/**
 * The canonical form of a text that is known to be JSON with no anomaly but `nul`, nested at most 512 levels.
 * JSON.parse is exact for such texts: it makes own properties of all keys, `__proto__` too, and drops no duplicates.
 */
export function canonicalOfExactText(text: string): string {
  return canonicalize(JSON.parse(text));
}

/**
 * The canonical form (RFC 8785) of a JSON text: keys by UTF-16 code units, numbers as ECMAScript writes them.
 *
 * @throws JsonSyntaxError if the text is not JSON
 * @throws CanonicalError if it has an anomaly other than `nul`, or nests over 512 levels
 */
export function canonicalText(text: string): string {
  const refuse = (kind: AnomalyKind, start: number): void => {
    if (kind !== 'nul') throw new CanonicalError(`${kind} at offset ${start}`);
  };
  scanJson(text, anomalyVisitor(refuse));
  return canonicalOfExactText(text);
}
