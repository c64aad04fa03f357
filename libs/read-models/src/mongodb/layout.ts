import type { PreparedWrite } from '../bulk-writes.js';
import type { CollectionSpec, IndexSpec } from '../port.js';
import { indexFields } from '../spec-rules.js';
import { TOMBSTONE, toText } from './field-values.js';

/**
 * A document as it lies in its collection. Its content is JSON text, so that user text never becomes a field name and numbers keep their
 * spelling; the fields beside it are the store's own names: `f_<field>` for index values, `live` where an index has no field.
 */
export interface Row {
  readonly _id: string;
  readonly guard: bigint;
  /** JSON text, null for a tombstone. */
  readonly doc: string | null;
  /** Names the call of bulkWrite that wrote it: by it a repeated bulk knows its own writes. */
  readonly write: string;
  readonly [field: `f_${string}`]: string;
  /** Where an index has no field: `1` for a document, `0` for a tombstone. */
  readonly live?: string;
  /** Only of a document that a change has made because there was none: the name of that bulk. It is to be removed again. */
  readonly made?: string;
}

/** What is read of a row. Some servers answer a small 64-bit integer as a plain number. */
export interface LoadedRow {
  readonly _id: string;
  readonly guard: bigint | number;
  readonly doc: string | null;
}

/** A control document as it lies in its collection. */
export interface ControlRow {
  readonly _id: string;
  readonly revision: bigint | number;
  /** JSON text. */
  readonly value: string;
  /** Names the compare-and-set that wrote it. */
  readonly write: string;
}

/** A collection that there is: its indexes, and whether all of them have been made. */
export interface RegisteredCollection {
  readonly _id: string;
  readonly spec: string;
  readonly ready: boolean;
}

export const CONTROL = 'control';
export const REGISTRY = 'collections';
export const physicalName = (collection: string): string => `d_${collection}`;
export const fieldName = (field: string): `f_${string}` => `f_${field}`;

/**
 * Id of a document that each collection has from its making to its end. MongoDB reads a collection that was dropped as an empty one, and
 * makes it anew for a late writer: whoever misses this document knows that it is gone. No document of the port has an empty id.
 */
export const SENTINEL = '';
/** Name of the index that every collection has by itself. */
export const BY_ID = '_id_';

export const LIVE = 'live';
export const LIVE_TEXT = '1';
const GONE_TEXT = '0';

/** A revision that no control document has: in the filter of an upsert it leaves only to insert. */
export const ABSENT = -1n;

/** What the server is to make. Each index ends in the id, which makes every order total; a unique one has a second, enforcing one. */
export function indexModels(spec: CollectionSpec): { name: string; key: Record<string, 1>; unique?: true }[] {
  return spec.indexes.flatMap((index) => {
    const ordered = { name: index.name, key: { ...keyOf(index), _id: 1 as const } };
    // A dot stands in no name of ours.
    return index.unique === true ? [ordered, { name: `${index.name}.unique`, key: keyOf(index), unique: true as const }] : [ordered];
  });
}

function keyOf(index: IndexSpec): Record<string, 1> {
  const fields = index.fields.length === 0 ? [LIVE] : index.fields.map(fieldName);
  return Object.fromEntries(fields.map((field) => [field, 1]));
}

/** The rows of a collection: what is written for a document or a tombstone, without its id. */
export function rowsOf(spec: CollectionSpec): (prepared: PreparedWrite, token: string) => Omit<Row, '_id'> {
  const fields = indexFields(spec);
  const hasLive = spec.indexes.some((index) => index.fields.length === 0);
  return ({ write, doc }, token) => {
    const values: Record<`f_${string}`, string> = {};
    for (const field of fields) {
      values[fieldName(field)] = doc === null ? `${TOMBSTONE}${write.id}` : toText(write.fields[field] ?? null);
    }
    return { guard: write.guard, doc, write: token, ...values, ...(hasLive ? { live: doc === null ? GONE_TEXT : LIVE_TEXT } : {}) };
  };
}

/** The document by which a collection shows that it is there; stands in all indexes as a tombstone does. */
export function sentinelRow(spec: CollectionSpec): Row {
  const tombstone = { write: { id: SENTINEL, expected: null, guard: 0n, doc: null, fields: {} }, doc: null };
  return { _id: SENTINEL, ...rowsOf(spec)(tombstone, SENTINEL) };
}
