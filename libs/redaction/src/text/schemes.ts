import { basicPassword } from '../values/decode.js';
import { isPlainWord } from '../values/placeholders.js';
import { isAlnum, isBlank, runEnd, startsWithWord } from './chars.js';
import type { TextRule, TextScan } from './rule.js';

const LEAST = 8;

/** token68 of RFC 9110, with the underscore of base64url among it. */
export const isToken68 = (code: number): boolean =>
  isAlnum(code) || code === 0x2d || code === 0x2e || code === 0x5f || code === 0x7e || code === 0x2b || code === 0x2f || code === 0x3d;

function valueStart(text: string, from: number): number {
  const start = runEnd(text, from, from + 4, isBlank);
  return start === from ? -1 : start;
}

function match(scan: TextScan, at: number): number {
  const { text } = scan;
  const isBearer = startsWithWord(text, 'bearer', at);
  if (!isBearer && !startsWithWord(text, 'basic', at)) return at;
  const start = valueStart(text, at + (isBearer ? 'bearer' : 'basic').length);
  if (start === -1) return at;
  const end = runEnd(text, start, text.length, isToken68);
  const value = text.slice(start, end);
  if (value.length < LEAST || isPlainWord(value)) return at;
  if (isBearer) {
    scan.found.push({ start, end, rule: 'bearer' });
    return end;
  }
  // "Basic" is a word of every language; only a value that holds user:password is a secret.
  const password = basicPassword(value);
  if (password === null) return end;
  scan.found.push({ start, end, rule: 'basic', secrets: [value, password] });
  return end;
}

/** `Bearer <token>` and `Basic <user:password in base64>` wherever they stand. */
export const bareSchemes: TextRule = { name: 'bearer', triggers: 'bB', atTokenStart: true, match };
