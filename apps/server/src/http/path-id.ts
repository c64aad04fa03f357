import { DomainError } from '@counterfoil/contracts';
import type { z } from 'zod';

/** An id out of a path. One that nothing can have is a missing thing. @throws DomainError `not_found`, with `detail` */
export function pathId(schema: z.ZodType<string>, value: string, detail: string): string {
  if (!schema.safeParse(value).success) throw new DomainError('not_found', detail);
  return value;
}
