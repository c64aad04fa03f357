import { isAlnum, isQuote, isSpace, BACKSLASH } from './chars.js';

const OPENERS = '([{<';
const CLOSERS = ')]}>';
// The stops of Chinese and Japanese, and typographic quotes.
const WIDE_STOPS = '，。；、）」』“”‘’';

/** Characters that end a bare value: white space, quotes, `&`, `;`, `,`. */
function stops(text: string, at: number, code: number): boolean {
  if (isSpace(code) || isQuote(code) || code === 0x26 || code === 0x3b || code === 0x2c) return true;
  if (code === 0x3c) return text.charCodeAt(at + 1) === 0x2f;
  return code > 0x7f && WIDE_STOPS.includes(String.fromCharCode(code));
}

// In a value that is longer, brackets are nothing that is closed soon.
const MOST_LOOKED_AT = 512;

/** Counts the brackets of a value as it is walked over. */
class Brackets {
  private readonly open = [0, 0, 0, 0];

  /** Whether the bracket at `at` closes what the value did not open, with no letter or digit behind it. */
  endsValue(text: string, at: number): boolean {
    const character = text.charAt(at);
    const opener = OPENERS.indexOf(character);
    if (opener !== -1) this.open[opener] = (this.open[opener] ?? 0) + 1;
    const closer = CLOSERS.indexOf(character);
    if (closer === -1) return false;
    const count = this.open[closer] ?? 0;
    if (count === 0) return !isAlnum(text.charCodeAt(at + 1));
    this.open[closer] = count - 1;
    return false;
  }
}

/**
 * The end of a bare value at `from`: no quote is in it, no backslash that belongs to a quote, and no bracket at its end that closes
 * what stands around it: `(password=x)`, `{a=b, token=x}`, `f(token: x): void`.
 */
export function bareEnd(text: string, from: number): number {
  const brackets = new Brackets();
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (stops(text, at, code)) break;
    if (isAlnum(code)) {
      at++;
    } else if (code === BACKSLASH) {
      let after = at;
      while (text.charCodeAt(after) === BACKSLASH) after++;
      if (isQuote(text.charCodeAt(after))) break;
      at = after;
    } else {
      if (at - from < MOST_LOOKED_AT && brackets.endsValue(text, at)) break;
      at++;
    }
  }
  return at;
}

/** Whether anything in the value is a letter or a digit. */
export function hasSubstance(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isAlnum(code) || code >= 0xc0) return true;
  }
  return false;
}
