import { SessionDocument } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import { SESSION_INDEXES, sessionFields, sessionKey } from './projection.js';

const shape = { state: SessionDocument.shape.state.optional() };

/** The query string of GET /v1/sessions. */
export const SessionListQuery = z.strictObject({ ...shape, ...pageShape });
export type SessionListQuery = z.infer<typeof SessionListQuery>;

export interface SessionFilters {
  readonly state?: SessionDocument['state'] | undefined;
}

/** Takes a parsed query string apart. */
export function splitSessionQuery(query: SessionListQuery): { readonly filters: SessionFilters; readonly page: PageRequest } {
  const { state, cursor, limit } = query;
  return { filters: { state }, page: { cursor, limit } };
}

/**
 * GET /v1/sessions: one page, the last opened first.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findSessions(
  collection: Collection<SessionDocument>,
  scope: ReadScope,
  filters: SessionFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<SessionDocument>> {
  const binding = cursorBinding(['sessions', scope.workspaceId, scope.userId, filters.state ?? null]);
  return findPage(collection, planSessions(scope, filters), binding, page, sessionFields);
}

/** The plan of a list; exported for its spec. */
export function planSessions(scope: ReadScope, filters: SessionFilters): ListPlan {
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    ...(filters.state === undefined ? {} : { state: { eq: filters.state } }),
  };
  const index = scope.userId === null ? SESSION_INDEXES.position : SESSION_INDEXES.user;
  return { index: index.name, wheres: [where], order: ['openedPosition'], direction: 'desc' };
}

/** Null if there is none, and just so if it is another workspace's, or for agents another user's. */
export async function getSession(
  collection: Collection<SessionDocument>,
  scope: ReadScope,
  sessionId: string,
): Promise<SessionDocument | null> {
  const doc = (await collection.get(sessionKey(scope.workspaceId, sessionId)))?.doc ?? null;
  return doc !== null && inScope(scope, doc) ? doc : null;
}

/** For the sweeper, across workspaces: closed sessions that still hold calls which were never dispatched. */
export async function closedWithLeftovers(collection: Collection<SessionDocument>, limit: number): Promise<readonly SessionDocument[]> {
  const found = await collection.find({
    index: SESSION_INDEXES.leftovers.name,
    where: { state: { eq: 'closed' }, undispatched: { gt: 0 } },
    order: ['undispatched'],
    direction: 'asc',
    limit,
  });
  return found.map(({ doc }) => doc);
}
