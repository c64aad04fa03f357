import type { Filter } from 'mongodb';
import type { CollectionSpec, Condition, IndexSpec, Query } from '../port.js';
import { assertWhere, prefixEnd, servedBy } from '../query-rules.js';
import { rangeOfType, TOMBSTONE, toText } from './field-values.js';
import { fieldName, LIVE, LIVE_TEXT, type Row } from './layout.js';

/** Conditions on one field, all of which must hold. */
interface Bounds {
  readonly $eq?: string;
  readonly $in?: readonly string[];
  readonly $gt?: string;
  readonly $gte?: string;
  readonly $lt?: string;
  readonly $lte?: string;
}
type Conditions = Readonly<Record<string, Bounds>>;

export interface FindPlan {
  readonly filter: Filter<Row>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** Name of the index. */
  readonly hint: string;
}

/**
 * How a query is asked. Null when no document can match.
 * @throws QueryNotServedError
 */
export function findPlan(spec: CollectionSpec, query: Query): FindPlan | null {
  const { index, order, after } = servedBy(spec, query);
  const where = conditionsOf(index, query.where);
  if (where === null) return null;
  const keys = [...order.map(fieldName), '_id'];
  const direction = query.direction === 'asc' ? 1 : -1;
  const values = after === null ? null : [...after.values.map(toText), after.id];
  const filter = values === null ? where : beyond(where, keys, values, direction === 1 ? '$gt' : '$lt');
  return { filter: filter, sort: Object.fromEntries(keys.map((key) => [key, direction])), hint: index.name };
}

/**
 * How documents are counted. Null when none can match.
 * @throws QueryNotServedError
 */
export function countPlan(
  spec: CollectionSpec,
  indexName: string,
  where: Query['where'],
): { readonly filter: Filter<Row>; readonly hint: string } | null {
  const index = assertWhere(spec, indexName, where);
  const conditions = conditionsOf(index, where);
  return conditions === null ? null : { filter: conditions, hint: index.name };
}

/**
 * The keyset: one branch for each field of the order in which a later document may first differ. Every branch holds all conditions, so
 * that each is one range of the index, and the server can merge the ranges in the index's order instead of sorting.
 */
function beyond(where: Conditions, keys: readonly string[], values: readonly string[], operator: '$gt' | '$lt'): object {
  const branches = keys.map((key, at) => {
    const branch: Record<string, Bounds> = { ...where };
    keys.slice(0, at).forEach((fixed, n) => {
      branch[fixed] = { ...branch[fixed], $eq: values[n] ?? '' };
    });
    branch[key] = narrowed(branch[key] ?? {}, operator, values[at] ?? '');
    return branch;
  });
  const [only] = branches;
  // The branch with most equalities first: its documents are the next in order.
  return branches.length === 1 && only !== undefined ? only : { $or: branches.reverse() };
}

/** Of two bounds of one kind the narrower one: an object has room for one only. */
function narrowed(bounds: Bounds, operator: '$gt' | '$lt', value: string): Bounds {
  const there = bounds[operator];
  if (there === undefined) return { ...bounds, [operator]: value };
  const order = Buffer.compare(Buffer.from(there), Buffer.from(value));
  return { ...bounds, [operator]: order > 0 === (operator === '$gt') ? there : value };
}

/** Null when a list of no values is asked for. */
function conditionsOf(index: IndexSpec, where: Query['where']): Conditions | null {
  const [first] = index.fields;
  // Keeps tombstones out by the index itself, so that a count needs no look at the documents.
  const conditions: Record<string, Bounds> =
    first === undefined ? { [LIVE]: { $eq: LIVE_TEXT } } : { [fieldName(first)]: { $lt: TOMBSTONE } };
  for (const [field, condition] of Object.entries(where)) {
    if ('in' in condition && condition.in.length === 0) return null;
    conditions[fieldName(field)] = boundsOf(condition);
  }
  return conditions;
}

function boundsOf(condition: Condition): Bounds {
  if ('eq' in condition) return { $eq: toText(condition.eq) };
  if ('in' in condition) return { $in: [...new Set(condition.in.map(toText))] };
  if ('prefix' in condition) return prefixBounds(condition.prefix);
  return typedBounds(condition);
}

function prefixBounds(prefix: string): Bounds {
  const end = prefixEnd(prefix);
  return { $gte: toText(prefix), $lt: end === null ? rangeOfType('string')[1] : toText(end) };
}

/** Of fields with mixed types only the type of the bounds is meant. */
function typedBounds({ gt, gte, lt, lte }: Extract<Condition, { gt?: unknown }>): Bounds {
  const type = typeof (gt ?? gte ?? lt ?? lte) === 'number' ? 'number' : 'string';
  const [first, end] = rangeOfType(type);
  const bounds: { -readonly [operator in keyof Bounds]: Bounds[operator] } = {};
  if (gt != null) bounds.$gt = toText(gt);
  if (gte != null) bounds.$gte = toText(gte);
  if (lt != null) bounds.$lt = toText(lt);
  if (lte != null) bounds.$lte = toText(lte);
  if (bounds.$gt === undefined) bounds.$gte ??= first;
  if (bounds.$lte === undefined) bounds.$lt ??= end;
  return bounds;
}
