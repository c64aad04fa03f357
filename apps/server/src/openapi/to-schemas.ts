import { raw } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Named } from './route-entry.js';
import { tidySchema } from './tidy.js';

export type SchemaObject = ReturnType<typeof tidySchema>;

const PREFIX = '#/components/schemas/';

/** How another schema refers to a named one. */
export const referenceTo = ({ name }: Named): SchemaObject => ({ $ref: `${PREFIX}${name}` });

/**
 * The named schemas as components, referring to each other by name.
 *
 * @param io `input`: what is validated as it comes, before defaults and transforms; `output`: what is answered
 * @throws Error for two schemas of one name, or two names of one schema
 */
export function toComponents(schemas: readonly Named[], io: 'input' | 'output'): Readonly<Record<string, SchemaObject>> {
  const registry = z.registry<{ id: string }>();
  const byName = new Map<string, z.ZodType>();
  for (const { name, schema } of schemas) {
    const known = byName.get(name);
    if (known !== undefined && known !== schema) throw new Error(`two schemas are named ${name}`);
    const other = registry.get(schema)?.id;
    if (other !== undefined && other !== name) throw new Error(`one schema is named ${other} and ${name}`);
    byName.set(name, schema);
    registry.add(schema, { id: name });
  }
  const { schemas: found } = z.toJSONSchema(registry, { ...options(io), uri: (id) => `${PREFIX}${id}` });
  return Object.fromEntries(Object.entries(found).map(([name, schema]) => [name, tidySchema(schema)]));
}

/** One schema with everything in it, for parameters. */
export function toSchema(schema: z.ZodType): SchemaObject {
  return tidySchema(z.toJSONSchema(schema, options('input')));
}

function options(io: 'input' | 'output') {
  return { target: 'openapi-3.0', io, unrepresentable: 'any', override: io === 'input' ? openRaw : openAnswers } as const;
}

interface Overridden {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Members that are kept as their exact text may be any JSON; the text that a model produced is a string in which JSON stands. */
function openRaw({ zodSchema, jsonSchema }: Overridden): void {
  // Identity, widened: `raw` is a custom schema, and the union of kinds doesn't name its input.
  if ((zodSchema as unknown) === raw) jsonSchema.description = 'Any JSON value, kept exactly as it is spelled.';
  const text = jsonSchema.properties?.['argumentsJson'];
  if (text !== undefined && jsonSchema.properties !== undefined)
    jsonSchema.properties['argumentsJson'] = { type: 'string', description: 'The raw text that a model produced, as a JSON string.' };
}

/** A client must take answers that have more members than it knows: later versions add some. */
function openAnswers({ jsonSchema }: Overridden): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
