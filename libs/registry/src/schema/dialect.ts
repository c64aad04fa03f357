import { isObject } from './json.js';
import { SchemaError } from './schema-error.js';

/** The versions of JSON Schema that are understood. */
export type Dialect = '2020-12' | 'draft-07';

const DIALECTS: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'draft-07'],
];

/** By `$schema`; 2020-12 where that is missing. @throws SchemaError for another one */
export function dialectOf(root: unknown): Dialect {
  if (!isObject(root) || !Object.hasOwn(root, '$schema')) return '2020-12';
  const named = root['$schema'];
  const found = DIALECTS.find(([name]) => typeof named === 'string' && name.test(named));
  if (found === undefined) throw new SchemaError('its $schema is neither 2020-12 nor draft-07');
  return found[1];
}
