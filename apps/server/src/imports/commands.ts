import type { IncomingMessage } from 'node:http';
import { ImportRunId, SessionId, UserId, type AccessScope } from '@counterfoil/contracts';
import { IMPORT_FORMATS } from '@counterfoil/history';
import { z } from 'zod';

/** The query string of POST /v1/imports. */
export const ImportQuery = z.strictObject({
  run: ImportRunId.optional(),
  format: z.enum(IMPORT_FORMATS).optional(),
  dryRun: z.enum(['true', 'false']).optional(),
  user: UserId.optional(),
  session: SessionId.optional(),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export class RunImportCommand {
  constructor(
    readonly scope: AccessScope,
    readonly query: ImportQuery,
    /** Its body is not read yet; null where the request has none. */
    readonly body: IncomingMessage | null,
    readonly correlationId: string,
  ) {}
}
