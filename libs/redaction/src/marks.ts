import { isDigit, isLower } from './text/chars.js';

const OPENING = '[redacted:';
const CUT_OPENING = '…[cut: ';
const MOST_RULE_CHARACTERS = 40;
const MOST_CUT_CHARACTERS = 80;
// Marks of older redactors, in records that are imported. `=<redacted>` and `sk-<redacted>` are the first one with a context.
const OLD_MARKS = ['<redacted>', '[REDACTED]', '<REDACTED>', '[redacted]'];

/**
 * The mark that stands where something was redacted: `[redacted:<rule>:<UTF-8 bytes>]`. ASCII without quotes and
 * backslashes, so that it is spelled the same at any depth of JSON in strings.
 */
export function redactionMark(rule: string, bytes: number): string {
  return `${OPENING}${rule}:${String(bytes)}]`;
}

/** The mark at the end of a shortened string. `bytes` is the UTF-8 size of what the string was. */
export function cutMark(bytes: number): string {
  return `${CUT_OPENING}${String(bytes)} bytes]`;
}

/** The mark for members that a container lost: how many of how many, and the UTF-8 size of what the container was. */
export function membersCutMark(lost: number, of: number, noun: 'elements' | 'members', bytes: number): string {
  return `${CUT_OPENING}${String(lost)} of ${String(of)} ${noun}, ${String(bytes)} bytes]`;
}

/** The key under which an object holds the mark for the members that it lost. */
export const CUT_KEY = '…[cut]';

const isRuleCharacter = (code: number): boolean => isLower(code) || isDigit(code) || code === 0x2e || code === 0x5f;

function redactionMarkEnd(text: string, at: number): number {
  const rule = at + OPENING.length;
  let to = rule;
  while (to - rule < MOST_RULE_CHARACTERS && isRuleCharacter(text.charCodeAt(to))) to++;
  if (to === rule || text.charAt(to) !== ':') return at;
  const digits = ++to;
  while (to - digits < 12 && isDigit(text.charCodeAt(to))) to++;
  return to > digits && text.charAt(to) === ']' ? to + 1 : at;
}

function cutMarkEnd(text: string, at: number): number {
  if (text.startsWith(CUT_KEY, at)) return at + CUT_KEY.length;
  const from = at + CUT_OPENING.length;
  let to = from;
  for (; to - from < MOST_CUT_CHARACTERS; to++) {
    const code = text.charCodeAt(to);
    if (!isLower(code) && !isDigit(code) && code !== 0x20 && code !== 0x2c) break;
  }
  return to > from && text.charAt(to) === ']' ? to + 1 : at;
}

/** The offset after the mark that begins at `at`: one of ours, of a cut, or of an older redactor. `at` itself if there is none. */
export function markEnd(text: string, at: number): number {
  const first = text.charAt(at);
  if (first === '[' && text.startsWith(OPENING, at)) return redactionMarkEnd(text, at);
  if (first === '…' && (text.startsWith(CUT_OPENING, at) || text.startsWith(CUT_KEY, at))) return cutMarkEnd(text, at);
  if (first !== '[' && first !== '<') return at;
  for (const mark of OLD_MARKS) if (text.startsWith(mark, at)) return at + mark.length;
  return at;
}

/** The first characters of marks. */
export const MARK_STARTS = '[<…';

/** All marks of a text, as [start, end, start, end, …] in ascending order. */
export function marksOf(text: string): number[] {
  const found: number[] = [];
  const start = /[[<…]/g;
  for (let hit = start.exec(text); hit !== null; hit = start.exec(text)) {
    const end = markEnd(text, hit.index);
    if (end === hit.index) continue;
    found.push(hit.index, end);
    start.lastIndex = end;
  }
  return found;
}
