// Everything but quotes, backslashes, control characters and surrogates.
const PLAIN = /[ !#-[\]-\ud7ff\ue000-\uffff]*/y;
// A short run is walked by hand, which is quicker than to start the expression; on a long one that is four times as quick.
const BY_HAND = 8;

/**
 * The end of the run of plain characters that begins at `at`: characters that a JSON string holds as they are, and that
 * need no further look. The offset of the first other one, or the length of the text.
 */
export function plainRunEnd(text: string, at: number): number {
  const stop = Math.min(at + BY_HAND, text.length);
  for (let next = at; next < stop; next++) {
    const code = text.charCodeAt(next);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code & 0xf800) === 0xd800) return next;
  }
  PLAIN.lastIndex = stop;
  PLAIN.test(text);
  return PLAIN.lastIndex;
}
