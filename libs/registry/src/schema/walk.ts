import { isObject, sizeOf, type JsonObject } from './json.js';

/** A schema within a schema. */
export interface SchemaPart {
  readonly schema: JsonObject;
  /** The property that it describes, also from within `anyOf` and the like; null if that has no name. */
  readonly property: string | null;
}

/** Values that stand in a schema: not schemas, but instances, as arguments are. */
export interface SchemaValue {
  readonly keyword: string;
  readonly value: unknown;
  readonly property: string | null;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Hold one schema, or a list of them. */
const SCHEMAS = words(
  'items prefixItems additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if then else ' +
    'allOf anyOf oneOf contentSchema',
);
/** Hold schemas by names that are the schema's, not a keyword. */
const NAMED = words('properties patternProperties $defs definitions dependentSchemas dependencies');
/** Of these the names are those of properties, or of definitions, which are called like what they describe. */
const NAMES_DESCRIBE = words('properties $defs definitions');
/** Hold one instance, or a list of them. */
const INSTANCES = words('default const example');
const LISTS_OF_INSTANCES = words('enum examples');
/** Hold nothing but what describes. */
const PLAIN = words(
  '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $async id title description type format pattern required ' +
    'dependentRequired minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems ' +
    'minContains maxContains minProperties maxProperties readOnly writeOnly deprecated nullable contentEncoding contentMediaType',
);

/** What a schema is made of. What no keyword of ours holds is taken for an instance: it describes nothing that is checked. */
export interface SchemaContent {
  readonly parts: readonly SchemaPart[];
  readonly values: readonly SchemaValue[];
  /** Keywords, names and words that a check may have to go through. */
  readonly size: number;
}

/** Takes a schema apart, from the outside inwards. */
export function contentOf(root: unknown): SchemaContent {
  const parts: SchemaPart[] = [];
  const values: SchemaValue[] = [];
  let size = 1;
  const open = (schema: unknown, property: string | null): void => {
    if (isObject(schema)) parts.push({ schema, property });
  };
  open(root, null);
  // The list grows while it is walked over.
  for (const { schema, property } of parts) {
    for (const [keyword, value] of Object.entries(schema)) {
      size++;
      if (SCHEMAS.has(keyword)) {
        for (const each of Array.isArray(value) ? value : [value]) open(each, property);
      } else if (NAMED.has(keyword) && isObject(value)) {
        for (const [name, each] of Object.entries(value)) {
          size += 1 + (Array.isArray(each) ? each.length : 0);
          open(each, NAMES_DESCRIBE.has(keyword) ? name : null);
        }
      } else if (INSTANCES.has(keyword)) {
        values.push({ keyword, value, property });
      } else if (LISTS_OF_INSTANCES.has(keyword) && Array.isArray(value)) {
        for (const each of value) values.push({ keyword, value: each, property });
      } else if (PLAIN.has(keyword)) {
        size += sizeOf(value);
      } else {
        size += sizeOf(value);
        values.push({ keyword, value: { [keyword]: value }, property: null });
      }
    }
  }
  return { parts, values, size };
}
