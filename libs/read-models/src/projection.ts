import type { LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from './port.js';

/**
 * A pure fold of events into documents. Each document is fed by one stream (promise 27): `idOf` may look at the event alone, and two
 * streams never give the same id. `evolve` gets null for an absent document and answers null when there should be none; of an event that
 * touches several documents it is called for each of them, and sees no other.
 * Neither may read a clock, draw a random value or keep state: read models rebuilt from zero are byte-equal (promise 26).
 */
export interface Projection<D> {
  /** `[a-z][a-z0-9_]*`, unique in its set. */
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
  /** The document or documents that the event touches; null or an empty list for none. An id that is listed twice is touched once. */
  idOf(event: LedgerEvent): string | readonly string[] | null;
  /** @param id of the document, one of those that `idOf` named */
  evolve(doc: D | null, event: LedgerEvent, id: string): D | null;
  /** Values of every field that an index names. */
  fields(doc: D): Readonly<Record<string, FieldValue>>;
}

/** Projections that are rebuilt and switched together. A change of any of them, or of the redaction rules, raises the version. */
export interface ProjectionSet {
  readonly name: string;
  readonly version: number;
  // Documents of different shapes stand in one list; the engine only moves them between `evolve` and the store.
  readonly projections: readonly Projection<unknown>[];
}

const NONE: readonly string[] = [];

/** The documents that an event touches, each once, in the order in which the projection names them. */
export function touchedIds(projection: Pick<Projection<unknown>, 'idOf'>, event: LedgerEvent): readonly string[] {
  const named = projection.idOf(event);
  if (named === null) return NONE;
  return typeof named === 'string' ? [named] : [...new Set(named)];
}
