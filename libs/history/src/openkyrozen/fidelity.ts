import { characters } from '@counterfoil/contracts';
import type { ReceiptFacts } from './facts.js';

/** The old runtime cut arguments and results to so many characters, with no mark. */
export const ARGUMENTS_BOUND = 1000;
export const RESULT_BOUND = 2000;

/** What three generations of its redaction put in place of a secret; `=` and `sk-` may stand before it. */
const MARK = '<redacted>';

/** Texts that Python makes of values that are no text; one that parses as JSON is a text that somebody wrote. */
function looksLikePythonValue(text: string): boolean {
  if (text === 'None' || text === 'True' || text === 'False') return true;
  const ends = `${text.at(0) ?? ''}${text.at(-1) ?? ''}`;
  if (ends !== '{}' && ends !== '[]' && ends !== '()') return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** Whether the text is only what became of a value that was no text. */
function isOpaque(text: string, failure: string | null): boolean {
  // The old runtime gave this code for arguments of a wrong type, and for an empty command.
  return (failure === 'invalid_arguments' && text.trim() !== '') || looksLikePythonValue(text);
}

/**
 * What is known of how the stored arguments came about, gravest first: `absent`, `opaque` (the text of a value that was no text),
 * `redacted` (the old runtime's own mark is in it), `truncated` (as long as its bound: perhaps cut), `newlines_lost` (the content of a
 * file in which every blank may have been a line break), `structured` (an object). `normalised` stands alone: line breaks were made
 * blanks and commands were stripped, and nothing else is known to be missing.
 *
 * Must be asked before redaction, since ours leaves marks too.
 */
export function argumentsFidelity(facts: ReceiptFacts, fingerprint: string): readonly string[] {
  const recorded = facts.arguments;
  if (recorded.kind === 'absent') return ['absent'];
  if (recorded.kind !== 'text') return ['structured'];
  const { text } = recorded;
  const opaque = isOpaque(text, facts.failure);
  const found: string[] = [];
  if (opaque) found.push('opaque');
  if (text.includes(MARK)) found.push('redacted');
  if (text.length >= ARGUMENTS_BOUND && characters(text) === ARGUMENTS_BOUND) found.push('truncated');
  // The old fingerprint was taken before line breaks were lost: where it matches, there were none.
  if (facts.tool === 'write_file' && !opaque && fingerprint !== 'match' && /\|[^]* /.test(text)) found.push('newlines_lost');
  return found.length > 0 ? found : ['normalised'];
}
