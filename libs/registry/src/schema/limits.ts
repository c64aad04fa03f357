import { isObject, valuesIn } from './json.js';
import { SchemaError } from './schema-error.js';
import type { SchemaContent } from './walk.js';

/** Levels of nesting: what compiles a schema calls itself for each. */
const MOST_LEVELS = 64;
/** Schemas within one schema: what is made of them is nested code, and making it takes quadratic time. */
const MOST_PARTS = 500;
/** Names in all lists of dependencies together: each is a condition in one nested expression. */
const MOST_DEPENDENCIES = 200;

/** Maps of a schema in which Ajv skips this name: what is said of it would not be checked. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'] as const;

/**
 * Refuses what would take too long to compile, and what Ajv would leave unchecked or run in another way.
 *
 * @throws SchemaError
 */
export function checkLimits(root: unknown, { parts }: SchemaContent): void {
  for (const { depth } of valuesIn(root)) {
    if (depth > MOST_LEVELS) throw new SchemaError(`it is nested over ${String(MOST_LEVELS)} levels`);
  }
  if (parts.length > MOST_PARTS) throw new SchemaError(`it is made of more than ${String(MOST_PARTS)} schemas`);
  const listed = parts.reduce((sum, { schema }) => sum + listedNames(schema['dependentRequired']) + listedNames(schema['dependencies']), 0);
  if (listed > MOST_DEPENDENCIES) throw new SchemaError(`it lists more than ${String(MOST_DEPENDENCIES)} dependencies by name`);
  for (const { schema } of parts) {
    if (Object.hasOwn(schema, '$async')) throw new SchemaError('it asks for checks that are not immediate ($async)');
    for (const keyword of MAPS) {
      const map = schema[keyword];
      if (isObject(map) && Object.hasOwn(map, '__proto__')) throw new SchemaError('it describes a property named __proto__');
    }
  }
}

function listedNames(map: unknown): number {
  if (!isObject(map)) return 0;
  return Object.values(map).reduce<number>((sum, names) => sum + (Array.isArray(names) ? names.length : 0), 0);
}
