/** A JSON value of a schema. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type SchemaObject = Readonly<Record<string, Json>>;

/** OpenAPI 3.0 has no type for null: a value that is null and nothing else. */
const NULL: SchemaObject = { type: 'string', nullable: true, enum: [null] };

/** Keywords that OpenAPI 3.0.3 doesn't know. */
const UNKNOWN: ReadonlySet<string> = new Set(['$id', '$schema', 'propertyNames']);

/**
 * Mends what zod writes for OpenAPI 3.0 where it means something else there (OpenAPI 3.0.3, Schema Object): `nullable` has no effect
 * beside `allOf`, `anyOf` and `oneOf`, and an `enum` must list its null. Integers get plain bounds.
 */
export function tidySchema(schema: unknown): SchemaObject {
  return isObject(schema) ? tidyObject(schema) : {};
}

function tidy(value: unknown): Json {
  if (Array.isArray(value)) return value.map(tidy);
  if (isObject(value)) return tidyObject(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function tidyObject(schema: Readonly<Record<string, unknown>>): SchemaObject {
  const entries = Object.entries(schema).filter(([key]) => !UNKNOWN.has(key));
  const tidied = Object.fromEntries(entries.map(([key, value]) => [key, key === 'properties' ? tidyProperties(value) : tidy(value)]));
  return withoutWrapper(withNull(withPlainBounds(tidied)));
}

/** Names of properties are no keywords. */
function tidyProperties(properties: unknown): Json {
  if (!isObject(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidySchema(schema)]));
}

function withPlainBounds(schema: SchemaObject): SchemaObject {
  if (schema['type'] !== 'integer') return schema;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum: _exclusiveMaximum, ...rest } = schema;
  const least = typeof minimum === 'number' && exclusiveMinimum === true ? minimum + 1 : minimum;
  return {
    ...rest,
    ...(typeof least === 'number' && least !== Number.MIN_SAFE_INTEGER ? { minimum: least } : {}),
    ...(typeof maximum === 'number' && maximum !== Number.MAX_SAFE_INTEGER ? { maximum } : {}),
  };
}

function withNull(schema: SchemaObject): SchemaObject {
  if (schema['nullable'] !== true) return schema;
  const { nullable: _nullable, allOf, anyOf, oneOf, ...rest } = schema;
  if (Array.isArray(oneOf)) return { ...rest, oneOf: [...(oneOf as readonly Json[]), NULL] };
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...(anyOf as readonly Json[]), NULL] };
  if (Array.isArray(allOf)) return { ...rest, anyOf: [allOf.length === 1 ? (allOf[0] as Json) : { allOf }, NULL] };
  const { enum: values } = schema;
  return Array.isArray(values) && !values.includes(null) ? { ...schema, enum: [...(values as readonly Json[]), null] } : schema;
}

/** A reference that stands alone needs no `allOf` around it. */
function withoutWrapper(schema: SchemaObject): SchemaObject {
  const { allOf } = schema;
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : null;
  return Object.keys(schema).length === 1 && isObject(only) ? (only as SchemaObject) : schema;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
