// Characters below the space, written so that none stands in the expression.
const CONTROL = /[^ -\uffff]/g;

const escapeControl = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The decoded value of a JSON string.
 *
 * @param text the text that holds the string
 * @param start offset of its opening quote, as `scanJson` told it
 * @param end offset after its closing quote
 * @returns the value; lone surrogates and raw control characters stay what they are
 */
export function unescapeString(text: string, start: number, end: number): string {
  // Cut out first: a search for a backslash would otherwise walk on to the end of the whole text.
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  // No backslash stands before a raw control character, so each can be replaced by itself.
  return JSON.parse(`"${inner.replace(CONTROL, escapeControl)}"`) as string;
}
