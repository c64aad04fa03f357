import { ToolDocument, ToolSource } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { TOOL_INDEXES as by, toolFields, toolKey } from './projection.js';

const shape = { source: ToolSource.optional(), state: ToolDocument.shape.state.optional() };

/** The query string of GET /v1/tools. */
export const ToolListQuery = z.strictObject({ ...shape, ...pageShape });
export type ToolListQuery = z.infer<typeof ToolListQuery>;

export interface ToolFilters {
  readonly source?: string | undefined;
  readonly state?: ToolDocument['state'] | undefined;
}

/** Tools belong to the workspace: all of its users see the same. */
export type ToolScope = Pick<ReadScope, 'workspaceId'>;

/** Takes a parsed query string apart. */
export function splitToolQuery(query: ToolListQuery): { readonly filters: ToolFilters; readonly page: PageRequest } {
  const { source, state, cursor, limit } = query;
  return { filters: { source, state }, page: { cursor, limit } };
}

/**
 * GET /v1/tools: one page, in the order in which they were first registered, the last of them first.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findTools(
  collection: Collection<ToolDocument>,
  scope: ToolScope,
  filters: ToolFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<ToolDocument>> {
  const binding = cursorBinding(['tools', scope.workspaceId, filters.source ?? null, filters.state ?? null]);
  return findPage(collection, planTools(scope, filters), binding, page, toolFields);
}

/** The plan of a list; exported for its spec. */
export function planTools(scope: ToolScope, { source, state }: ToolFilters): ListPlan {
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(source === undefined ? {} : { source: { eq: source } }),
    ...(state === undefined ? {} : { state: { eq: state } }),
  };
  const index: IndexSpec = source !== undefined ? by.source : state !== undefined ? by.state : by.position;
  return { index: index.name, wheres: [where], order: ['registeredPosition'], direction: 'desc' };
}

/** One tool, also a retired one; null if it was never registered in the workspace. */
export async function getTool(
  collection: Collection<ToolDocument>,
  scope: ToolScope,
  source: string,
  name: string,
): Promise<ToolDocument | null> {
  return (await collection.get(toolKey(scope.workspaceId, source, name)))?.doc ?? null;
}
