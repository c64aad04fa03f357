import type { LedgerEvent } from '@counterfoil/contracts';
import type { Collection, FieldValue, Loaded, Projection, Query, StoredDocument } from '@counterfoil/read-models';
import { compareFieldValues, meets, servedBy } from '@counterfoil/read-models';
import { foldAll } from './projecting.js';

/**
 * A read-only collection of what a projection makes of events, for specs of queries: in memory, and by plain filtering, so that it says
 * what a query should find. A query that its index can't serve is refused as by every adapter.
 */
export function projectedCollection<D extends object>(projection: Projection<D>, events: readonly LedgerEvent[]): Collection<D> {
  const spec = { name: projection.name, indexes: projection.indexes };
  const stored = new Map<string, Stored<D>>();
  for (const [id, doc] of foldAll(projection, events)) stored.set(id, { id, doc, guard: 0n, fields: projection.fields(doc) });
  const matching = (where: Query['where']): Stored<D>[] => [...stored.values()].filter(({ fields }) => meets(fields, where));
  const readOnly = (): never => {
    throw new Error('this collection is read only');
  };
  return {
    spec,
    get: async (id) => stored.get(id) ?? null,
    async getMany(ids) {
      return new Map(ids.flatMap((id): [string, Loaded<D>][] => entry(stored.get(id))));
    },
    async find(query) {
      servedBy(spec, query);
      const keyOf = ({ id, fields }: Stored<D>): Key => [...query.order.map((field) => fields[field] ?? null), id];
      const sign = query.direction === 'asc' ? 1 : -1;
      const { after } = query;
      const start: Key | null = after === undefined ? null : [...after.values, after.id];
      return matching(query.where)
        .filter((item) => start === null || sign * compareKeys(keyOf(item), start) > 0)
        .sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)))
        .slice(0, query.limit);
    },
    count: async (_, where) => matching(where).length,
    bulkWrite: async () => readOnly(),
    async *scan() {
      yield* stored.values();
    },
  };
}

type Stored<D> = StoredDocument<D> & { readonly fields: Readonly<Record<string, FieldValue>> };
type Key = readonly FieldValue[];

const entry = <D>(item: StoredDocument<D> | undefined): [string, Loaded<D>][] => (item === undefined ? [] : [[item.id, item]]);

function compareKeys(a: Key, b: Key): number {
  for (const [i, value] of a.entries()) {
    const order = compareFieldValues(value, b[i] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}
