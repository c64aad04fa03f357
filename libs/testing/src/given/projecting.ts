import type { LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, Projection } from '@counterfoil/read-models';
import { indexFields, touchedIds } from '@counterfoil/read-models';
import { codeOf } from './code-of.js';

type Folded<D> = ReadonlyMap<string, D>;

export interface Projected<D> {
  /** Every document, by id. */
  readonly docs: Folded<D>;
  /** The document of an id. @throws Error if there is none */
  doc(id: string): D;
  /** Exactly these documents; of each only what is named is compared. */
  then(expected: Readonly<Record<string, object>>): void;
  /** Exactly these documents with exactly these values. */
  thenExactly(expected: Readonly<Record<string, D>>): void;
  /** None of the events leaves a document. */
  thenNothing(): void;
}

/**
 * given/then for a projection. Every fold runs twice: in one go, and with each document written as JSON and read again after each event,
 * as after a restart. Both must give the same bytes (promise 26); no event or document may be changed by folding; and the fields must
 * be what any store can hold.
 */
export function projecting<D extends object>(projection: Projection<D>) {
  const given = (...events: readonly LedgerEvent[]): Projected<D> => {
    const docs = foldTwice(projection, events);
    return {
      docs,
      doc(id) {
        const doc = docs.get(id);
        if (doc === undefined) throw new Error(`there is no document ${id}`);
        return doc;
      },
      then(expected) {
        expect([...docs.keys()].sort()).toEqual(Object.keys(expected).sort());
        for (const [id, part] of Object.entries(expected)) expect(docs.get(id)).toMatchObject(part);
      },
      thenExactly(expected) {
        expect(Object.fromEntries(docs)).toEqual(expected);
      },
      thenNothing() {
        expect([...docs.keys()]).toEqual([]);
      },
    };
  };
  /** The last event is poison: the ones before it fold, and it throws with this code. */
  const fault = (code: string, ...events: readonly LedgerEvent[]): void => {
    foldTwice(projection, events.slice(0, -1));
    expect(codeOf(() => foldAll(projection, events))).toBe(code);
  };
  return { given, fault };
}

/** Folds events into documents, as the engine does from nothing. */
export function foldAll<D>(projection: Projection<D>, events: readonly LedgerEvent[], between: (doc: D) => D = same): Folded<D> {
  const docs = new Map<string, D>();
  for (const event of events) {
    for (const id of touchedIds(projection, event)) {
      const doc = projection.evolve(docs.get(id) ?? null, event, id);
      if (doc === null) docs.delete(id);
      else docs.set(id, between(doc));
    }
  }
  return docs;
}

function foldTwice<D extends object>(projection: Projection<D>, events: readonly LedgerEvent[]): Folded<D> {
  const docs = foldAll(unchanging(projection), events);
  const resumed = foldAll(projection, events, (doc) => JSON.parse(JSON.stringify(doc)) as D);
  expect(bytes(resumed)).toEqual(bytes(docs));
  for (const [id, doc] of docs) {
    const fields = projection.fields(doc);
    expectStorable(projection, fields);
    expect(projection.fields(resumed.get(id) ?? doc)).toEqual(fields);
  }
  return docs;
}

const same = <D>(doc: D): D => doc;

const bytes = (docs: Folded<unknown>): object => Object.fromEntries([...docs].map(([id, doc]) => [id, JSON.stringify(doc)]));

/** Positions are bigint, which JSON has no form for. */
const text = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));

/** The same projection, with a look at what it leaves behind of its arguments. */
function unchanging<D>(projection: Projection<D>): Projection<D> {
  return {
    name: projection.name,
    indexes: projection.indexes,
    idOf: (event) => projection.idOf(event),
    fields: (doc) => projection.fields(doc),
    evolve(doc, event, id) {
      const before = text([doc, event]);
      const after = projection.evolve(doc, event, id);
      expect(text([doc, event])).toBe(before);
      return after;
    },
  };
}

function expectStorable<D>(projection: Projection<D>, fields: Readonly<Record<string, FieldValue>>): void {
  for (const field of indexFields({ name: projection.name, indexes: projection.indexes })) {
    expect(Object.keys(fields)).toContain(field);
    const value = fields[field];
    const storable = value === null || (typeof value === 'string' ? value.isWellFormed() : Number.isFinite(value));
    expect([field, storable]).toEqual([field, true]);
  }
}
