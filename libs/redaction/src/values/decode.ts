/** The text that a base64 value holds, if it is printable UTF-8; null otherwise. */
export function decodedBase64(value: string): string | null {
  if (value.length < 4 || value.length > 4096 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return /[\p{Cc}\p{Cn}\ufffd]/u.test(text) || text === '' ? null : text;
}

/** The password of `user:password` in base64 (RFC 7617); null if the value is no such thing. */
export function basicPassword(value: string): string | null {
  const text = decodedBase64(value);
  const colon = text?.indexOf(':') ?? -1;
  return text === null || colon < 1 ? null : text.slice(colon + 1);
}

/** The value with its percent escapes (RFC 3986) decoded; null if there are none or they are broken. */
export function percentDecoded(value: string): string | null {
  if (!value.includes('%')) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** A value with backslash escapes decoded once, leniently; null if it has none. */
export function unescapedOnce(value: string): string | null {
  if (!value.includes('\\')) return null;
  return value.replace(/\\(u[0-9a-fA-F]{4}|[^u])/g, (_, escape: string) =>
    escape.length === 5 ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : (ESCAPES[escape] ?? escape),
  );
}
