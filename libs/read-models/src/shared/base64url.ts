const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES = new Map(Array.from(ALPHABET, (character, value) => [character, value]));

/** Base64url without padding (RFC 4648 §5) of the UTF-8 bytes of a text. */
export function encodeBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let out = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += ALPHABET.charAt((held >> bits) & 63);
    }
  }
  return bits > 0 ? out + ALPHABET.charAt((held << (6 - bits)) & 63) : out;
}

/** The text that was encoded; null for anything that `encodeBase64Url` would not have written. */
export function decodeBase64Url(encoded: string): string | null {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const character of encoded) {
    const value = VALUES.get(character);
    if (value === undefined) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    // Left-over bits make several spellings of one text: only the one that we write is taken.
    return encodeBase64Url(text) === encoded ? text : null;
  } catch {
    return null;
  }
}
