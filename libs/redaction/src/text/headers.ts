import { basicPassword } from '../values/decode.js';
import { isPlainWord, isRedacted, staysUnderKey } from '../values/placeholders.js';
import { bareEnd } from './bare-value.js';
import { backslashesBefore, BLANK_CLASS, EQUALS, isBlank, isLineEnd, isQuote, runEnd } from './chars.js';
import { keyHeaderIn } from './pem.js';
import { quoteBefore } from './quoted.js';
import type { TextScan } from './rule.js';
import { cookieSecrets } from './spellings.js';

const ONE_TOKEN = new RegExp(`(?:bearer|basic|token|apikey|api-key|key|negotiate|ntlm|jwt|sso-key|aad)(?=${BLANK_CLASS})`, 'iy');
// A scheme whose parameters went out.
const MARKED = new RegExp(`[A-Za-z][A-Za-z0-9-]{0,24}${BLANK_CLASS}{1,4}(?=\\[redacted:)`, 'y');
const SCHEME = new RegExp(`[A-Za-z][A-Za-z0-9-]{0,24}(?=${BLANK_CLASS}{1,4}[A-Za-z0-9_-]{1,40}=)`, 'y');
const COOKIE = /[^\s=;,"']{1,128}=/y;
const LONGEST = 16 * 1024;

/**
 * The end of a header's value: of its line, or before the quote that the whole header stands in. Quotes of parameters,
 * `name="…"`, belong to the value.
 */
function lineValueEnd(text: string, keyStart: number, from: number): number {
  const enclosing = quoteBefore(text, keyStart);
  let at = from;
  while (at < text.length && at - from < LONGEST && !isLineEnd(text.charCodeAt(at))) {
    if (isQuote(text.charCodeAt(at))) {
      const slashes = backslashesBefore(text, at, at - from);
      const isClosing = enclosing?.code === text.charCodeAt(at) && slashes <= enclosing.backslashes;
      const isParameter = text.charCodeAt(at - slashes - 1) === EQUALS;
      if (isClosing || (enclosing === null && !isParameter)) {
        at -= slashes;
        break;
      }
      if (isParameter) at = parameterEnd(text, at);
    }
    at++;
  }
  let end = Math.min(at, text.length);
  while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}

/** The closing quote of a parameter `name="…"`, whose opening one is at `at`; `at` if the line ends before. */
function parameterEnd(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  const end = runEnd(text, at + 1, at + 4096, (code) => code !== quote && !isLineEnd(code) && !Number.isNaN(code));
  return text.charCodeAt(end) === quote ? end : at;
}

function push(scan: TextScan, kind: string, from: number, end: number, secrets: readonly string[]): number {
  const content = scan.text.slice(from, end);
  if (content === '' || isRedacted(content)) return end;
  scan.found.push({ start: from, end, rule: `header.${kind}`, secrets });
  const key = keyHeaderIn(scan.text, from, end);
  return key === -1 ? end : key;
}

function authorization(scan: TextScan, keyStart: number, from: number): number {
  const { text } = scan;
  ONE_TOKEN.lastIndex = from;
  if (ONE_TOKEN.test(text)) {
    const start = runEnd(text, ONE_TOKEN.lastIndex, ONE_TOKEN.lastIndex + 4, isBlank);
    const end = bareEnd(text, start);
    const token = text.slice(start, end);
    if (isPlainWord(token) || staysUnderKey(token.replace(/[.,;:]{1,4}$/, ''))) return end;
    const password = basicPassword(token);
    return push(scan, 'authorization', start, end, password === null ? [token] : [token, password]);
  }
  MARKED.lastIndex = from;
  if (MARKED.test(text)) return MARKED.lastIndex;
  SCHEME.lastIndex = from;
  if (!SCHEME.test(text)) return from;
  const start = runEnd(text, SCHEME.lastIndex, SCHEME.lastIndex + 4, isBlank);
  const end = lineValueEnd(text, keyStart, start);
  return push(scan, 'authorization', start, end, parameterSecrets(text.slice(start, end)));
}

/** The values of `a="x", b=y` that are long enough to be told from words. */
function parameterSecrets(content: string): string[] {
  const secrets: string[] = [];
  for (const hit of content.slice(0, 4096).matchAll(/=["']?([A-Za-z0-9+/=_.:-]{16,512})/g)) if (hit[1] !== undefined) secrets.push(hit[1]);
  return secrets;
}

/**
 * The value of an Authorization or Cookie header in text, which holds blanks, commas and semicolons. The scheme's name stays.
 *
 * @returns where to go on; `from` if this does not read like such a value
 */
export function headerValue(scan: TextScan, kind: 'authorization' | 'cookie', keyStart: number, from: number): number {
  if (kind === 'authorization') return authorization(scan, keyStart, from);
  COOKIE.lastIndex = from;
  if (!COOKIE.test(scan.text)) return from;
  const end = lineValueEnd(scan.text, keyStart, from);
  return push(scan, 'cookie', from, end, cookieSecrets(scan.text.slice(from, end)));
}
