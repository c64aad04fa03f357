import { PlanDocument, SessionId } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import { PLAN_INDEXES as by, planFields, planKey } from './projection.js';

const shape = { session: SessionId.optional(), state: PlanDocument.shape.state.optional() };

/** The query string of GET /v1/plans. */
export const PlanListQuery = z.strictObject({ ...shape, ...pageShape });
export type PlanListQuery = z.infer<typeof PlanListQuery>;

export interface PlanFilters {
  readonly session?: string | undefined;
  readonly state?: PlanDocument['state'] | undefined;
}

/** Takes a parsed query string apart. */
export function splitPlanQuery(query: PlanListQuery): { readonly filters: PlanFilters; readonly page: PageRequest } {
  const { session, state, cursor, limit } = query;
  return { filters: { session, state }, page: { cursor, limit } };
}

/**
 * GET /v1/plans: one page, the last activated first.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findPlans(
  collection: Collection<PlanDocument>,
  scope: ReadScope,
  filters: PlanFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<PlanDocument>> {
  const binding = cursorBinding(['plans', scope.workspaceId, scope.userId, filters.session ?? null, filters.state ?? null]);
  return findPage(collection, planPlans(scope, filters), binding, page, planFields);
}

/** The plan of a list; exported for its spec. */
export function planPlans(scope: ReadScope, filters: PlanFilters): ListPlan {
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    ...(filters.session === undefined ? {} : { session: { eq: filters.session } }),
    ...(filters.state === undefined ? {} : { state: { eq: filters.state } }),
  };
  return { index: narrowest(scope, filters).name, wheres: [where], order: ['activatedPosition'], direction: 'desc' };
}

function narrowest(scope: ReadScope, filters: PlanFilters): IndexSpec {
  if (filters.session !== undefined) return by.session;
  if (scope.userId !== null) return by.user;
  return filters.state === undefined ? by.position : by.state;
}

/** Null if there is none, and just so if it is another workspace's, or for agents another user's. */
export async function getPlan(
  collection: Collection<PlanDocument>,
  scope: ReadScope,
  sessionId: string,
  planId: string,
): Promise<PlanDocument | null> {
  const doc = (await collection.get(planKey(scope.workspaceId, sessionId, planId)))?.doc ?? null;
  return doc !== null && inScope(scope, doc) ? doc : null;
}
