import { markEnd } from '../marks.js';
import { staysUnderKey } from '../values/placeholders.js';
import { bareEnd } from './bare-value.js';
import { isBlank, isName, isQuote, runEnd, startsWithWord } from './chars.js';
import { quoteAt, quotedEnd } from './quoted.js';
import type { TextRule, TextScan } from './rule.js';
import { quotedSecrets } from './spellings.js';

const LONGEST_NAME = 64;
const LONGEST_CONTENT = 4096;

function element(scan: TextScan, at: number): number {
  const { text } = scan;
  let start = at;
  while (at - start < LONGEST_NAME && isName(text.charCodeAt(start - 1))) start--;
  if (start === at || text.charAt(start - 1) !== '<') return at;
  const name = text.slice(start, at);
  const kind = scan.rules.kindOf(name);
  if (kind === null) return at;
  const end = runEnd(text, at + 1, at + 1 + LONGEST_CONTENT, (code) => code !== 0x3c && !Number.isNaN(code));
  if (!text.startsWith(`</${name}>`, end)) return at;
  const value = text.slice(at + 1, end).trim();
  if (staysUnderKey(value)) return end;
  scan.found.push({ start: at + 1, end, rule: `text.${kind}`, secrets: [value] });
  return end;
}

/** `<password>value</password>`. */
export const markupElements: TextRule = { name: 'text.element', triggers: '>', atTokenStart: false, match: element };

const BEFORE_LITERAL = ['identified by', 'password'] as const;
const STATEMENT = /\b(?:user|role|login|server|grant)\b/i;
const NETRC = /\blogin\s{1,8}\S{1,100}\s{1,8}$/;
const LOOKED_BACK = 160;
const BACKTICK = 0x60;

/** `machine x login ann password FAKE` in a netrc file: the word behind `password`. */
function netrcValue(scan: TextScan, at: number, from: number): number {
  const { text } = scan;
  const start = runEnd(text, from, from + 4, isBlank);
  if (start === from || !NETRC.test(text.slice(Math.max(0, at - LOOKED_BACK), at))) return at;
  const end = bareEnd(text, start);
  const value = text.slice(start, end);
  if (staysUnderKey(value) || markEnd(text, start) > start) return start;
  scan.found.push({ start, end, rule: 'text.password', secrets: [value] });
  return end;
}

function literal(scan: TextScan, at: number): number {
  const { text } = scan;
  const words = BEFORE_LITERAL.find((candidate) => startsWithWord(text, candidate, at));
  if (words === undefined) return at;
  const from = at + words.length;
  const start = runEnd(text, from, from + 4, isBlank);
  const quote = start === from || !isQuote(text.charCodeAt(start)) ? null : quoteAt(text, start);
  if (quote === null) return netrcValue(scan, at, from);
  if (quote.code === BACKTICK || !STATEMENT.test(text.slice(Math.max(0, at - LOOKED_BACK), at))) return at;
  const { valueEnd, end, isClosed } = quotedEnd(text, quote);
  const value = text.slice(quote.end, valueEnd);
  if (!isClosed || value.length > 256 || staysUnderKey(value)) return quote.end;
  scan.found.push({ start: quote.end, end: valueEnd, rule: 'text.password', secrets: quotedSecrets(value) });
  return end;
}

/** SQL: `ALTER USER x PASSWORD '…'`, `IDENTIFIED BY '…'`; and netrc files. */
export const passwordLiterals: TextRule = { name: 'text.literal', triggers: 'pPiI', atTokenStart: true, match: literal };
