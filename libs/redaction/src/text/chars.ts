// One table instead of many comparisons: these questions are asked for every character of every text.
const WORD = 1;
const SPACE = 2;
const DIGIT = 4;
const UPPER = 8;
const LOWER = 16;
const BASE64 = 32;
const NAME = 64;

const TABLE = new Uint8Array(128);

function mark(characters: string, bits: number): void {
  for (let at = 0; at < characters.length; at++) {
    const code = characters.charCodeAt(at);
    TABLE[code] = (TABLE[code] ?? 0) | bits;
  }
}

const UPPER_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER_LETTERS = UPPER_LETTERS.toLowerCase();
mark(UPPER_LETTERS, WORD | UPPER | BASE64 | NAME);
mark(LOWER_LETTERS, WORD | LOWER | BASE64 | NAME);
mark('0123456789', WORD | DIGIT | BASE64 | NAME);
mark('_', WORD | NAME);
mark('-.$', NAME);
mark('+/=', BASE64);
mark(' \t\n\r\f\v', SPACE);

// Behind the end charCodeAt is NaN, which is not below anything.
const has = (code: number, bits: number): boolean => code < 128 && ((TABLE[code] ?? 0) & bits) !== 0;

/** A-Z, a-z, 0-9 and the underscore. */
export const isWord = (code: number): boolean => has(code, WORD);
export const isDigit = (code: number): boolean => has(code, DIGIT);
export const isUpper = (code: number): boolean => has(code, UPPER);
export const isLower = (code: number): boolean => has(code, LOWER);
export const isLetter = (code: number): boolean => has(code, UPPER | LOWER);
export const isAlnum = (code: number): boolean => has(code, UPPER | LOWER | DIGIT);
/** The standard alphabet of RFC 4648 with its padding. */
export const isBase64 = (code: number): boolean => has(code, BASE64);
/** What names of settings, headers and variables are made of. */
export const isName = (code: number): boolean => has(code, NAME);
/**
 * White space that ends no line: all that Unicode, Python or JavaScript take for it, and what shows as nothing at all. Who writes a secret
 * may have copied it from a page or a document, and somewhere a pattern's `\s` took it for a blank.
 */
export const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x09 || (code > 0x7f ? isWideBlank(code) : code === 0x0b || code === 0x0c || (code >= 0x1c && code <= 0x1f));
const isWideBlank = (code: number): boolean =>
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x3000 ||
  code === 0xfeff ||
  code === 0x1680 ||
  (code >= 0x2000 && (code <= 0x200b || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f));
/** The same as a class of characters, for patterns. */
export const BLANK_CLASS = '[ \\t\\v\\f\\x1c-\\x1f\\x85\\xa0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
/** All white space. */
export const isSpace = (code: number): boolean => has(code, SPACE) || isBlank(code);
export const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d;
export const isHex = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
/** The three characters that quote. */
export const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60;

export const BACKSLASH = 0x5c;
/** The colon and the equals sign of East Asian keyboards as those of ASCII; any other as it is. */
export const plainSign = (code: number): number => (code === 0xff1a ? COLON : code === 0xff1d ? EQUALS : code);

export const COLON = 0x3a;
export const EQUALS = 0x3d;
export const HYPHEN = 0x2d;
export const SLASH = 0x2f;

const ESCAPED_SPACES = 'nrtbf';

/** How many backslashes stand right before `at`. Looks at no more than `most`. */
export function backslashesBefore(text: string, at: number, most = 256): number {
  let count = 0;
  while (count < most && text.charCodeAt(at - count - 1) === BACKSLASH) count++;
  return count;
}

/** The end of a terminal's colour code whose `m` stands right before `at`. */
function followsColour(text: string, at: number): boolean {
  let from = at - 2;
  while (from > at - 10 && (isDigit(text.charCodeAt(from)) || text.charCodeAt(from) === 0x3b)) from--;
  return text.charCodeAt(from) === 0x5b;
}

/**
 * Whether a token may begin at `at`: no word character stands before it, or one that is the end of an escape (`\n`,
 * `%20`, `\u0022`) or of a terminal's colour code, since texts also come with their escapes.
 */
export function boundaryBefore(text: string, at: number): boolean {
  const previous = text.charCodeAt(at - 1);
  if (at === 0 || !isWord(previous)) return true;
  if (ESCAPED_SPACES.includes(text.charAt(at - 1)) && text.charCodeAt(at - 2) === BACKSLASH) return true;
  if (previous === 0x6d) return followsColour(text, at);
  if (!isHex(previous) || !isHex(text.charCodeAt(at - 2))) return false;
  if (text.charCodeAt(at - 3) === 0x25) return true;
  return text.charCodeAt(at - 5) === 0x75 && text.charCodeAt(at - 6) === BACKSLASH;
}

/** Whether a token may end before `at`. */
export const boundaryAfter = (text: string, at: number): boolean => !isWord(text.charCodeAt(at));

/** The first offset from `from` on, at most `end`, where the character is none that `accepts` takes. */
export function runEnd(text: string, from: number, end: number, accepts: (code: number) => boolean): number {
  let at = from;
  while (at < end && accepts(text.charCodeAt(at))) at++;
  return at;
}

/** Whether `text` has `word` (given in lower-case ASCII) at `at`, in any case. */
export function startsWithWord(text: string, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = text.charCodeAt(at + index);
    if ((isUpper(code) ? code | 0x20 : code) !== word.charCodeAt(index)) return false;
  }
  return true;
}
