import { isReference, isRedacted } from '../values/placeholders.js';
import { percentDecoded } from '../values/decode.js';
import { BACKSLASH, COLON, isAlnum, isDigit, isLetter, isQuote, isSpace, runEnd, SLASH } from './chars.js';
import type { Finding, TextRule, TextScan } from './rule.js';

const LONGEST_AUTHORITY = 512;
const LOOKED_PAST_SLASH = 128;

/** After `:`, the two slashes, each perhaps escaped as `\/`; -1 if they are not there. */
function authorityStart(text: string, at: number): number {
  let from = at + 1;
  for (let slash = 0; slash < 2; slash++) {
    from = runEnd(text, from, from + 16, (code) => code === BACKSLASH);
    if (text.charCodeAt(from) !== SLASH) return -1;
    from++;
  }
  return from;
}

const endsUrl = (code: number): boolean => isSpace(code) || isQuote(code) || code === 0x3c || code === 0x3e || Number.isNaN(code);
const endsAuthority = (code: number): boolean => endsUrl(code) || code === SLASH || code === 0x3f || code === 0x23;

/** The last `@` of the authority, or -1. A password may hold a slash that should have been escaped. */
function atSignOf(text: string, from: number): { sign: number; colon: number } {
  const end = runEnd(text, from, from + LONGEST_AUTHORITY, (code) => !endsAuthority(code));
  const authority = text.slice(from, end);
  const colon = authority.indexOf(':');
  const sign = authority.lastIndexOf('@');
  if (sign !== -1) return { sign: from + sign, colon: colon !== -1 && colon < sign ? from + colon : -1 };
  if (colon === -1 || isDigit(authority.charCodeAt(colon + 1))) return { sign: -1, colon: -1 };
  const further = text.slice(
    end,
    runEnd(text, end, end + LOOKED_PAST_SLASH, (code) => !endsUrl(code)),
  );
  const late = further.indexOf('@');
  return { sign: late === -1 || further.includes('://') ? -1 : end + late, colon: from + colon };
}

/** A user name that is no name: a token in the place of the user. */
function isToken(user: string): boolean {
  return user.length >= 16 && /[0-9]/.test(user) && /[A-Za-z]/.test(user) && /^[A-Za-z0-9_~+/=.-]+$/.test(user);
}

function passwordOf(text: string, start: number, end: number, rule: string): Finding | null {
  const value = text.slice(start, end);
  if (value === '' || isReference(value) || isRedacted(value)) return null;
  const decoded = percentDecoded(value);
  return { start, end, rule, secrets: decoded === null ? [value] : [value, decoded] };
}

function userInfo(scan: TextScan, at: number): number {
  const { text } = scan;
  const from = authorityStart(text, at);
  if (from === -1 || !isAlnum(text.charCodeAt(at - 1))) return at;
  const { sign, colon } = atSignOf(text, from);
  if (sign === -1) return from;
  let finding: Finding | null = null;
  if (colon !== -1) finding = passwordOf(text, colon + 1, sign, 'url.password');
  else if (isToken(text.slice(from, sign))) finding = passwordOf(text, from, sign, 'url.user');
  if (finding === null) return from;
  scan.found.push(finding);
  return sign;
}

/** `scheme://user:password@host` (RFC 3986, userinfo), and a token in the place of the user. */
export const urlPasswords: TextRule = { name: 'url', triggers: ':', atTokenStart: false, match: userInfo };

const SIGNED = /[?&;](?:sig|X-Amz-Signature|X-Amz-Credential|X-Goog-Signature|X-Amz-Security-Token)=([A-Za-z0-9%+/=_.~-]{8,2048})/iy;

function signature(scan: TextScan, at: number): number {
  SIGNED.lastIndex = at;
  const value = SIGNED.exec(scan.text)?.[1];
  if (value === undefined) return at;
  const end = SIGNED.lastIndex;
  scan.found.push({ start: end - value.length, end, rule: 'url.signature' });
  return end;
}

/** Signatures of presigned URLs: who holds one may do what it signs. */
export const urlSignatures: TextRule = { name: 'url.signature', triggers: '?&;', atTokenStart: false, match: signature };

const HOOK =
  /hooks\.slack\.com\/services\/([A-Za-z0-9/]{16,200})|discord(?:app)?\.com\/api\/webhooks\/[0-9]{1,30}\/([A-Za-z0-9_-]{16,200})/y;

function webhook(scan: TextScan, at: number): number {
  if (!scan.text.startsWith('hooks.slack', at) && !scan.text.startsWith('discord', at)) return at;
  HOOK.lastIndex = at;
  const hit = HOOK.exec(scan.text);
  const value = hit?.[1] ?? hit?.[2];
  if (value === undefined) return at;
  const end = HOOK.lastIndex;
  scan.found.push({ start: end - value.length, end, rule: 'url.webhook' });
  return end;
}

/** Webhook addresses whose path is the secret. */
export const webhooks: TextRule = { name: 'url.webhook', triggers: 'hd', atTokenStart: true, match: webhook };

const BOT = /:AA[A-Za-z0-9_-]{30,40}(?![A-Za-z0-9_-])/y;

/** Telegram: 8 to 10 digits, a colon, and 35 characters of which the first two are AA. */
function telegram(scan: TextScan, at: number): number {
  const { text } = scan;
  BOT.lastIndex = at;
  if (!isDigit(text.charCodeAt(at - 1)) || text.charCodeAt(at) !== COLON || !BOT.test(text)) return at;
  let start = at;
  while (at - start < 12 && isDigit(text.charCodeAt(start - 1))) start--;
  if (at - start < 8 || (isLetter(text.charCodeAt(start - 1)) && !text.startsWith('bot', start - 3))) return at;
  scan.found.push({ start, end: BOT.lastIndex, rule: 'token.telegram' });
  return BOT.lastIndex;
}

/** Bot tokens of Telegram, which are marked by their form alone. */
export const botTokens: TextRule = { name: 'token.telegram', triggers: ':', atTokenStart: false, match: telegram };
