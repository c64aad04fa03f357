import { DomainError } from '@counterfoil/contracts';
import { decodeBase64Url, encodeBase64Url } from './base64url.js';

/** The place after which a page begins: the order values and the id of the last item of the page before. */
export interface Place {
  readonly values: readonly number[];
  readonly id: string;
}

const VERSION = 1;
/** Far more than any cursor of ours takes. */
const LONGEST = 1024;

/**
 * What a cursor is bound to: the list, the scope and the filters, as 16 hex digits (two FNV-1a sums, 32 bits each, with different
 * beginnings). It only tells honest callers that they mixed two lists up; what may be read is decided by scope and filters alone, which
 * are applied again on every page.
 *
 * @param parts in a fixed order, plain JSON
 */
export function cursorBinding(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return hex(a) + hex(b);
}

const hex = (sum: number): string => (sum >>> 0).toString(16).padStart(8, '0');

/** Base64url of the JSON of version, binding, order values and id. */
export function encodeCursor(binding: string, place: Place): string {
  return encodeBase64Url(JSON.stringify({ v: VERSION, f: binding, o: place.values, i: place.id }));
}

/**
 * @param binding of the list that is being read
 * @param length number of its order values
 * @throws DomainError `invalid_cursor` for what no list ever gave, `cursor_mismatch` for one of another list, scope or filters
 */
export function decodeCursor(cursor: string, binding: string, length: number): Place {
  const read = readCursor(cursor);
  if (read === null) throw new DomainError('invalid_cursor', 'The cursor is not one that this ledger gave.');
  if (read.binding !== binding) throw new DomainError('cursor_mismatch', 'The cursor was given for other filters or another scope.');
  if (read.place.values.length !== length) throw new DomainError('invalid_cursor', 'The cursor is not one that this ledger gave.');
  return read.place;
}

function readCursor(cursor: string): { readonly binding: string; readonly place: Place } | null {
  const text = cursor.length > LONGEST ? null : decodeBase64Url(cursor);
  if (text === null) return null;
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return null;
  const { v, f, o, i } = value as Readonly<Record<string, unknown>>;
  if (v !== VERSION || typeof f !== 'string' || typeof i !== 'string' || !isNumbers(o)) return null;
  return { binding: f, place: { values: o, id: i } };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((entry) => Number.isFinite(entry));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
