import { PAYLOAD_LIMIT_BYTES, type ReceiptDocument } from '@counterfoil/contracts';

/** The object in an old record that says what was called. */
export type OldReceipt = Readonly<Record<string, unknown>>;

/** The members that lead from a record to its receipt, by surface; of every other surface the record itself is one. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'execution.receipt': ['payload'],
  'bug_fix.receipt': ['payload'],
  'subagent.receipt': ['payload', 'receipt'],
  stream: ['tool_receipt'],
  terminal: ['receipt'],
};

/** A database's column is JSON text, and some exporters encoded that once more. */
const MOST_ENCODINGS = 2;

/**
 * The receipt in the stored record of an imported document; null where it can't be read (any more), and of live documents. A live one
 * that came over the legacy adapter holds its record as it is.
 */
export function recordedReceipt({ original, provenance }: ReceiptDocument): OldReceipt | null {
  if (original === null) return null;
  const surface = provenance.kind === 'imported' ? provenance.surface : 'receipt';
  let found = decoded(parsed(original.json));
  for (const member of Object.hasOwn(PATHS, surface) ? (PATHS[surface] ?? []) : []) {
    found = found !== null && Object.hasOwn(found, member) ? decoded(found[member]) : null;
  }
  return found;
}

/** An object, or one that stands in JSON text. */
function decoded(value: unknown): OldReceipt | null {
  let found = value;
  for (let encodings = 0; typeof found === 'string' && encodings < MOST_ENCODINGS; encodings++) found = parsed(found);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as OldReceipt) : null;
}

/** Null for what is no JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

export interface ShownValues {
  readonly values: ReadonlyMap<string, unknown>;
  /** False if a value was left out: null stands in its place. */
  readonly whole: boolean;
}

/**
 * The values of an old receipt that can be shown: all of them, unless one is nested deeper than can be written again, or they take more
 * than a payload may (a number can be longer than it was spelled: 1e20). Then the longest ones are left out.
 */
export function shownValues(recorded: OldReceipt): ShownValues {
  const values = new Map(Object.entries(recorded));
  const sizes = new Map<string, number>();
  let left = PAYLOAD_LIMIT_BYTES;
  let whole = true;
  const leaveOut = (key: string): void => {
    values.set(key, null);
    whole = false;
  };
  for (const [key, value] of values) {
    if (!isShallow(value)) leaveOut(key);
    const size = bytesOf(values.get(key));
    left -= bytesOf(key) + size;
    sizes.set(key, size);
  }
  for (const [key, size] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (left >= 0) break;
    leaveOut(key);
    left += size - bytesOf(null);
  }
  return { values, whole };
}

const utf8 = new TextEncoder();

/** As JSON, with the comma or colon after it. */
const bytesOf = (value: unknown): number => utf8.encode(JSON.stringify(value)).length + 1;

/** A value that is nested deeper could not be written as JSON again without running out of stack. */
const DEEPEST = 256;

function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry as Readonly<Record<string, unknown>>) : [],
    );
    if (level.length === 0) return true;
  }
  return false;
}
