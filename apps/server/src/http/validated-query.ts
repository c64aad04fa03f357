import type { z } from 'zod';
import { validate } from './json-body.pipe.js';

/**
 * Validates a query string. A name that is given twice comes as a list and so fails its schema, as it should.
 *
 * @throws DomainError `invalid_request`
 */
export function validatedQuery<S extends z.ZodType>(schema: S, query: unknown): z.infer<S> {
  return validate(schema, typeof query === 'object' && query !== null ? { ...query } : {});
}
