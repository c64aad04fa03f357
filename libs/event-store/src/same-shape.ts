/**
 * Whether a parsed value holds exactly what the input held: a schema of ours that drops, adds or changes something would store other
 * than what was decided. Both are plain JSON, and no deeper than the canonical form allows. A negative zero counts as a difference,
 * since JSON text has none.
 */
export function sameShape(input: unknown, parsed: unknown): boolean {
  if (typeof input !== 'object' || input === null || typeof parsed !== 'object' || parsed === null) {
    return input === parsed && !Object.is(input, -0);
  }
  if (Array.isArray(input)) return Array.isArray(parsed) && sameItems(input, parsed);
  return !Array.isArray(parsed) && sameMembers(input as Record<string, unknown>, parsed as Record<string, unknown>);
}

function sameItems(input: readonly unknown[], parsed: readonly unknown[]): boolean {
  if (input.length !== parsed.length) return false;
  for (let at = 0; at < input.length; at++) {
    if (!sameShape(input[at], parsed[at])) return false;
  }
  return true;
}

function sameMembers(input: Readonly<Record<string, unknown>>, parsed: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(input);
  for (const key of keys) {
    // An inherited member (an input key `constructor` that was dropped) is never equal to JSON.
    if (!sameShape(input[key], parsed[key])) return false;
  }
  return keys.length === Object.keys(parsed).length;
}

const PROTO = '__proto__';

/**
 * A copy in which a key named `__proto__` has another name. zod's records drop that key, so a value that has it is checked under an
 * alias: a record takes the alias as any other key, an object refuses it as an unknown one.
 */
export function withoutProtoKeys(value: unknown, alias: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutProtoKeys(item, alias));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key === PROTO ? alias : key, withoutProtoKeys(item, alias)]));
}
