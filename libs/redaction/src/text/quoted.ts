import { BACKSLASH, isLineEnd, isQuote } from './chars.js';

/** A quote as it stands in a text: how many backslashes are before it tells how deep in JSON strings the text is. */
export interface Quote {
  readonly code: number;
  /** 0 in plain text, 1 in a JSON string, 3 in a JSON string in one, 7 … */
  readonly backslashes: number;
  /** Offset of the first backslash, or of the quote itself. */
  readonly start: number;
  /** Offset after the quote. */
  readonly end: number;
}

// Seven levels of JSON in strings.
const MOST_BACKSLASHES = 255;
// A value over several lines is looked for this far.
const SINGLE = 0x27;
const LOOKED_OVER_LINES = 4096;

/** The largest 2^n - 1 that is not above `count`: what a level of JSON in strings can have. So there are few kinds of quotes. */
function levelOf(count: number): number {
  let level = 0;
  while (2 * level + 1 <= count) level = 2 * level + 1;
  return level;
}

/** The quote that begins at `at`, with the backslashes before it; null if there is none. */
export function quoteAt(text: string, at: number): Quote | null {
  let quote = at;
  while (quote - at < MOST_BACKSLASHES && text.charCodeAt(quote) === BACKSLASH) quote++;
  const code = text.charCodeAt(quote);
  return isQuote(code) ? { code, backslashes: levelOf(quote - at), start: at, end: quote + 1 } : null;
}

/** The quote that ends right before `end`, with its backslashes; null if there is none. */
export function quoteBefore(text: string, end: number): Quote | null {
  const code = text.charCodeAt(end - 1);
  if (!isQuote(code)) return null;
  let start = end - 1;
  while (end - start < MOST_BACKSLASHES && text.charCodeAt(start - 1) === BACKSLASH) start--;
  return { code, backslashes: levelOf(end - 1 - start), start, end };
}

/**
 * Whether a quote of the same kind with `count` backslashes before it closes. With n of them before the opening one, a
 * backslash of the value is spelled 2(n+1) times here, so those before a closing quote are n plus a multiple of that.
 */
function closes(opening: Quote, count: number): boolean {
  const period = 2 * (opening.backslashes + 1);
  return count % period === opening.backslashes;
}

export interface QuotedEnd {
  /** Where the value ends: before the backslashes that belong to the closing quote. */
  readonly valueEnd: number;
  /** After the closing quote, or where the value ends if there is none. */
  readonly end: number;
  readonly isClosed: boolean;
}

/**
 * The end of the value behind an opening quote. Without a closing one, in the same line or soon after, the value ends with the
 * line: a text that was cut.
 */
export function quotedEnd(text: string, opening: Quote): QuotedEnd {
  let count = 0;
  let firstLineEnd = -1;
  // A shell's single quotes know no escapes: if nothing else closes in the line, the first one seen did. Behind any other
  // quote that looks escaped the value goes on, and goes out.
  const isShell = opening.code === SINGLE && opening.backslashes === 0;
  let unsure = -1;
  for (let at = opening.end; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      count++;
      continue;
    }
    if (code === opening.code) {
      if (closes(opening, count)) return { valueEnd: at - opening.backslashes, end: at + 1, isClosed: true };
      if (isShell && unsure === -1) unsure = at;
    } else if (isLineEnd(code)) {
      if (unsure !== -1) break;
      if (firstLineEnd === -1) firstLineEnd = at;
    }
    count = 0;
    if (firstLineEnd !== -1 && at - firstLineEnd > LOOKED_OVER_LINES) break;
  }
  if (unsure !== -1) return { valueEnd: unsure, end: unsure + 1, isClosed: true };
  const end = firstLineEnd === -1 ? text.length : firstLineEnd;
  return { valueEnd: end, end, isClosed: false };
}
