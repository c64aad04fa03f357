import { isObject } from './json-text.js';

// The marks that libs/redaction leaves, read by a pattern of our own: events that are stored keep the marks of their day.
const REDACTED = /\[redacted:[a-z0-9._]{1,40}:(\d{1,12})\]/g;
const CUT_STRING = /…\[cut: (\d{1,15}) bytes\]$/;
const CUT_MEMBERS = /^…\[cut: \d+ of \d+ (?:elements|members), (\d{1,15}) bytes\]$/;
const CUT_KEY = '…[cut]';

/** How every mark of a cut begins. */
export const CUT_MARK = '…[cut';

const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/** How many marks of redaction a text holds. */
export function redactionMarks(json: string): number {
  return [...json.matchAll(REDACTED)].length;
}

/** UTF-8 bytes that were taken out of a text, beyond those of the marks in their place. */
export function hiddenByRedaction(json: string): number {
  let hidden = 0;
  for (const [mark, bytes] of json.matchAll(REDACTED)) hidden += Number(bytes) - utf8Bytes(mark);
  return hidden;
}

function hiddenInString(text: string): number {
  const bytes = CUT_STRING.exec(text.slice(-48))?.[1];
  return bytes === undefined ? 0 : Number(bytes) - utf8Bytes(text);
}

/** The size of a container that lost members, before it did; null if it lost none. */
function sizeBefore(value: readonly unknown[] | Readonly<Record<string, unknown>>): number | null {
  const mark: unknown = Array.isArray(value) ? value.at(-1) : (value as Readonly<Record<string, unknown>>)[CUT_KEY];
  const bytes = typeof mark === 'string' ? CUT_MEMBERS.exec(mark)?.[1] : undefined;
  return bytes === undefined ? null : Number(bytes);
}

/**
 * UTF-8 bytes that a cut took out of a value, beyond those of its marks. Of a container that lost members the mark counts for all in it.
 * Records are nested at most 256 levels, so this may recurse.
 */
export function hiddenByCuts(value: unknown): number {
  if (typeof value === 'string') return hiddenInString(value);
  if (!Array.isArray(value) && !isObject(value)) return 0;
  const container: readonly unknown[] | Readonly<Record<string, unknown>> = value;
  const before = sizeBefore(container);
  if (before !== null) return before - utf8Bytes(JSON.stringify(container));
  return Object.values(container).reduce((sum: number, member) => sum + hiddenByCuts(member), 0);
}
