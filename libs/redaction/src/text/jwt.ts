import { isWord, runEnd } from './chars.js';
import type { TextRule, TextScan } from './rule.js';

const isBase64Url = (code: number): boolean => isWord(code) || code === 0x2d;
const DOT = 0x2e;

/** Header, payload and signature (RFC 7519), or the first two where the text was cut behind them; five parts for JWE. */
function match(scan: TextScan, at: number): number {
  const { text } = scan;
  if (!text.startsWith('eyJ', at)) return at;
  const header = runEnd(text, at, text.length, isBase64Url);
  if (header - at < 10 || text.charCodeAt(header) !== DOT) return header;
  const payload = runEnd(text, header + 1, text.length, isBase64Url);
  const isSigned = text.charCodeAt(payload) === DOT && payload - header > 4;
  if (!isSigned && !text.startsWith('eyJ', header + 1)) return header;
  let end = payload;
  for (let part = 0; isSigned && part < 3 && text.charCodeAt(end) === DOT; part++) {
    const next = runEnd(text, end + 1, text.length, isBase64Url);
    if (next === end + 1 && part > 0) break;
    end = next;
  }
  scan.found.push({ start: at, end, rule: 'jwt' });
  return end;
}

/** JSON Web Tokens. */
export const jsonWebTokens: TextRule = { name: 'jwt', triggers: 'e', atTokenStart: true, match };
