import { pythonStrip } from '@counterfoil/canonical';
import { characters } from '@counterfoil/contracts';
import { isPythonText } from './python-text.js';

/** The old runtime cut arguments and results to so many characters, with no mark. */
export const ARGUMENTS_BOUND = 1000;
export const RESULT_BOUND = 2000;
/** Bug-fix receipts, learning runs of generation 0b and sub-agent records of 0c kept less. */
export const SHORT_ARGUMENTS_BOUND = 500;

/** What three generations of its redaction put in place of a secret; `=` and `sk-` may stand before it. */
const MARK = '<redacted>';

/** Whether the text is only what became of a value that was no text. */
function isOpaque(text: string, failure: string | null, bound: number): boolean {
  // The old runtime gave this code for arguments of a wrong type, and for an empty command.
  if (failure === 'invalid_arguments' && pythonStrip(text) !== '') return true;
  // Its first redaction took the brackets behind a secret with it.
  return isPythonText(text, reaches(text, bound) || text.endsWith(MARK));
}

/** How a surface kept the arguments. */
export interface KeptArguments {
  /** As recorded, of any type; null if none. */
  readonly value: unknown;
  /** Whether they stood in a typed place of their own (generation 3). */
  readonly typed: boolean;
  readonly tool: string;
  readonly failure: string | null;
  /** So many characters the surface kept. */
  readonly bound: number;
}

/** What the old digests say of the arguments. */
export interface DigestVerdicts {
  /** Of `args_sha256`, which is over the arguments with line breaks as blanks. */
  readonly args: 'match' | 'mismatch' | null;
  /** Of the operation id, which is over the arguments with their line breaks. */
  readonly operation: 'match' | null;
}

/**
 * What is known of how the stored arguments came about, gravest first: `absent`, `opaque` (the text of a value that was no text),
 * `redacted` (the old runtime's own mark is in it), `truncated` or `bounded_500` (as long as its bound: perhaps cut),
 * `fingerprint_mismatch` (whole and unredacted, and yet not what the old digest was over), `fingerprint_match` (whole, up to line
 * breaks), `newlines_lost` (the content of a file in which every blank may have been a line break), `structured` (an object).
 * `normalised` stands alone: line breaks were made blanks and commands were stripped, and nothing else is known to be missing.
 *
 * Must be asked before redaction, since ours leaves marks too.
 */
export function argumentsFidelity({ value, typed, tool, failure, bound }: KeptArguments, digests: DigestVerdicts): readonly string[] {
  if (value === null) return ['absent'];
  if (typed || typeof value !== 'string') return ['structured'];
  const opaque = isOpaque(value, failure, bound);
  // A digest over the whole of them is over these: what looks like a mark or like a cut was so before.
  const isProven = digests.args === 'match' || digests.operation === 'match';
  const found: string[] = [];
  if (opaque) found.push('opaque');
  if (!isProven && value.includes(MARK)) found.push('redacted');
  if (!isProven && reaches(value, bound)) found.push(bound === SHORT_ARGUMENTS_BOUND ? 'bounded_500' : 'truncated');
  if (digests.args !== null) found.push(`fingerprint_${digests.args}`);
  // The old operation id was taken before line breaks were lost: where it matches, there were none.
  if (tool === 'write_file' && !opaque && digests.operation !== 'match' && holdsBlanks(value)) found.push('newlines_lost');
  return found.length > 0 ? found : ['normalised'];
}

/** Whether the content behind the first bar holds blanks that may have been line breaks, and none that are still there. */
function holdsBlanks(args: string): boolean {
  const bar = args.indexOf('|');
  return bar !== -1 && args.includes(' ', bar) && !args.includes('\n');
}

/** Whether the text is as long as its bound, so that it may have been cut there with no mark. */
export function reaches(text: string, bound: number): boolean {
  return text.length >= bound && characters(text) === bound;
}

/** Whether nothing of the text is known to be missing: the old digests can be taken of it again. */
export function isWhole({ value, bound }: Pick<KeptArguments, 'value' | 'bound'>): boolean {
  return typeof value === 'string' && !value.includes(MARK) && !(value.length >= bound && characters(value) >= bound);
}
