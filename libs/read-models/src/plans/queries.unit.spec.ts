import type { PlanDocument } from '@counterfoil/contracts';
import { manyPlans, projectedCollection } from '@counterfoil/testing';
import type { ReadScope } from '../shared/scope.js';
import { plansProjection } from './projection.js';
import { findPlans, getPlan, PlanListQuery, planPlans, splitPlanQuery, type PlanFilters } from './queries.js';

const plans = projectedCollection(plansProjection, manyPlans(120).events);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u1' };

async function pages(filters: PlanFilters, scope = WORKSPACE): Promise<readonly PlanDocument[]> {
  const all: PlanDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findPlans(plans, scope, filters, { limit: 4, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findPlans', () => {
  it('lists the plans of a workspace, the last activated first', async () => {
    const found = await pages({});
    expect(found).toHaveLength(90);
    const positions = found.map((doc) => Number(doc.activatedPosition));
    expect(positions).toEqual(positions.toSorted((a, b) => b - a));
    expect(new Set(found.map((doc) => doc.workspaceId))).toEqual(new Set(['w1']));
  });

  it.each([{ session: 's1' }, { state: 'active' }, { state: 'closed' }, { session: 's1', state: 'active' }, { session: 'none' }] as const)(
    'lists those that %j asks for',
    async (filters: PlanFilters) => {
      for (const scope of [WORKSPACE, USER]) {
        const expected = (await pages({}, scope)).filter(
          (doc) =>
            (filters.session === undefined || doc.sessionId === filters.session) &&
            (filters.state === undefined || doc.state === filters.state),
        );
        expect(await pages(filters, scope)).toEqual(expected);
      }
    },
  );

  it('holds at most one active plan of each session', async () => {
    const active = (await pages({ state: 'active' })).map((doc) => doc.sessionId);
    expect(active.length).toBeGreaterThan(2);
    expect(new Set(active).size).toBe(active.length);
  });

  it("shows a single user the plans of its own sessions, and nobody else's", async () => {
    expect(await pages({}, USER)).toEqual((await pages({})).filter((doc) => doc.userId === 'u1'));
    expect(await pages({}, { workspaceId: 'w1', userId: 'u9' })).toEqual([]);
  });

  it('takes a cursor only with its filters', async () => {
    const { nextCursor } = await findPlans(plans, WORKSPACE, {}, { limit: 2 });
    for (const other of [{ state: 'active' as const }, { session: 's1' }]) {
      await expect(findPlans(plans, WORKSPACE, other, { cursor: nextCursor ?? '' })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    }
  });

  it.each([
    [WORKSPACE, {}, 'by_position'],
    [USER, {}, 'by_user'],
    [USER, { state: 'active' }, 'by_user'],
    [WORKSPACE, { state: 'active' }, 'by_state'],
    [WORKSPACE, { state: 'active', session: 's1' }, 'by_session'],
  ] as const)('reads (%j) %j by %s', (scope, filters, index) => {
    expect(planPlans(scope, filters).index).toBe(index);
  });

  it('takes a query string', () => {
    expect(splitPlanQuery(PlanListQuery.parse({ session: 's1', state: 'active' }))).toEqual({
      filters: { session: 's1', state: 'active' },
      page: { limit: 50, cursor: undefined },
    });
    expect(PlanListQuery.safeParse({ state: 'open' }).success).toBe(false);
    expect(PlanListQuery.safeParse({ session: 'a/b' }).success).toBe(false);
    expect(PlanListQuery.safeParse({ plan: 'p1' }).success).toBe(false);
  });
});

describe('getPlan', () => {
  it('finds a plan of its scope alone', async () => {
    expect(await getPlan(plans, WORKSPACE, 's1', 'p0')).toMatchObject({ sessionId: 's1', planId: 'p0', workspaceId: 'w1' });
    expect(await getPlan(plans, USER, 's1', 'p0')).not.toBeNull();
    expect(await getPlan(plans, { workspaceId: 'w1', userId: 'u2' }, 's1', 'p0')).toBeNull();
    expect(await getPlan(plans, { workspaceId: 'w3', userId: null }, 's1', 'p0')).toBeNull();
    expect(await getPlan(plans, WORKSPACE, 's1', 'none')).toBeNull();
  });
});
