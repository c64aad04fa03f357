import type { FieldValue } from '../port.js';

/**
 * Index values are kept as text that sorts as the port wants it: nulls before numbers before strings, numbers by value. So all of them
 * have one BSON type, and nothing rests on how a server compares types, on the width of its numbers, or on `null` meeting missing fields.
 * The first character names the type; that of a tombstone comes after all of them.
 */
export const NULL_TEXT = '0';
const NUMBER = '1';
const STRING = '2';
/** Begins the values of tombstones, which are different for each: no unique index is broken, and no condition meets one. */
export const TOMBSTONE = '3';

/** A field's value as it is stored; order and equality of the texts are those of the values. */
export function toText(value: FieldValue): string {
  if (value === null) return NULL_TEXT;
  return typeof value === 'string' ? `${STRING}${value}` : `${NUMBER}${sortableNumber(value)}`;
}

/** The stored values of all strings or of all numbers lie in here: from the first, and before the second. */
export function rangeOfType(type: 'string' | 'number'): readonly [string, string] {
  return type === 'number' ? [NUMBER, STRING] : [STRING, TOMBSTONE];
}

/** 16 hex digits that sort as the doubles do: the bits, with the sign turned over, and all others, too, where it is negative. */
function sortableNumber(value: number): string {
  const bytes = Buffer.alloc(8);
  // There is one zero: -0 equals it.
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const bits = bytes.readBigUInt64BE();
  const sign = 1n << 63n;
  const sortable = (bits & sign) === 0n ? bits | sign : bits ^ 0xffff_ffff_ffff_ffffn;
  return sortable.toString(16).padStart(16, '0');
}
