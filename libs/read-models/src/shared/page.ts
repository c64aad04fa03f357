import { DomainError } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, FieldValue, Query, StoredDocument } from '../port.js';
import { decodeCursor, encodeCursor, type Place } from './cursor.js';

export const PAGE_LIMIT_MAX = 200;
export const PAGE_LIMIT_DEFAULT = 50;

/** The query-string members that every list takes: `limit` 1 to 200 (default 50) and the cursor that the page before gave. */
export const pageShape = {
  cursor: z.string().min(1).max(4096).optional(),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, `must be 1 to ${PAGE_LIMIT_MAX}`)
    .transform(Number)
    .refine((limit) => limit <= PAGE_LIMIT_MAX, `must be 1 to ${PAGE_LIMIT_MAX}`)
    .default(PAGE_LIMIT_DEFAULT),
};

export interface PageRequest {
  readonly cursor?: string | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
}

/** A page without the position, which whoever holds the collection adds. */
export interface FoundPage<D> {
  readonly items: readonly D[];
  readonly nextCursor: string | null;
}

/**
 * How a list is read: one index, its order, and one or several sets of conditions that exclude each other. Several are read side by
 * side and merged, so that a list of values keeps the keyset order without a sort of everything that matches.
 */
export interface ListPlan {
  readonly index: string;
  readonly wheres: readonly Query['where'][];
  readonly order: readonly string[];
  readonly direction: Query['direction'];
}

/** @throws DomainError `invalid_request` for a limit outside of 1 to 200 */
export function pageLimit(limit: number | undefined): number {
  const wanted = limit ?? PAGE_LIMIT_DEFAULT;
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= PAGE_LIMIT_MAX) return wanted;
  throw new DomainError('invalid_request', `The limit must be 1 to ${PAGE_LIMIT_MAX}.`);
}

/**
 * Reads one keyset page.
 *
 * @param binding see cursorBinding
 * @param fields of a document, as its projection gives them: the order values are taken from there
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request`
 */
export async function findPage<D>(
  collection: Collection<D>,
  plan: ListPlan,
  binding: string,
  page: PageRequest,
  fields: (doc: D) => Readonly<Record<string, FieldValue>>,
): Promise<FoundPage<D>> {
  const limit = pageLimit(page.limit);
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor, binding, plan.order.length);
  const found = await findMerged(collection, plan, after, limit + 1, fields);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map((item) => item.doc),
    nextCursor: last === undefined ? null : encodeCursor(binding, placeOf(plan, last, fields)),
  };
}

/** The first `limit` documents of a plan, in its order. */
export async function findMerged<D>(
  collection: Collection<D>,
  plan: ListPlan,
  after: Place | null,
  limit: number,
  fields: (doc: D) => Readonly<Record<string, FieldValue>>,
): Promise<readonly StoredDocument<D>[]> {
  const { index, order, direction } = plan;
  const start = after === null ? {} : { after };
  const runs = await Promise.all(plan.wheres.map((where) => collection.find({ index, where, order, direction, limit, ...start })));
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return only;
  const sign = direction === 'asc' ? 1 : -1;
  return runs
    .flat()
    .map((item) => ({ item, place: placeOf(plan, item, fields) }))
    .sort((a, b) => sign * comparePlaces(a.place, b.place))
    .slice(0, limit)
    .map(({ item }) => item);
}

/** Where a document stands in a list. */
export function placeOf<D>(plan: ListPlan, item: StoredDocument<D>, fields: (doc: D) => Readonly<Record<string, FieldValue>>): Place {
  const values = fields(item.doc);
  return { values: plan.order.map((name) => Number(values[name])), id: item.id };
}

/** Ids are ASCII, so that every store and JavaScript sort them alike. */
export function comparePlaces(a: Place, b: Place): number {
  for (const [i, value] of a.values.entries()) {
    const other = b.values[i];
    if (other !== undefined && value !== other) return value - other;
  }
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
