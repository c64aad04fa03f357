import type { Condition, FieldValue, Query } from './port.js';

type Fields = Readonly<Record<string, FieldValue>>;

/** Whether a document with these fields meets every condition, as each adapter decides it. A field that isn't there holds null. */
export function meets(fields: Fields, where: Query['where']): boolean {
  return Object.entries(where).every(([field, condition]) =>
    holds(condition, Object.hasOwn(fields, field) ? (fields[field] ?? null) : null),
  );
}

function holds(condition: Condition, value: FieldValue): boolean {
  if ('eq' in condition) return value === condition.eq;
  if ('in' in condition) return condition.in.includes(value);
  if ('prefix' in condition) return typeof value === 'string' && value.startsWith(condition.prefix);
  const { gt, gte, lt, lte } = condition;
  return (
    isBeside(value, gt, (order) => order > 0) &&
    isBeside(value, gte, (order) => order >= 0) &&
    isBeside(value, lt, (order) => order < 0) &&
    isBeside(value, lte, (order) => order <= 0)
  );
}

/** A range takes values of its own type only; nulls have no place in one. */
function isBeside(value: FieldValue, bound: FieldValue | undefined, test: (order: number) => boolean): boolean {
  if (bound === undefined) return true;
  return value !== null && typeof value === typeof bound && test(compareFieldValues(value, bound));
}

/** The order of every adapter: nulls, then numbers, then texts by code point (which is the order of their UTF-8). */
export function compareFieldValues(a: FieldValue, b: FieldValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return kindOf(a) - kindOf(b);
}

const kindOf = (value: FieldValue): number => (value === null ? 0 : typeof value === 'number' ? 1 : 2);

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const order = rankOf(a.charCodeAt(i)) - rankOf(b.charCodeAt(i));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Surrogates stand for code points that come after all that are one unit. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
