import { isBlank, isName, isQuote, isSpace, isWord } from './chars.js';
import type { Quote } from './quoted.js';
import { quoteBefore } from './quoted.js';

/** The name that stands before a colon or an equals sign. */
export interface KeyBefore {
  readonly name: string;
  readonly start: number;
  /** The quote behind the name, where it has one: `"name":`, `\"name\":`, `["name"] =`. */
  readonly quote: Quote | null;
}

const LONGEST_NAME = 64;
const MOST_BLANKS = 4;
// "your API key: …" needs two words, "next page token: …" three.
const MOST_WORDS = 3;

/** The start of up to three words, with single blanks between, that end before `end`. */
function wordsStart(text: string, end: number): number {
  const floor = Math.max(0, end - LONGEST_NAME);
  let start = end;
  for (let word = 0; word < MOST_WORDS; word++) {
    let at = word === 0 ? start : start - 1;
    if (word > 0 && text.charCodeAt(at) !== 0x20) break;
    const wordEnd = at;
    while (at > floor && isName(text.charCodeAt(at - 1))) at--;
    if (at === wordEnd) break;
    start = at;
  }
  return start;
}

/**
 * The name right before `at`, skipping blanks, `?` of optional members, quotes and brackets; null if there is none, or none
 * that `mayEndName` takes for a secret's.
 *
 * @param overLines whether it may stand on the line before
 */
export function keyBefore(
  text: string,
  at: number,
  mayEndName: (text: string, end: number) => boolean,
  overLines: boolean,
): KeyBefore | null {
  let end = at;
  const isGap = overLines ? isSpace : isBlank;
  while (at - end < MOST_BLANKS && isGap(text.charCodeAt(end - 1))) end--;
  let last = text.charCodeAt(end - 1);
  if (last === 0x3f) last = text.charCodeAt(--end - 1);
  const isIndex = last === 0x5d;
  if (isIndex) last = text.charCodeAt(--end - 1);
  let quote: Quote | null = null;
  if (isQuote(last)) {
    quote = quoteBefore(text, end);
    end = quote?.start ?? end;
  } else if (isIndex || !isWord(last)) {
    return null;
  }
  if (!mayEndName(text, end)) return null;
  const start = wordsStart(text, end);
  return start === end ? null : { name: text.slice(start, end), start, quote };
}

/** The first offset from `from` on that is no white space; line ends count only if `overLines`. */
export function skipBlanks(text: string, from: number, overLines: boolean): number {
  let at = from;
  while (at - from < 64 && (overLines ? isSpace(text.charCodeAt(at)) : isBlank(text.charCodeAt(at)))) at++;
  return at;
}
