import { QueryNotServedError } from './errors.js';
import type { CollectionSpec, Condition, FieldValue, IndexSpec, Query } from './port.js';
import { indexFields } from './spec-rules.js';
import { isFieldValue } from './write-rules.js';

const MOST_VALUES_IN_A_LIST = 1000;

/** What an adapter builds a query from: the index, and the keyset without the fields that an equality holds fixed. */
export interface ServedQuery {
  readonly index: IndexSpec;
  readonly order: readonly string[];
  /** Values of `order` at the end of the page before. */
  readonly after: { readonly values: readonly FieldValue[]; readonly id: string } | null;
}

/**
 * Checks that the named index gives the wanted order without sorting: its fields, less those that `where` holds to one value, must be
 * `order`, less the same. Other conditions only filter what the index yields, and may name any field of any index.
 * @throws QueryNotServedError
 */
export function servedBy(spec: CollectionSpec, query: Query): ServedQuery {
  const index = assertWhere(spec, query.index, query.where);
  if (!Number.isSafeInteger(query.limit) || query.limit < 1) throw new QueryNotServedError('a query needs a limit of 1 or more');
  const isFree = (field: string): boolean => !isFixed(query.where, field);
  const order = query.order.filter(isFree);
  if (order.join() !== index.fields.filter(isFree).join()) {
    throw new QueryNotServedError(`index ${index.name} of ${spec.name} doesn't give the order (${query.order.join()})`);
  }
  if (query.after === undefined) return { index, order, after: null };
  const { values, id } = query.after;
  if (values.length !== query.order.length || !values.every(isFieldValue) || !id.isWellFormed()) {
    throw new QueryNotServedError('the place to go on from needs one value for each field of the order, and an id');
  }
  return { index, order, after: { values: values.filter((_, at) => isFree(query.order[at] ?? '')), id } };
}

/**
 * Checks index and conditions of a query or a count; answers the index.
 * @throws QueryNotServedError
 */
export function assertWhere(spec: CollectionSpec, indexName: string, where: Query['where']): IndexSpec {
  const index = spec.indexes.find((candidate) => candidate.name === indexName);
  if (index === undefined) throw new QueryNotServedError(`${spec.name} has no index ${JSON.stringify(indexName)}`);
  const known = new Set(indexFields(spec));
  for (const [field, condition] of Object.entries(where)) {
    if (!known.has(field)) throw new QueryNotServedError(`no index of ${spec.name} has the field ${JSON.stringify(field)}`);
    assertCondition(field, condition);
  }
  return index;
}

function isFixed(where: Query['where'], field: string): boolean {
  const condition = Object.hasOwn(where, field) ? where[field] : undefined;
  return condition !== undefined && 'eq' in condition;
}

function assertCondition(field: string, condition: Condition): void {
  const values = valuesOf(condition);
  if (!values.every(isFieldValue)) throw new QueryNotServedError(`a value asked of ${field} can't be stored in any field`);
  if ('in' in condition) {
    if (values.length > MOST_VALUES_IN_A_LIST) throw new QueryNotServedError(`too many values are asked of ${field}`);
  } else if (!('eq' in condition) && !('prefix' in condition)) {
    // Nulls have no place in a range, and strings none in one of numbers: stores would differ.
    const [first] = values;
    const isRange = first !== undefined && first !== null && values.every((value) => typeof value === typeof first);
    if (!isRange) throw new QueryNotServedError(`the range of ${field} needs bounds of one type`);
  }
}

function valuesOf(condition: Condition): readonly (FieldValue | undefined)[] {
  if ('eq' in condition) return [condition.eq];
  if ('in' in condition) return condition.in;
  if ('prefix' in condition) return [condition.prefix];
  return [condition.gt, condition.gte, condition.lt, condition.lte].filter((value) => value !== undefined);
}

/**
 * The least string that is greater than every string that begins with `prefix`, in order of code points (which is that of UTF-8);
 * null when there is none.
 */
export function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix);
  for (;;) {
    const last = points.pop()?.codePointAt(0);
    if (last === undefined) return null;
    if (last === 0x10ffff) continue;
    // The code points after U+D7FF are surrogates, which no stored string holds alone.
    return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
}
