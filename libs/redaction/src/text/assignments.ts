import type { SecretKind } from '../keys/secret-keys.js';
import { markEnd } from '../marks.js';
import { isPath, isPlainWord, isProseWord, isRedacted, isReference, staysUnderKey } from '../values/placeholders.js';
import { bareEnd, hasSubstance } from './bare-value.js';
import { COLON, EQUALS, isBlank, isLetter, isLineEnd, isQuote, plainSign, SLASH } from './chars.js';
import { groupEnd } from './groups.js';
import { headerValue } from './headers.js';
import type { KeyBefore } from './key-before.js';
import { keyBefore, skipBlanks } from './key-before.js';
import { listedName } from './listed-name.js';
import { isBasicPair } from './options.js';
import { keyHeaderIn } from './pem.js';
import { callLength, isProgramText, isProgramWord } from './program-text.js';
import { quoteAt, quotedEnd } from './quoted.js';
import type { TextRule, TextScan } from './rule.js';
import { bareSecrets, cookieSecrets, groupSecrets, quotedSecrets } from './spellings.js';

/** An assignment under a secret key: where its parts are. */
interface Assignment {
  readonly key: KeyBefore;
  readonly kind: SecretKind;
  /** Where the value begins. */
  readonly from: number;
  readonly isColon: boolean;
  /** `==`, `===`, `!=`: compared, not assigned. */
  readonly isComparison: boolean;
  /** Blanks around the sign, as code and prose have them, and shells and URLs don't. */
  readonly isSpaced: boolean;
  /** `=>`. */
  readonly isArrow: boolean;
}

const BACKTICK = 0x60;
// What is shorter is a number or a parameter's name, and too short to be a secret.
const LEAST_BARE = 3;
const TYPE_THEN_VALUE = /[A-Za-z0-9_.<>[\]|?, ]{0,60}=(?![=>])/y;
const isPathKind = (kind: SecretKind, key: string): boolean => kind === 'password' && /^(?:.*[^A-Za-z])?(?:old)?pwd$/i.test(key.slice(-16));

function assignmentAt(scan: TextScan, at: number): Assignment | null {
  const { text } = scan;
  const isColon = plainSign(text.charCodeAt(at)) === COLON;
  let from = at + 1;
  const next = text.charCodeAt(from);
  if (isColon && (next === COLON || text.charCodeAt(at - 1) === COLON || (next === SLASH && text.charCodeAt(from + 1) === SLASH)))
    return null;
  const before = text.charCodeAt(at - 1);
  const isNegated = before === 0x21;
  const key = keyBefore(text, isNegated ? at - 1 : at, scan.rules.mayEndName, !isColon);
  if (key === null) return null;
  const kind = scan.rules.kindOf(key.name) ?? listedName(text, key, scan.rules);
  if (kind === null) return null;
  let signs = 0;
  while (signs < 2 && text.charCodeAt(from) === EQUALS) {
    from++;
    signs++;
  }
  const isArrow = !isColon && signs === 0 && text.charCodeAt(from) === 0x3e;
  if (isArrow) from++;
  const isComparison = isNegated || (!isColon && signs > 0);
  const start = skipBlanks(text, from, key.quote !== null || isPlainEquals(isColon, isComparison, isArrow));
  const isSpaced = start > from || isBlank(before);
  return { key, kind, from: start, isColon, isComparison, isSpaced, isArrow };
}

/** One equals sign by itself: its value may stand on the next line. */
const isPlainEquals = (isColon: boolean, isComparison: boolean, isArrow: boolean): boolean => !isColon && !isComparison && !isArrow;

/** `token: str = "…"`: the type stays, and the value behind it is judged. */
function behindType(scan: TextScan, assignment: Assignment, end: number): number {
  TYPE_THEN_VALUE.lastIndex = end;
  if (!assignment.isColon || !TYPE_THEN_VALUE.test(scan.text)) return end;
  const from = skipBlanks(scan.text, TYPE_THEN_VALUE.lastIndex, false);
  return value(scan, { ...assignment, from, isColon: false });
}

/** `'password:', x` and `"password: " + x`: the quote behind the sign closes what the key stands in. */
function closesKey(text: string, key: KeyBefore, end: number): boolean {
  return key.quote === null && /^(?:$|[\s,;)\]}+])/.test(text.slice(end, end + 1));
}

