/**
 * What Python's `str.strip()` takes away: where its `str.isspace()` is true. JavaScript's `trim` takes away U+FEFF, too, and leaves the
 * separators U+001C to U+001F and U+0085.
 */
const BLANK = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${BLANK}+`);
const TRAILING = new RegExp(BLANK);

/** The text without blanks around it, as the old runtime's language has them; digests and names were taken of that. */
export function pythonStrip(text: string): string {
  let end = text.length;
  // From the end, unit by unit: a pattern for a run of blanks before the end would be tried at each run in between.
  while (end > 0 && TRAILING.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(LEADING, '');
}
