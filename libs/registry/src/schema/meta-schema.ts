import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Dialect } from './dialect.js';
import { SchemaError } from './schema-error.js';
import { words } from './words.js';

const OPTIONS = { strict: false, logger: false, validateFormats: false } as const;

/** One of each is enough: it holds the schema of schemas only. */
const CHECKERS: Record<Dialect, Ajv | null> = { '2020-12': null, 'draft-07': null };

/** Whether it is a schema at all: `{"type":"text"}` is none. @throws SchemaError that says where */
export function checkAgainstMetaSchema(schema: AnySchema, dialect: Dialect): void {
  const checker = (CHECKERS[dialect] ??= dialect === 'draft-07' ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS));
  const isSchema = checker.validateSchema(schema);
  if (isSchema === true) return;
  const path = checker.errors?.at(-1)?.instancePath ?? '';
  throw new SchemaError(words(`it is no JSON Schema at #${path}`));
}
