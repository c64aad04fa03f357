import { wellFormed, type CopyDocument } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { COPY_INDEXES as by, copyFields } from './projection.js';

const shape = {
  /** The receipt id that the old records had. */
  receipt: wellFormed(1, 512).optional(),
  /** Only what this import added. */
  run: wellFormed(1, 256).optional(),
};

/** The query string of GET /v1/receipt-copies. */
export const CopyListQuery = z.strictObject({ ...shape, ...pageShape });
export type CopyListQuery = z.infer<typeof CopyListQuery>;

export interface CopyFilters {
  readonly receipt?: string | undefined;
  readonly run?: string | undefined;
}

/** Takes a parsed query string apart. */
export function splitCopyQuery(query: CopyListQuery): { readonly filters: CopyFilters; readonly page: PageRequest } {
  const { receipt, run, cursor, limit } = query;
  return { filters: { receipt, run }, page: { cursor, limit } };
}

/**
 * GET /v1/receipt-copies: one page, the last imported first. An agent sees those of its own user; one that names no user belongs to the
 * workspace alone.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findCopies(
  collection: Collection<CopyDocument>,
  scope: ReadScope,
  filters: CopyFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<CopyDocument>> {
  const binding = cursorBinding(['receipt-copies', scope.workspaceId, scope.userId, filters.receipt ?? null, filters.run ?? null]);
  return findPage(collection, planCopies(scope, filters), binding, page, copyFields);
}

/** The plan of a list; exported for its spec. */
export function planCopies(scope: ReadScope, { receipt, run }: CopyFilters): ListPlan {
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    ...(receipt === undefined ? {} : { originReceipt: { eq: receipt } }),
    ...(run === undefined ? {} : { run: { eq: run } }),
  };
  return { index: narrowest(scope, { receipt, run }).name, wheres: [where], order: ['importedPosition'], direction: 'desc' };
}

function narrowest(scope: ReadScope, { receipt, run }: CopyFilters): IndexSpec {
  if (receipt !== undefined) return by.origin;
  if (run !== undefined) return by.run;
  return scope.userId === null ? by.position : by.user;
}
