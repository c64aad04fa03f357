import type { QuarantineReason } from '../quarantine-reasons.js';
import { isObject, readJson } from './json-text.js';
import type { JsonObject } from './json-text.js';

export interface DecodedPayload {
  readonly payload: JsonObject;
  /** How many JSON texts stood around it: 0 as an object, 1 in the database's column, 2 where an exporter encoded that once more. */
  readonly encodings: number;
  readonly anomalies: readonly string[];
}

const MAX_ENCODINGS = 2;

/** A row's payload as an object, from an object or from its JSON text, which is decoded at most twice. */
export function decodePayload(value: unknown): DecodedPayload | { readonly reason: QuarantineReason } {
  const anomalies = new Set<string>();
  let current = value;
  for (let encodings = 0; encodings <= MAX_ENCODINGS; encodings++) {
    if (isObject(current)) return { payload: current, encodings, anomalies: [...anomalies] };
    if (typeof current !== 'string' || encodings === MAX_ENCODINGS) break;
    const reading = readJson(current);
    if (!reading.ok) return { reason: reading.reason === 'not_json' ? 'payload_unreadable' : reading.reason };
    if (reading.ambiguity !== null) return { reason: reading.ambiguity };
    for (const anomaly of reading.anomalies) anomalies.add(anomaly);
    current = reading.value;
  }
  return { reason: 'payload_unreadable' };
}
