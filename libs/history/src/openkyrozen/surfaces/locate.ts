import type { QuarantineReason } from '../../quarantine-reasons.js';
import type { JsonObject } from '../json-text.js';
import { decodePayload } from '../payload.js';

/** The object inside a record that says what was called. */
export interface LocatedCall {
  readonly call: JsonObject;
  /** Where it stands, as the paths of redactions give it: an RFC 6901 pointer, `#` for each JSON text that it goes on in. */
  readonly at: string;
  /** Key of its success flag. */
  readonly successKey: string;
  /** How many JSON texts stood around it. */
  readonly encodings: number;
  readonly anomalies: readonly string[];
  /** The record with the members that lead to the call as objects. */
  readonly decoded: JsonObject;
}

export type Location = LocatedCall | { readonly reason: QuarantineReason };

/** Members that lead from the record to the call. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'execution.receipt': ['payload'],
  'subagent.receipt': ['payload', 'receipt'],
  'bug_fix.receipt': ['payload'],
  stream: ['tool_receipt'],
  terminal: ['receipt'],
};

/**
 * Finds the call in a record of a surface; alike in the record as it came and in the one that is stored. Each member on the way may be an
 * object or its JSON text, once more encoded or not.
 *
 * @returns or why it can't be read
 */
export function locateCall(surface: string, record: JsonObject): Location {
  const members = PATHS[surface] ?? [];
  const found: JsonObject[] = [record];
  const anomalies: string[] = [];
  let at = '';
  let encodings = 0;
  for (const member of members) {
    const decoded = decodePayload(found.at(-1)?.[member]);
    if ('reason' in decoded) return decoded;
    found.push(decoded.payload);
    at += `/${member}${'#'.repeat(decoded.encodings)}`;
    encodings += decoded.encodings;
    anomalies.push(...decoded.anomalies);
    if (decoded.encodings > 1) anomalies.push('double_encoded');
  }
  const call = found.at(-1) ?? record;
  return { call, at, successKey: successKeyOf(surface, call), encodings, anomalies, decoded: nested(found, members) };
}

/** Bug-fix receipts call it `tool_success`, also where they stand without their row. */
function successKeyOf(surface: string, call: JsonObject): string {
  const has = (key: string): boolean => Object.hasOwn(call, key);
  return surface === 'bug_fix.receipt' || (!has('success') && has('tool_success')) ? 'tool_success' : 'success';
}

/** The objects on the way, each in its place in the one before. */
function nested(found: readonly JsonObject[], members: readonly string[]): JsonObject {
  return found.reduceRight((inner, outer, index) => ({ ...outer, [members[index] ?? '']: inner }));
}
