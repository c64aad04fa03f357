/** What the first bytes of an input tell. */
export type Beginning = 'gzip' | 'sqlite' | 'text' | { readonly refused: string };

/** Bytes that have to be seen to tell. */
export const MAGIC_BYTES = 16;

const GZIP = Buffer.from([0x1f, 0x8b]);
const SQLITE = Buffer.from('SQLite format 3\0', 'latin1');
const REFUSED: readonly (readonly [string, Buffer])[] = [
  ['compressed by zip', Buffer.from('PK\u0003\u0004', 'latin1')],
  ['compressed by zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['UTF-16', Buffer.from([0xff, 0xfe])],
  ['UTF-16', Buffer.from([0xfe, 0xff])],
];

/**
 * What an input is, by its first bytes: its name says nothing (promise 30).
 *
 * @param start at least 16 bytes, or all of an input that has fewer
 */
export function beginningOf(start: Buffer): Beginning {
  const is = (magic: Buffer): boolean => start.subarray(0, magic.length).equals(magic);
  if (is(GZIP)) return 'gzip';
  if (is(SQLITE)) return 'sqlite';
  const refused = REFUSED.find(([, magic]) => is(magic));
  if (refused !== undefined) return { refused: refused[0] };
  return looksLikeUtf16(start) ? { refused: 'UTF-16' } : 'text';
}

/** Without a mark: two characters of ASCII, as every JSON text begins with. */
function looksLikeUtf16(start: Buffer): boolean {
  const [a, b, c, d] = start;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  return (a === 0 && c === 0 && b !== 0 && d !== 0) || (a !== 0 && c !== 0 && b === 0 && d === 0);
}
