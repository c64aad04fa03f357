import type { AnomalyKind } from './visitor.js';

const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;

// The greatest double is about 1.8e308; half of the smallest, which is rounded to zero, about 2.5e-324.
const GREATEST_EXPONENT = 308;
const SMALLEST_EXPONENT = -324;
// Any literal that has its first digit here is the neighbourhood of a normal double.
const LEAST_NORMAL_EXPONENT = -307;
// A decimal of this many digits comes back from a normal double, so no shorter one reads as the same double.
const SURE_DIGITS = 15;
// 5^23 has more than 53 bits, so no multiple of 10^23 and no power above is a double exactly.
const MOST_TRAILING_ZEROS = 22;
// An exponent beyond this can't be balanced by the digits of any text that fits in memory.
const EXPONENT_BOUND = 1e15;

const POWERS_OF_TEN = Array.from({ length: MOST_TRAILING_ZEROS + 1 }, (_, power) => 10n ** BigInt(power));

function digitsEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) break;
    at++;
  }
  return at;
}

const isZeroOrDot = (code: number): boolean => code === ZERO || code === DOT;

/** The offset of the first digit that is not zero; `end` if there is none. */
function firstDigit(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isZeroOrDot(text.charCodeAt(at))) at++;
  return at;
}

/** The offset of the last digit before `end` that is not zero, where there is one. */
function lastDigit(text: string, end: number): number {
  let at = end - 1;
  while (isZeroOrDot(text.charCodeAt(at))) at--;
  return at;
}

/** The value of the exponent part that begins at `at` (on the `e`), bounded; 0 if there is none. */
function exponentValue(text: string, at: number, end: number): number {
  if (at >= end) return 0;
  const sign = text.charCodeAt(at + 1);
  let from = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  while (from < end && text.charCodeAt(from) === ZERO) from++;
  const size = end - from > 15 ? EXPONENT_BOUND : Number(text.slice(from, end));
  return sign === MINUS ? -size : size;
}

/** The power of ten of the digit at `at`, without the exponent part; the decimal point is at `intEnd`, if there is one. */
function powerOf(at: number, intEnd: number): number {
  return at < intEnd ? intEnd - 1 - at : intEnd - at;
}

/** Whether `value` is the integer that has these digits and then so many zeros. */
function equals(value: number, digits: string, zeros: number): boolean {
  const power = POWERS_OF_TEN[zeros];
  return power !== undefined && BigInt(value) === BigInt(digits) * power;
}

/** Whether these digits, the first one at this power of ten, are the shortest decimal that reads back as `value`. */
function isShortest(value: number, digits: string, exponent: number): boolean {
  const shortest = value.toExponential();
  const e = shortest.indexOf('e');
  return Number(shortest.slice(e + 1)) === exponent && shortest.slice(0, e).replace('.', '') === digits;
}

/**
 * What is odd about a number literal [start, end) of `text`, which must follow the grammar of RFC 8259. Null if its
 * double stands for it.
 *
 * A literal whose value is an integer must be equal to its double (promise 5): 9007199254740993 is not, in any spelling.
 * A literal with an exponent part is what programs print for a double, and few above 10^22 are integers exactly: there
 * it's enough that it has the digits of the shortest decimal that reads back as the same double (1e23, 1.5e300).
 *
 * Linear in the length of the literal: nothing is computed with digits before the magnitude is known to be that of a
 * double, and so to have at most 309 of them.
 */
export function numberAnomaly(text: string, start: number, end: number): AnomalyKind | null {
  const intStart = text.charCodeAt(start) === MINUS ? start + 1 : start;
  const intEnd = digitsEnd(text, intStart, end);
  const fractionEnd = intEnd < end && text.charCodeAt(intEnd) === DOT ? digitsEnd(text, intEnd + 1, end) : intEnd;
  const first = firstDigit(text, intStart, fractionEnd);
  if (first === fractionEnd) return null;
  const last = lastDigit(text, fractionEnd);
  const exponent = exponentValue(text, fractionEnd, end);
  const greatest = powerOf(first, intEnd) + exponent;
  const least = powerOf(last, intEnd) + exponent;
  if (greatest > GREATEST_EXPONENT) return 'number_overflow';
  if (greatest < SMALLEST_EXPONENT) return 'number_underflow';
  const hasExponent = fractionEnd < end;
  const isSure = least < 0 || (hasExponent && greatest - least < SURE_DIGITS);
  if (isSure && greatest >= LEAST_NORMAL_EXPONENT && greatest < GREATEST_EXPONENT) return null;
  const value = Number(text.slice(intStart, end));
  if (value === Infinity) return 'number_overflow';
  if (value === 0) return 'number_underflow';
  if (isSure) return null;
  const digits = text.slice(first, last + 1).replace('.', '');
  if (equals(value, digits, least)) return null;
  return hasExponent && isShortest(value, digits, greatest) ? null : 'integer_inexact';
}
