import { isObject, readJson } from './json-text.js';
import type { JsonObject } from './json-text.js';

/** An entry of a record that looks like a tool call, and where it stands. */
export interface Found {
  readonly entry: JsonObject;
  /** RFC 6901 pointer from the record on; null where it can't be kept: over 480 characters, or no well-formed text. */
  readonly member: string | null;
}

/** As long as any other coordinate: a pointer may be made of keys of any length, once for each of thousands of calls below them. */
const MAX_POINTER = 480;

const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The names of a call's members, as they stand in a record or in JSON text of it, however often that was encoded. */
const SIGNS = /receipt_id|action\\{0,15}"|\\u00[67]/;

/** False for a JSON text that holds no tool call, at any depth: most lines of an export. Linear. */
export const mayHoldCalls = (text: string): boolean => SIGNS.test(text);

const IDS = ['receipt_id', 'operation_id'];
const FLAGS = ['success', 'tool_success'];

/** A tool call has a name, and a flag or an id: nothing else in the old events has both. One whose name is unreadable still has an id. */
export function looksLikeCall(object: JsonObject): boolean {
  const has = (key: string): boolean => Object.hasOwn(object, key);
  return has('action') && (IDS.some(has) || (typeof object['action'] === 'string' && FLAGS.some(has)));
}

/** All entries of a value that look like tool calls, in their order; not those inside of one. With a stack of our own. */
export function callsIn(value: unknown, at: string): readonly Found[] {
  const found: Found[] = [];
  const todo: { readonly value: unknown; readonly at: string | null }[] = [{ value, at }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (isObject(next.value) && looksLikeCall(next.value)) {
      found.push({ entry: next.value, member: next.at?.isWellFormed() === true ? next.at : null });
      continue;
    }
    const { at: above } = next;
    const below = Object.entries(next.value).map(([key, member]) => ({ value: member as unknown, at: pointerBelow(above, key) }));
    for (const one of below.reverse()) todo.push(one);
  }
  return found;
}

function pointerBelow(above: string | null, key: string): string | null {
  if (above === null || above.length + key.length >= MAX_POINTER) return null;
  const at = `${above}/${pointer(key)}`;
  return at.length <= MAX_POINTER ? at : null;
}

/** How the JSON text of an object or a list begins, if it was encoded a few times. */
const ENCODED = /^[\s"\\]{0,16}[{[]/;
const MAX_ENCODINGS = 3;

/** Whether a tool call stands in JSON text inside of a value, which `callsIn` doesn't look into. With a stack of our own. */
export function holdsCallText(value: unknown): boolean {
  const todo: { readonly value: unknown; readonly encodings: number }[] = [{ value, encodings: 0 }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { value: current, encodings } = next;
    if (typeof current === 'string') {
      if (encodings === MAX_ENCODINGS || !ENCODED.test(current) || !mayHoldCalls(current)) continue;
      const reading = readJson(current);
      if (reading.ok) todo.push({ value: reading.value, encodings: encodings + 1 });
    } else if (typeof current === 'object' && current !== null) {
      if (encodings > 0 && isObject(current) && looksLikeCall(current)) return true;
      for (const member of Object.values(current)) todo.push({ value: member as unknown, encodings });
    }
  }
  return false;
}
