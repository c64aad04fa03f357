import type { CollectionSpec, Condition, FieldValue, IndexSpec, Query } from '../port.js';
import { assertWhere, prefixEnd, servedBy } from '../query-rules.js';
import type { SqlValue } from './connection.js';
import { columnOf, indexOf, LIVE, tableOf } from './tables.js';

export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/**
 * A null is kept as minus infinity, which no document holds (JSON has none): it sorts before every number and text, equals itself, and
 * can stand in a row value, so that keysets and unique indexes need no special case. The columns of tombstones alone are NULL.
 */
export const NULL_COLUMN = -Infinity;

/** A field's value as its column holds it. */
export function toColumn(value: FieldValue): string | number {
  return value ?? NULL_COLUMN;
}

/** Which bounds of a range the keyset already implies: they mustn't tempt the planner to start at the range's beginning again. */
interface Implied {
  readonly lower: boolean;
  readonly upper: boolean;
}
const NOTHING_IMPLIED: Implied = { lower: false, upper: false };

/**
 * The SQL of a query: (id, guard, doc) of its page. Null when no document can match.
 * @throws QueryNotServedError
 */
export function findSql(spec: CollectionSpec, query: Query): Sql | null {
  const { index, order, after } = servedBy(spec, query);
  const ascending = query.direction === 'asc';
  const implied = after === null ? NOTHING_IMPLIED : { lower: ascending, upper: !ascending };
  const where = whereSql(index, query.where, (field) => (field === order[0] ? implied : NOTHING_IMPLIED));
  if (where === null) return null;
  const keys = [...order.map(columnOf), 'id'];
  const terms = [...where.terms];
  const params = [...where.params];
  if (after !== null) {
    terms.push(`(${keys.join(', ')}) ${ascending ? '>' : '<'} (${keys.map(() => '?').join(', ')})`);
    params.push(...after.values.map(toColumn), after.id);
  }
  const text =
    `SELECT id, guard, doc FROM ${tableOf(spec.name)} INDEXED BY ${indexOf(spec.name, index.name)} WHERE ${terms.join(' AND ')}` +
    ` ORDER BY ${keys.map((key) => `${key} ${ascending ? 'ASC' : 'DESC'}`).join(', ')} LIMIT ?`;
  return { text, params: [...params, query.limit] };
}

/**
 * The SQL that counts what matches. Null when no document can match.
 * @throws QueryNotServedError
 */
export function countSql(spec: CollectionSpec, indexName: string, conditions: Query['where']): Sql | null {
  const index = assertWhere(spec, indexName, conditions);
  const where = whereSql(index, conditions, () => NOTHING_IMPLIED);
  if (where === null) return null;
  const from = `${tableOf(spec.name)} INDEXED BY ${indexOf(spec.name, index.name)}`;
  return { text: `SELECT count(*) FROM ${from} WHERE ${where.terms.join(' AND ')}`, params: where.params };
}

interface Terms {
  readonly terms: readonly string[];
  readonly params: readonly SqlValue[];
}

function whereSql(index: IndexSpec, where: Query['where'], impliedFor: (field: string) => Implied): Terms | null {
  const [first] = index.fields;
  // Keeps tombstones out by the index itself, so that a count needs no look at the documents.
  const terms = [first === undefined ? LIVE : `${columnOf(first)} IS NOT NULL`];
  const params: SqlValue[] = [];
  for (const [field, condition] of Object.entries(where)) {
    if ('in' in condition && condition.in.length === 0) return null;
    const part = conditionSql(columnOf(field), condition, impliedFor(field));
    terms.push(...part.terms);
    params.push(...part.params);
  }
  return { terms, params };
}

function conditionSql(column: string, condition: Condition, implied: Implied): Terms {
  if ('eq' in condition) return { terms: [`${column} = ?`], params: [toColumn(condition.eq)] };
  if ('in' in condition) {
    const params = padded(condition.in.map(toColumn));
    return { terms: [`${column} IN (${params.map(() => '?').join(', ')})`], params };
  }
  return rangeSql(column, 'prefix' in condition ? prefixBounds(condition.prefix) : typedBounds(condition), implied);
}

/** A list of few lengths makes few statements: a power of two, filled up with the last value. */
function padded<T>(values: readonly T[]): T[] {
  const last = values.slice(-1);
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: length - values.length }, () => last).flat()];
}

type Bound = readonly ['>' | '>=' | '<' | '<=', string | number];

function prefixBounds(prefix: string): readonly Bound[] {
  const end = prefixEnd(prefix);
  return end === null
    ? [['>=', prefix]]
    : [
        ['>=', prefix],
        ['<', end],
      ];
}

/** Of columns with mixed types only the type of the bounds is meant: numbers stand before every text, nulls before every number. */
function typedBounds(range: { gt?: FieldValue; gte?: FieldValue; lt?: FieldValue; lte?: FieldValue }): readonly Bound[] {
  const bounds: Bound[] = [];
  const add = (operator: Bound[0], value: FieldValue | undefined): void => {
    if (value !== undefined && value !== null) bounds.push([operator, value]);
  };
  add('>', range.gt);
  add('>=', range.gte);
  if (bounds.length === 0) bounds.push(typeof (range.lt ?? range.lte) === 'string' ? ['>=', ''] : ['>', NULL_COLUMN]);
  const lowerBounds = bounds.length;
  add('<', range.lt);
  add('<=', range.lte);
  if (bounds.length === lowerBounds && typeof (range.gt ?? range.gte) === 'number') bounds.push(['<', '']);
  return bounds;
}

function rangeSql(column: string, bounds: readonly Bound[], implied: Implied): Terms {
  const terms = bounds.map(([operator]) => {
    const isImplied = operator.startsWith('>') ? implied.lower : implied.upper;
    // A unary plus keeps the condition but hides the column from the planner.
    return `${isImplied ? '+' : ''}${column} ${operator} ?`;
  });
  return { terms, params: bounds.map(([, value]) => value) };
}
