/**
 * What can be odd about a JSON text although it can be read.
 *
 * - `duplicate_key`: two keys of one object are equal after unescaping
 * - `lone_surrogate`: half of a surrogate pair without its other half, raw or escaped
 * - `number_overflow`, `number_underflow`: the literal's double is infinite, or zero though the literal is not
 * - `integer_inexact`: an integer that its double doesn't equal (see `numberAnomaly`)
 * - `not_a_number`, `infinity`: the tokens NaN, Infinity and -Infinity
 * - `control_character`: an unescaped character below U+0020 inside a string
 * - `invalid_utf8`: bytes that are not UTF-8
 * - `nul`: a string that holds U+0000, which is legal and has a canonical form
 * - `too_deep`: nested deeper than the reader asked for
 * - `not_json`: not JSON at all
 */
export type AnomalyKind =
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'number_overflow'
  | 'number_underflow'
  | 'integer_inexact'
  | 'not_a_number'
  | 'infinity'
  | 'control_character'
  | 'invalid_utf8'
  | 'nul'
  | 'too_deep'
  | 'not_json';

/**
 * Receives the tokens of a JSON text in order. All positions are UTF-16 offsets into the text; spans are [start, end)
 * and those of strings and keys include the quotes. `hasEscape` says whether the span holds a backslash.
 *
 * An anomaly is reported before the token that it belongs to. A visitor without `anomaly` costs nothing for looking.
 */
export interface JsonVisitor {
  startObject(at: number): void;
  endObject(end: number): void;
  startArray(at: number): void;
  endArray(end: number): void;
  key(start: number, end: number, hasEscape: boolean): void;
  string(start: number, end: number, hasEscape: boolean): void;
  number(start: number, end: number): void;
  literal(start: number, end: number): void;
  anomaly?(kind: AnomalyKind, start: number, end: number): void;
}

export interface ScanOptions {
  /** Also take NaN, Infinity, -Infinity and raw control characters in strings, and report them as anomalies. */
  readonly lenient?: boolean;
  /** Report `too_deep` where nesting exceeds this many levels. The outermost container is level 1. */
  readonly maxDepth?: number;
}

/** The text is not JSON. Says where and why, and never quotes the text, which may hold a secret. */
export class JsonSyntaxError extends Error {
  readonly code = 'not_json';
  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super(`not JSON: ${reason} at offset ${position}`);
    this.name = 'JsonSyntaxError';
  }
}
