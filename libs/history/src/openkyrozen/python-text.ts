const WORDS: ReadonlySet<string> = new Set(['None', 'True', 'False']);
/** How Python begins a container whose first member is a text, bytes, a word of its own, or some object. */
const PLAIN_START = /^[{[(](?:b?['"]|(?:None|True|False)\b|<)/;
/** Of one whose first member is a number or a container: commands and sums begin so too. */
const SHARED_START = /^[{[(](?:-?\d|[{[(])/;
const SEPARATORS = [', ', ': '] as const;
const PAIRS = ['{}', '[]', '()'];

/**
 * Whether a text is what Python's `str` makes of a value that is no text: `None`, a dict, a list, a tuple. One that parses as JSON is a
 * text that somebody wrote, and so is one that only stands in brackets, as `(cd a && make)` and `[ -f a ]` do.
 *
 * @param isOpenEnded its end may have been taken off, by a cut or by the old redaction
 */
export function isPythonText(text: string, isOpenEnded: boolean): boolean {
  if (WORDS.has(text) || text === '()') return true;
  const isClosed = PAIRS.includes(`${text.at(0) ?? ''}${text.at(-1) ?? ''}`);
  // A JSON text that was cut begins with other quotes.
  if (!isClosed) return isOpenEnded && /^[{[(]'/.test(text);
  const hasParts = SEPARATORS.some((separator) => text.includes(separator));
  const begins = PLAIN_START.test(text) || (SHARED_START.test(text) && hasParts);
  if (!begins || (text.startsWith('(') && !text.includes(','))) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
