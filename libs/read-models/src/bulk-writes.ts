import type { RejectionReason } from './errors.js';
import type { CollectionSpec, GuardedWrite } from './port.js';
import { indexFields } from './spec-rules.js';
import { rejectionOf } from './write-rules.js';

const MOST_WRITES = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** A write with its document as text. */
export interface PreparedWrite {
  readonly write: GuardedWrite<unknown>;
  readonly doc: string | null;
}

/** A document that can't be stored, and why. */
export interface Rejected {
  readonly id: string;
  readonly reason: RejectionReason;
}

/** Documents as text, apart from those that can't be stored. */
export function prepareWrites(
  spec: CollectionSpec,
  writes: readonly GuardedWrite<unknown>[],
): { readonly prepared: readonly PreparedWrite[]; readonly rejected: readonly Rejected[] } {
  const prepared: PreparedWrite[] = [];
  const rejected: Rejected[] = [];
  const fields = indexFields(spec);
  for (const write of writes) {
    const result = prepareWrite(fields, write);
    if (typeof result === 'string') rejected.push({ id: write.id, reason: result });
    else prepared.push(result);
  }
  return { prepared, rejected };
}

function prepareWrite(fields: readonly string[], write: GuardedWrite<unknown>): PreparedWrite | RejectionReason {
  const rejection = rejectionOf(write, fields);
  if (rejection !== null) return rejection;
  if (write.doc === null) return { write, doc: null };
  const doc = jsonOf(write.doc);
  return doc === undefined ? 'not_json' : { write, doc };
}

function jsonOf(doc: unknown): string | undefined {
  try {
    // Answers undefined for what has no JSON form at all, against its declared type.
    const text: string | undefined = JSON.stringify(doc);
    return text;
  } catch {
    return undefined;
  }
}

/** Cuts a bulk so that no single step of it holds the store, or a message, for long. */
export function* chunksOf(writes: readonly PreparedWrite[]): Generator<readonly PreparedWrite[]> {
  let chunk: PreparedWrite[] = [];
  let characters = 0;
  for (const prepared of writes) {
    const size = prepared.doc?.length ?? 0;
    if (chunk.length > 0 && (chunk.length >= MOST_WRITES || characters + size > MOST_CHARACTERS)) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(prepared);
    characters += size;
  }
  if (chunk.length > 0) yield chunk;
}
