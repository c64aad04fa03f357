import type { ImportDocument } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { IMPORT_INDEXES as by, importFields, importKey } from './projection.js';

/** The query string of GET /v1/imports. */
export const ImportListQuery = z.strictObject(pageShape);
export type ImportListQuery = z.infer<typeof ImportListQuery>;

/** Imports belong to the workspace: one brings records of many users. */
export type ImportScope = Pick<ReadScope, 'workspaceId'>;

/**
 * GET /v1/imports: one page of the imports that ended and added something, the last of them first.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findImports(
  collection: Collection<ImportDocument>,
  scope: ImportScope,
  page: PageRequest = {},
): Promise<FoundPage<ImportDocument>> {
  return findPage(collection, planImports(scope), cursorBinding(['imports', scope.workspaceId]), page, importFields);
}

/** The plan of the list; exported for its spec. */
export function planImports(scope: ImportScope): ListPlan {
  return { index: by.position.name, wheres: [{ workspace: { eq: scope.workspaceId } }], order: ['finishedPosition'], direction: 'desc' };
}

/** Null if there is none, and just so if it is another workspace's. */
export async function getImport(collection: Collection<ImportDocument>, scope: ImportScope, run: string): Promise<ImportDocument | null> {
  return (await collection.get(importKey(scope.workspaceId, run)))?.doc ?? null;
}
