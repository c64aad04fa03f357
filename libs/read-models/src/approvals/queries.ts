import { ApprovalState, type ApprovalDocument } from '@counterfoil/contracts';
import { z } from 'zod';
import type { Collection, Condition, Query } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { findMerged, findPage, pageShape, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import { APPROVAL_INDEXES, approvalFields, approvalKey } from './projection.js';

const shape = {
  state: ApprovalState.optional(),
  /** Seconds from now; at most a year. */
  expiringWithin: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,7})$/, 'must be a whole number of seconds')
    .transform(Number)
    .refine((seconds) => seconds <= 31_536_000, 'must be at most a year')
    .optional(),
};

/** The query string of GET /v1/approvals. */
export const ApprovalListQuery = z.strictObject({ ...shape, ...pageShape });
export type ApprovalListQuery = z.infer<typeof ApprovalListQuery>;

export interface ApprovalFilters {
  readonly state?: ApprovalState | undefined;
  readonly expiringWithinSeconds?: number | undefined;
  /** Milliseconds since the epoch: an approval past its expiry counts as expired, also before a sweeper said so (promise 7). */
  readonly now: number;
}

/** Takes a parsed query string apart. */
export function splitApprovalQuery(
  query: ApprovalListQuery,
  now: number,
): { readonly filters: ApprovalFilters; readonly page: PageRequest } {
  const { state, expiringWithin, cursor, limit } = query;
  return { filters: { state, expiringWithinSeconds: expiringWithin, now }, page: { cursor, limit } };
}

/** States in which an approval can still expire. */
const LIVE: readonly ApprovalState[] = ['pending', 'granted'];

/**
 * GET /v1/approvals: one page, newest first; with `expiringWithinSeconds` those that are still live and end within so many seconds, the
 * soonest first, so that nobody is surprised by an expiry (case 19).
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export async function findApprovals(
  collection: Collection<ApprovalDocument>,
  scope: ReadScope,
  filters: ApprovalFilters,
  page: PageRequest = {},
): Promise<FoundPage<ApprovalDocument>> {
  const { state, expiringWithinSeconds, now } = filters;
  // `now` moves on from page to page and is no part of what the cursor belongs to.
  const binding = cursorBinding(['approvals', scope.workspaceId, scope.userId, state ?? null, expiringWithinSeconds ?? null]);
  const found = await findPage(collection, planApprovals(scope, filters), binding, page, approvalFields);
  return { items: found.items.map((doc) => asOf(doc, now)), nextCursor: found.nextCursor };
}

/** One approval as it stands at `now`; null if there is none in this scope. */
export async function getApproval(
  collection: Collection<ApprovalDocument>,
  scope: ReadScope,
  approvalId: string,
  now: number,
): Promise<ApprovalDocument | null> {
  const doc = (await collection.get(approvalKey(scope.workspaceId, approvalId)))?.doc ?? null;
  return doc !== null && inScope(scope, doc) ? asOf(doc, now) : null;
}

/** For the sweeper, across workspaces: approvals that have run out and not been said to, the longest overdue first. */
export async function dueApprovals(
  collection: Collection<ApprovalDocument>,
  now: number,
  limit: number,
): Promise<readonly ApprovalDocument[]> {
  const plan: ListPlan = {
    index: APPROVAL_INDEXES.due.name,
    wheres: LIVE.map((state) => ({ state: { eq: state }, expiresAt: { lte: now } })),
    order: ['expiresAt'],
    direction: 'asc',
  };
  return (await findMerged(collection, plan, null, limit, approvalFields)).map(({ doc }) => doc);
}

/**
 * For the metrics, across workspaces: how many approvals wait for a person. What has run out is not among them (promise 7).
 *
 * @param now milliseconds since the epoch
 */
export function countOpenApprovals(collection: Collection<ApprovalDocument>, now: number): Promise<number> {
  return collection.count(APPROVAL_INDEXES.due.name, { state: { eq: 'pending' }, expiresAt: { gt: now } });
}

/** The plan of a list; exported for its spec. */
export function planApprovals(scope: ReadScope, filters: ApprovalFilters): ListPlan {
  const { state, expiringWithinSeconds, now } = filters;
  const base: Query['where'] = {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
  };
  if (expiringWithinSeconds !== undefined) {
    const expiresAt = { gt: now, lte: now + expiringWithinSeconds * 1000 };
    return soonestFirst((state === undefined ? LIVE : [state]).map((one) => ({ ...base, state: { eq: one }, expiresAt })));
  }
  if (state !== undefined) return newestFirst(APPROVAL_INDEXES.state.name, inState(base, state, now));
  return newestFirst((scope.userId === null ? APPROVAL_INDEXES.position : APPROVAL_INDEXES.user).name, [base]);
}

/** A state as of `now`: live ones hold no overdue approvals, and those stand among the expired. */
function inState(base: Query['where'], state: ApprovalState, now: number): readonly Query['where'][] {
  const stored = (one: ApprovalState, expiresAt?: Condition): Query['where'] => ({
    ...base,
    state: { eq: one },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  if (LIVE.includes(state)) return [stored(state, { gt: now })];
  return state === 'expired' ? [stored(state), ...LIVE.map((one) => stored(one, { lte: now }))] : [stored(state)];
}

const newestFirst = (index: string, wheres: ListPlan['wheres']): ListPlan => ({
  index,
  wheres,
  order: ['requestedPosition'],
  direction: 'desc',
});

const soonestFirst = (wheres: ListPlan['wheres']): ListPlan => ({
  index: APPROVAL_INDEXES.expiry.name,
  wheres,
  order: ['expiresAt'],
  direction: 'asc',
});

function asOf(doc: ApprovalDocument, now: number): ApprovalDocument {
  return LIVE.includes(doc.state) && Date.parse(doc.expiresAt) <= now ? { ...doc, state: 'expired' } : doc;
}
