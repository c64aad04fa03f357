import type { QuarantineDocument } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { QUARANTINE_INDEXES as by, quarantineFields } from './projection.js';

/** A code of libs/history; those of later versions are asked for with the same words. */
const reason = z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be a code of docs/history.md');

/** The query string of GET /v1/imports/{id}/quarantined. */
export const QuarantineListQuery = z.strictObject({ reason: reason.optional(), ...pageShape });
export type QuarantineListQuery = z.infer<typeof QuarantineListQuery>;

export interface QuarantineFilters {
  readonly run?: string | undefined;
  readonly reason?: string | undefined;
}

/** What is put aside belongs to the workspace: what user a record is of is not known of one that can't be read. */
export type QuarantineScope = Pick<ReadScope, 'workspaceId'>;

/** Takes a parsed query string apart. */
export function splitQuarantineQuery(
  run: string,
  query: QuarantineListQuery,
): { readonly filters: QuarantineFilters; readonly page: PageRequest } {
  const { reason: wanted, cursor, limit } = query;
  return { filters: { run, reason: wanted }, page: { cursor, limit } };
}

/**
 * One page of the records that imports put aside, the last of them first.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findQuarantined(
  collection: Collection<QuarantineDocument>,
  scope: QuarantineScope,
  filters: QuarantineFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<QuarantineDocument>> {
  const binding = cursorBinding(['quarantine', scope.workspaceId, filters.run ?? null, filters.reason ?? null]);
  return findPage(collection, planQuarantined(scope, filters), binding, page, quarantineFields);
}

/** The plan of a list; exported for its spec. */
export function planQuarantined(scope: QuarantineScope, filters: QuarantineFilters): ListPlan {
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(filters.run === undefined ? {} : { run: { eq: filters.run } }),
    ...(filters.reason === undefined ? {} : { reason: { eq: filters.reason } }),
  };
  const index: IndexSpec = filters.run !== undefined ? by.run : filters.reason !== undefined ? by.reason : by.position;
  return { index: index.name, wheres: [where], order: ['importedPosition'], direction: 'desc' };
}

/** How many records a run put aside. */
export function countQuarantined(collection: Collection<QuarantineDocument>, scope: QuarantineScope, run: string): Promise<number> {
  return collection.count(by.run.name, { workspace: { eq: scope.workspaceId }, run: { eq: run } });
}
