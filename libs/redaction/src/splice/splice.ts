import { BACKSLASH } from '../text/chars.js';

/** A stretch of a text (UTF-16 offsets, end exclusive) and what stands there instead. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with the replacements made. They must be sorted by start; one that begins within an earlier one is left out. */
export function splice(text: string, replacements: readonly Replacement[]): string {
  if (replacements.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const replacement of replacements) {
    if (replacement.start < from) continue;
    parts.push(text.slice(from, replacement.start), replacement.text);
    from = replacement.end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** What a text becomes inside a JSON string. */
export const escapedForJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Translates replacements in the decoded value of a JSON string into ones in the text that holds the string. What they
 * don't touch keeps its escapes as they are.
 *
 * @param text the text that holds the string
 * @param start offset of the string's opening quote
 * @param hasEscape whether there is a backslash in the string
 * @param inner sorted, in offsets of the decoded value
 */
export function liftReplacements(text: string, start: number, hasEscape: boolean, inner: readonly Replacement[]): Replacement[] {
  const lifted: Replacement[] = [];
  let raw = start + 1;
  let decoded = 0;
  const advance = (to: number): number => {
    if (!hasEscape) return start + 1 + to;
    for (; decoded < to; decoded++) {
      if (text.charCodeAt(raw) !== BACKSLASH) raw++;
      else raw += text.charCodeAt(raw + 1) === 0x75 ? 6 : 2;
    }
    return raw;
  };
  for (const replacement of inner) {
    const from = advance(replacement.start);
    lifted.push({ start: from, end: advance(replacement.end), text: escapedForJson(replacement.text) });
  }
  return lifted;
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** JSON text with its raw lone surrogates escaped: no encoding of Unicode has a form for them. */
export function escapeLoneSurrogates(json: string): string {
  if (json.isWellFormed()) return json;
  return json.replace(LONE_SURROGATE, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
