/** What Python's `json` and `str` make of a value, as the old runtime used them: sorted keys, blanks behind separators, NaN allowed. */
export function dumps(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(dumps).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, member]) => member !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}: ${dumps(member)}`)
    .join(', ')}}`;
}

/** `str(value)`: a text stays, anything else becomes its repr. */
export const str = (value: unknown): string => (typeof value === 'string' ? value : repr(value));

function repr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const inner = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
    return `${quote}${quote === "'" ? inner.replaceAll("'", "\\'") : inner}${quote}`;
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    return `{${entries.map(([key, member]) => `${repr(key)}: ${repr(member)}`).join(', ')}}`;
  }
  return typeof value === 'number' ? String(value) : '<object>';
}

/** The first so many characters, as Python counts them. */
export const firstCharacters = (text: string, count: number): string => Array.from(text).slice(0, count).join('');