/** The `b` and the like in front of a quoted literal. */
function prefixLength(text: string, from: number): number {
  return /^[bBrRuUfF]{1,2}(?=["'][^\s,;)\]}+])/.exec(text.slice(from, from + 4))?.[0].length ?? 0;
}

function quoted(scan: TextScan, assignment: Assignment, from: number, isArgument: boolean): number {
  const { text } = scan;
  const opening = quoteAt(text, from);
  if (opening === null || closesKey(text, assignment.key, opening.end)) return from;
  const { valueEnd, end } = quotedEnd(text, opening);
  const content = text.slice(opening.end, valueEnd);
  const isName = isArgument && (scan.rules.kindOf(content) !== null || /^[A-Z][A-Z0-9_]*$/.test(content));
  const isTemplate = opening.code === BACKTICK && content.includes('${');
  if (staysUnderKey(content) || isName || isTemplate || (isPathKind(assignment.kind, assignment.key.name) && isPath(content))) return end;
  if (assignment.kind === 'auth' && !isBasicPair(content)) return end;
  const secrets = assignment.kind === 'cookie' ? cookieSecrets(content) : quotedSecrets(content);
  scan.found.push({ start: opening.end, end: valueEnd, rule: `text.${assignment.kind}`, secrets });
  return goOn(text, opening.end, end);
}

/** "password: required", "the secret: we use it": a sentence goes on behind the colon. */
function isProse(text: string, assignment: Assignment, value: string, end: number): boolean {
  if (!assignment.isColon || assignment.key.quote !== null || !assignment.isSpaced) return false;
  if (isProseWord(value.replace(/[.!?:]$/, ''))) return true;
  const isWord = isPlainWord(value) || /^[A-Za-z]{1,4}$/.test(value);
  return isWord && isBlank(text.charCodeAt(end)) && isLetter(text.charCodeAt(end + 1));
}

/** The quotes of the key, for a mark in the place of a value that has none: `"token":12345`. */
function quotesOf(text: string, { quote }: KeyBefore): { around?: string } {
  return quote === null ? {} : { around: text.slice(quote.start, quote.end) };
}

/** After a value, or at a private key that begins in it and may go on behind it. */
function goOn(text: string, from: number, end: number): number {
  const key = keyHeaderIn(text, from, end);
  return key === -1 ? end : key;
}

function bare(scan: TextScan, assignment: Assignment): number {
  const { text } = scan;
  const { from, key, kind } = assignment;
  // Looked at first, and briefly: what is not consumed below must not be walked over to its end.
  const call = callLength(text.slice(from, from + 120));
  if (call > 0) return isQuote(text.charCodeAt(from + call)) ? quoted(scan, assignment, from + call, true) : from;
  const end = bareEnd(text, from);
  const content = text.slice(from, end);
  if (isProse(text, assignment, content, end)) return from;
  const word = /^<?([A-Za-z]{1,20})(?=$|[[<>(|?.])/.exec(content.slice(0, 22))?.[1] ?? content;
  if (staysUnderKey(word)) return behindType(scan, assignment, end);
  const context = { ...assignment, key: key.name };
  if (isProgramText(text, from, end, context) || (isPathKind(kind, key.name) && isPath(content))) return end;
  if (end - from < LEAST_BARE || !hasSubstance(text, from, end) || isReference(content) || isRedacted(content)) return end;
  // A bare word may be a name after all: it goes out here, but is not looked for everywhere.
  const secrets = isProgramWord(content) ? [] : bareSecrets(content);
  scan.found.push({ start: from, end, rule: `text.${kind}`, secrets, ...quotesOf(text, key) });
  return goOn(text, from, end);
}

/** Judges the value of an assignment. Returns where to go on. */
function value(scan: TextScan, assignment: Assignment): number {
  const { text } = scan;
  const { from, kind, key } = assignment;
  const mark = markEnd(text, from);
  if (mark > from) return mark;
  if (Number.isNaN(text.charCodeAt(from)) || text.startsWith('-----BEGIN ', from)) return from;
  const literal = from + prefixLength(text, from);
  if (quoteAt(text, literal) !== null) return quoted(scan, assignment, literal, false);
  if (assignment.isComparison || kind === 'auth' || isLineEnd(text.charCodeAt(from))) return from;
  if (key.quote !== null && /[[{]/.test(text.charAt(from))) return group(scan, assignment);
  if (kind === 'authorization' || kind === 'cookie') {
    const end = headerValue(scan, kind, key.start, from);
    if (end > from) return end;
    if (kind === 'cookie') return from;
  }
  return bare(scan, assignment);
}

const LONGEST_SCHEMA = 400;
const SCHEMA_START = /^\{\s{0,40}\\{0,63}"type\\{0,63}"\s{0,4}:\s{0,4}\\{0,63}"(?:string|object|array|number|integer|boolean)\\{0,63}"/;

/** `"password": { "type": "string" }`: what describes a secret and holds none. */
function isSchema(text: string): boolean {
  const end = text.indexOf('}');
  return end !== -1 && SCHEMA_START.test(text) && !/(?:default|const|examples?|enum|value)\\{0,63}"\s{0,4}:/.test(text.slice(0, end));
}

/** An array or an object under a quoted key, in text that is no JSON as a whole. */
function group(scan: TextScan, assignment: Assignment): number {
  const { text } = scan;
  const { from, kind, key } = assignment;
  if (isSchema(text.slice(from, from + LONGEST_SCHEMA))) return from;
  const end = groupEnd(text, from, key.quote?.backslashes ?? 0);
  const content = text.slice(from, end);
  if (!hasSubstance(text, from, end) || isRedacted(content)) return end;
  scan.found.push({ start: from, end, rule: `text.${kind}`, secrets: groupSecrets(content), ...quotesOf(text, key) });
  return goOn(text, from, end);
}

function match(scan: TextScan, at: number): number {
  const assignment = assignmentAt(scan, at);
  if (assignment === null) return at;
  return Math.max(at, value(scan, assignment));
}

/** `key=value`, `key: value`, `"key": "value"` and their like, at any depth of escaping, where the key's name says that it holds a secret. */
export const assignments: TextRule = { name: 'text', triggers: ':=', atTokenStart: false, match };
