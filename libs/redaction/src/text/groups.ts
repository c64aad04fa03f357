import { BACKSLASH } from './chars.js';

/**
 * The end of the array or object that begins at `from`, in text whose quotes have `backslashes` backslashes before them.
 * The end of the text if it doesn't close: it was cut.
 */
export function groupEnd(text: string, from: number, backslashes: number): number {
  let depth = 0;
  let count = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      count++;
      continue;
    }
    if (code === 0x22 && count % (2 * (backslashes + 1)) === backslashes) inString = !inString;
    else if (!inString && (code === 0x5b || code === 0x7b)) depth++;
    else if (!inString && (code === 0x5d || code === 0x7d) && --depth === 0) return at + 1;
    count = 0;
  }
  return text.length;
}
