import { isAlnum, isDigit, isLower, isUpper, runEnd } from './chars.js';
import type { Span, TextRule, TextScan } from './rule.js';

const KEY_ID = /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,24}(?![A-Za-z0-9_])/y;
const SECRET_LENGTH = 40;

function match(scan: TextScan, at: number): number {
  KEY_ID.lastIndex = at;
  if (!KEY_ID.test(scan.text)) return at;
  scan.found.push({ start: at, end: KEY_ID.lastIndex, rule: 'aws.key_id' });
  scan.awsKeyId = true;
  return KEY_ID.lastIndex;
}

/** Key ids of AWS. */
export const awsKeyIds: TextRule = { name: 'aws.key_id', triggers: 'A', atTokenStart: true, match };

const isSecretCharacter = (code: number): boolean => isAlnum(code) || code === 0x2f || code === 0x2b;

/** Forty characters with capitals, small letters and digits. A hash in hex has no capitals beside small letters. */
function looksRandom(text: string, from: number, to: number): boolean {
  let upper = 0;
  let lower = 0;
  let other = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (isUpper(code)) upper++;
    else if (isLower(code)) lower++;
    else if (isDigit(code) || code === 0x2f || code === 0x2b) other++;
  }
  return upper >= 3 && lower >= 3 && other >= 1;
}

/**
 * Secret keys of AWS, which have no mark of their own: tokens of exactly 40 characters. Only asked where the record holds
 * a key id.
 */
export function findAwsSecrets(text: string): Span[] {
  const found: Span[] = [];
  for (let at = 0; at + SECRET_LENGTH <= text.length; at++) {
    if (!isSecretCharacter(text.charCodeAt(at))) continue;
    const end = runEnd(text, at, text.length, isSecretCharacter);
    if (end - at === SECRET_LENGTH && looksRandom(text, at, end)) found.push({ start: at, end, rule: 'aws.secret_key' });
    at = end;
  }
  return found;
}
