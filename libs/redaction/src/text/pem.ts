import { BACKSLASH, isBase64, isDigit, runEnd } from './chars.js';
import type { Span, TextRule, TextScan } from './rule.js';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';
const LABEL = 'PRIVATE KEY';
const LONGEST_LABEL = 64;
// Shorter ones are words.
const LEAST_LINE = 16;
const LEAST_REST = 32;
// Between two lines: a line end, indentation, a number, a bar.
const LONGEST_GAP = 24;

/** The offset behind `PRIVATE KEY-----` of a line whose label begins at `from`; -1 for another label. */
function labelEnd(text: string, from: number): number {
  const dashes = text.slice(from, from + LONGEST_LABEL).indexOf(DASHES);
  if (dashes === -1 || !text.slice(from, from + dashes).includes(LABEL)) return -1;
  return from + dashes + DASHES.length;
}

/** The END line behind `from`: the offset after it, or -1. */
function closingLine(text: string, from: number): number {
  for (let at = text.indexOf(END, from); at !== -1; at = text.indexOf(END, at + END.length)) {
    const end = labelEnd(text, at + END.length);
    if (end !== -1) return end;
  }
  return -1;
}

const isEscapedLetter = (text: string, at: number): boolean => /[nrt]/.test(text.charAt(at)) && text.charCodeAt(at - 1) === BACKSLASH;

/** A number that a listing put before a line. */
function isLineNumber(text: string, from: number, to: number): boolean {
  return to - from <= 6 && runEnd(text, from, to, isDigit) === to;
}

/**
 * Where the base64 lines right before `at` begin, no earlier than `floor`; -1 if there are none. Between the lines may
 * stand what listings put there: line ends, also spelled `\n`, indentation, numbers, bars, quotes. Only the last line may be
 * short, and the first one of a field that was cut.
 */
function bodyStart(text: string, at: number, floor: number): number {
  let body = -1;
  let hasShortLine = false;
  let to = at;
  for (;;) {
    let from = to;
    while (from > floor && to - from < LONGEST_GAP && !isBase64(text.charCodeAt(from - 1))) from--;
    if (isEscapedLetter(text, from - 1)) from -= 2;
    const end = from;
    while (from > floor && isBase64(text.charCodeAt(from - 1)) && !isEscapedLetter(text, from - 1)) from--;
    if (from === end && end === to) return body;
    if (end - from >= LEAST_LINE || (end > from && from === 0)) body = from;
    else if (end > from && !isLineNumber(text, from, end)) {
      if (hasShortLine || body !== -1) return body;
      hasShortLine = true;
    }
    to = from;
    if (from <= floor) return body;
  }
}

function closing(scan: TextScan, at: number): number {
  const end = labelEnd(scan.text, at + END.length);
  if (end === -1) return at;
  const start = bodyStart(scan.text, at, Math.min(at, scan.found.at(-1)?.end ?? 0));
  if (start !== -1) scan.found.push({ start, end, rule: 'pem.private_key' });
  return end;
}

function match(scan: TextScan, at: number): number {
  const { text } = scan;
  if (!text.startsWith(DASHES, at)) return at;
  if (text.startsWith(END, at)) return closing(scan, at);
  if (!text.startsWith(BEGIN, at) || labelEnd(text, at + BEGIN.length) === -1) return at;
  let end = closingLine(text, at + BEGIN.length);
  if (end === -1) {
    end = text.length;
    scan.openKey = true;
  }
  scan.found.push({ start: at, end, rule: 'pem.private_key' });
  return end;
}

/** Where a private key begins between `from` and `end`; -1 if none does. */
export function keyHeaderIn(text: string, from: number, end: number): number {
  const stretch = text.slice(from, end);
  for (let at = stretch.indexOf(DASHES); at !== -1; at = stretch.indexOf(DASHES, at + DASHES.length)) {
    if (text.startsWith(BEGIN, from + at) && labelEnd(text, from + at + BEGIN.length) !== -1) return from + at;
  }
  return -1;
}

/** Private keys in PEM (RFC 7468): whole; without an END line, to the end of the text; without a BEGIN line, from the first base64 line on. */
export const privateKeys: TextRule = { name: 'pem', triggers: '-', atTokenStart: false, match };

/** The base64 lines that a text begins with, where another field of the record ends within a private key. At least 32 characters. */
export function findKeyRest(text: string): Span | null {
  let body = 0;
  let total = 0;
  let at = 0;
  while (at < text.length) {
    let from = at;
    while (from - at < LONGEST_GAP && from < text.length && !isBase64(text.charCodeAt(from))) from++;
    if (isEscapedLetter(text, from)) from++;
    const end = runEnd(text, from, text.length, (code) => isBase64(code));
    if (end === at) break;
    const isFull = end - from >= LEAST_LINE;
    if (isFull || (total > 0 && text.startsWith(END, end + 1)) || from === 0) {
      body = end;
      total += end - from;
    } else if (end > from && !isLineNumber(text, from, end)) break;
    at = end;
  }
  return total < LEAST_REST ? null : { start: 0, end: body, rule: 'pem.private_key' };
}
