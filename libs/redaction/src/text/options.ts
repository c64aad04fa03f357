import { markEnd } from '../marks.js';
import { basicPassword } from '../values/decode.js';
import { isOptionProse, isRedacted, isReference, staysUnderKey } from '../values/placeholders.js';
import { bareEnd, hasSubstance } from './bare-value.js';
import { COLON, HYPHEN, isAlnum, isBlank, isDigit, isSpace, runEnd } from './chars.js';
import { quoteAt, quotedEnd } from './quoted.js';
import type { TextRule, TextScan } from './rule.js';
import { bareSecrets, quotedSecrets } from './spellings.js';

const LONGEST_OPTION = 64;
const LOOKED_BACK = 512;

const isOptionCharacter = (code: number): boolean => isAlnum(code) || code === HYPHEN || code === 0x5f;

interface Argument {
  readonly start: number;
  readonly end: number;
  readonly next: number;
  readonly isQuoted: boolean;
}

/** The argument behind blanks at `from`, quoted or bare; null if there is none. */
function argumentAt(text: string, from: number): Argument | null {
  const start = runEnd(text, from, from + 8, isBlank);
  const quote = quoteAt(text, start);
  if (quote !== null) {
    const { valueEnd, end } = quotedEnd(text, quote);
    return { start: quote.end, end: valueEnd, next: end, isQuoted: true };
  }
  const end = bareEnd(text, start);
  return end === start ? null : { start, end, next: end, isQuoted: false };
}

function option(scan: TextScan, at: number): number {
  const { text } = scan;
  if (text.charCodeAt(at + 1) !== HYPHEN || text.charCodeAt(at + 2) === HYPHEN || text.charCodeAt(at - 1) === HYPHEN) return at;
  const end = runEnd(text, at + 2, at + 2 + LONGEST_OPTION, isOptionCharacter);
  if (!isBlank(text.charCodeAt(end))) return at;
  const kind = scan.rules.kindOf(text.slice(at + 2, end));
  if (kind === null || kind === 'auth') return at;
  const start = runEnd(text, end, end + 8, isBlank);
  if (text.charCodeAt(start) === HYPHEN || markEnd(text, start) > start) return end;
  const argument = argumentAt(text, end);
  if (argument === null) return end;
  const value = text.slice(argument.start, argument.end);
  const isProse = !argument.isQuoted && (isOptionProse(value) || value.startsWith('id='));
  if (isProse || staysUnderKey(value) || !hasSubstance(text, argument.start, argument.end)) return argument.next;
  const secrets = argument.isQuoted ? quotedSecrets(value) : bareSecrets(value);
  scan.found.push({ start: argument.start, end: argument.end, rule: `option.${kind}`, secrets });
  return argument.next;
}

/** `--password value`. With an equals sign it is an assignment. */
export const secretOptions: TextRule = { name: 'option', triggers: '-', atTokenStart: false, match: option };

const USER_OPTIONS = /(?:-u|-U|--user|--proxy-user)(?=[ \t"'])/y;

const CLIENT = /(?:curl|wget|https?|xh)(?:\.exe)?(?=\s)/y;

function client(scan: TextScan, at: number): number {
  const second = scan.text.charCodeAt(at + 1);
  if (second !== 0x75 && second !== 0x67 && second !== 0x74 && second !== 0x68) return at;
  CLIENT.lastIndex = at;
  if (CLIENT.test(scan.text)) scan.clientAt = at;
  return at;
}

/** Remembers where a command stands that takes `-u user:password`. Elsewhere `-u` is something else. */
export const httpClients: TextRule = { name: 'client', triggers: 'cwhx', atTokenStart: true, match: client };

function user(scan: TextScan, at: number): number {
  const { text } = scan;
  USER_OPTIONS.lastIndex = at;
  if (!isSpace(text.charCodeAt(at - 1)) || !USER_OPTIONS.test(text) || at - scan.clientAt > LOOKED_BACK) return at;
  const argument = argumentAt(text, USER_OPTIONS.lastIndex);
  if (argument === null) return at;
  const password = userPassword(text.slice(argument.start, argument.end));
  if (password === null) return argument.next;
  const start = argument.end - password.length;
  scan.found.push({ start, end: argument.end, rule: 'option.user', secrets: [password] });
  return argument.next;
}

/** The first colon that belongs to no mark: those have colons of their own. -1 if there is none. */
function colonOutsideMarks(value: string): number {
  let at = 0;
  while (at < value.length) {
    if (value.charCodeAt(at) === COLON) return at;
    at = Math.max(at + 1, markEnd(value, at));
  }
  return -1;
}

/** The password of `user:password`; null if there is none, or for the two numbers of user and group. */
export function userPassword(value: string): string | null {
  const colon = colonOutsideMarks(value);
  const password = value.slice(colon + 1);
  if (colon < 1 || password === '' || isReference(password) || isRedacted(password) || password.startsWith('//')) return null;
  const isNumeric = (text: string): boolean => runEnd(text, 0, text.length, isDigit) === text.length;
  return isNumeric(value.slice(0, colon)) && isNumeric(password) ? null : password;
}

/** `curl -u user:password`. */
export const curlUsers: TextRule = { name: 'option.user', triggers: '-', atTokenStart: false, match: user };

/** Whether a value is `user:password` in base64, as `auth` members of registries have it. */
export const isBasicPair = (value: string): boolean => basicPassword(value) !== null;
