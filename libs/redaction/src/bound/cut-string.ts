import { cutMark, markEnd } from '../marks.js';
import { BACKSLASH } from '../text/chars.js';
import { escapedBytes } from './size.js';

const isHigh = (code: number): boolean => (code & 0xfc00) === 0xd800;
const isLow = (code: number): boolean => (code & 0xfc00) === 0xdc00;
// A cut within a long row of backslashes would split the escape of some level; a longer row is taken as it is.
const MOST_DROPPED = 64;

const QUOTES = escapedBytes('""');

const EARLIER_CUT = /…\[cut: ([0-9]{1,15}) bytes\]$/;

/** The UTF-16 value of a unit of string content at `at`, spelled raw or as \uXXXX; -1 for any other escape. */
function unitAt(text: string, at: number): { unit: number; length: number } {
  if (text.charCodeAt(at) !== BACKSLASH) return { unit: text.charCodeAt(at), length: 1 };
  if (text.charAt(at + 1) !== 'u') return { unit: -1, length: 2 };
  return { unit: Number.parseInt(text.slice(at + 2, at + 6), 16), length: 6 };
}

/** The length of what must stay together at `at`: a mark, an escape, a surrogate pair in any spelling. */
function pieceLength(text: string, at: number): number {
  const mark = markEnd(text, at);
  if (mark > at) return mark - at;
  const { unit, length } = unitAt(text, at);
  if (!isHigh(unit)) return length;
  const low = unitAt(text, at + length);
  return isLow(low.unit) ? length + low.length : length;
}

/** Escaped bytes of a piece; content has no bare quotes. */
function pieceBytes(text: string, at: number, length: number): number {
  const code = text.charCodeAt(at);
  if (length === 1 && code < 0x80) return 1;
  return escapedBytes(text.slice(at, at + length));
}

/** How much of the content [from, end) has at most `room` escaped bytes: the offset after it. */
function keptEnd(text: string, from: number, end: number, room: number): number {
  let at = from;
  let used = 0;
  while (at < end) {
    const length = pieceLength(text, at);
    used += pieceBytes(text, at, length);
    if (used > room || at + length > end) break;
    at += length;
  }
  return at;
}

/** Moves the end back before escaped backslashes: behind them stood what they escape in JSON within the string. */
function beforeBackslashes(text: string, from: number, end: number): number {
  let at = end;
  while (at - 2 >= from && end - at < MOST_DROPPED && text.charCodeAt(at - 1) === BACKSLASH && text.charCodeAt(at - 2) === BACKSLASH)
    at -= 2;
  return at;
}

/**
 * A JSON string shortened to `most` escaped bytes (see `escapedBytes`), quotes and mark included. Never splits an escape, a surrogate pair or a mark.
 *
 * @param token the string with its quotes, as JSON text without raw lone surrogates
 * @param most at least 64
 * @param bytes the size that the mark states, unless the string was cut before and states one itself
 */
export function cutString(token: string, most: number, bytes: number): string {
  let end = token.length - 1;
  const earlier = EARLIER_CUT.exec(token.slice(-48, -1));
  if (earlier !== null) end -= earlier[0].length;
  const mark = cutMark(earlier === null ? bytes : Number(earlier[1]));
  const kept = keptEnd(token, 1, end, most - QUOTES - Buffer.byteLength(mark));
  return `"${token.slice(1, kept === end ? end : beforeBackslashes(token, 1, kept))}${mark}"`;
}
