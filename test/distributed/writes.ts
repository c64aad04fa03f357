import type { Fields, WireWrite } from '@counterfoil/testing';

/** A write that is allowed only on what was read: of a document, at its guard; of a control document, at its revision. */
export interface Guarded {
  readonly kind: 'document' | 'control';
  /** Collection and id. */
  readonly key: string;
  /** Who sent it. */
  readonly by: string;
  /** The guard or revision that it was to meet; null: that there is none. */
  readonly expected: bigint | null;
  /** The one that it leaves. */
  readonly next: bigint;
  readonly fate: WireWrite['fate'];
  /** Of a control document: what it says. */
  readonly value: Fields | null;
}

/** What else was written. */
export interface Unguarded {
  readonly key: string;
  readonly command: WireWrite['command'];
}

const CONTROL = 'control';
/** The collections of read models; others hold what is known of them. */
const DOCUMENTS = 'd_';
/** In the filter of a control document that is to be made: a revision that none has. */
const ABSENT = -1n;

/**
 * Reads a write in the terms of the document store, by what libs/read-models/src/mongodb sends. Null for what is none of a document: the
 * list of collections, and the mark that each collection has.
 */
export function guardedOf(write: WireWrite, by: string): Guarded | Unguarded | null {
  const { collection, command, filter, change, fate } = write;
  const id = filter['_id'] ?? change['_id'];
  if (!(collection === CONTROL || collection.startsWith(DOCUMENTS)) || id === '') return null;
  const key = `${collection} ${String(id)}`;
  const set = command === 'insert' ? change : fieldsOf(change['$set']);
  if (collection === CONTROL) {
    const [expected, next] = [numberOf(filter['revision']), numberOf(set['revision'])];
    if (expected === null || next === null) return { key, command };
    const value = JSON.parse(String(set['value'])) as Fields;
    // The one that is to make it inserts, and so has done what it should.
    return {
      kind: 'control',
      key,
      by,
      expected: expected === ABSENT ? null : expected,
      next,
      fate: fate === 'made' && expected === ABSENT ? 'applied' : fate,
      value,
    };
  }
  const [expected, next] = [numberOf(filter['guard']), numberOf(set['guard'])];
  if (next === null || (command !== 'insert' && expected === null)) return { key, command };
  return { kind: 'document', key, by, expected, next, fate, value: null };
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function numberOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? BigInt(value) : null;
}
