import type { ApprovalDocument, ApprovalState } from '@counterfoil/contracts';
import { leaseOf, LOG_BEGINS, manyCalls, projectedCollection } from '@counterfoil/testing';
import type { ReadScope } from '../shared/scope.js';
import { approvalsProjection } from './projection.js';
import {
  ApprovalListQuery,
  countOpenApprovals,
  dueApprovals,
  findApprovals,
  getApproval,
  splitApprovalQuery,
  type ApprovalFilters,
} from './queries.js';

const approvals = projectedCollection(approvalsProjection, manyCalls(400).events);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
/** Approvals of the calls up to number 199 are past their expiry. */
const HALF = Date.parse(leaseOf(199));

async function pages(filters: ApprovalFilters, limit = 3, scope = WORKSPACE): Promise<readonly ApprovalDocument[]> {
  const all: ApprovalDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findApprovals(approvals, scope, filters, { limit, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

async function stored(...states: readonly ApprovalState[]): Promise<readonly ApprovalDocument[]> {
  const all: ApprovalDocument[] = [];
  for await (const { doc } of approvals.scan()) if (doc !== null && doc.workspaceId === 'w1' && states.includes(doc.state)) all.push(doc);
  return all.sort((a, b) => Number(b.requestedPosition) - Number(a.requestedPosition));
}

const ids = (docs: readonly ApprovalDocument[]): readonly string[] => docs.map((doc) => doc.approvalId);
const isDue = (doc: ApprovalDocument): boolean => Date.parse(doc.expiresAt) <= HALF;

describe('findApprovals', () => {
  it('lists all, newest first', async () => {
    const all = await stored('pending', 'granted', 'consumed', 'denied', 'expired', 'voided');
    expect(all.length).toBeGreaterThan(30);
    expect(ids(await pages({ now: LOG_BEGINS }))).toEqual(ids(all));
  });

  it.each(['pending', 'granted', 'denied'] as const)('lists the %s', async (state) => {
    const expected = await stored(state);
    expect(expected.length).toBeGreaterThan(5);
    expect(ids(await pages({ state, now: LOG_BEGINS }))).toEqual(ids(expected));
  });

  it('counts those past their expiry as expired, before a sweeper has said so', async () => {
    const live = await stored('pending');
    const pending = await pages({ state: 'pending', now: HALF });
    expect(ids(pending)).toEqual(ids(live.filter((doc) => !isDue(doc))));
    expect(pending.every((doc) => doc.state === 'pending')).toBe(true);

    const expired = await pages({ state: 'expired', now: HALF });
    const overdue = (await stored('pending', 'granted', 'expired')).filter((doc) => doc.state === 'expired' || isDue(doc));
    expect(ids(expired)).toEqual(ids(overdue));
    expect(expired.every((doc) => doc.state === 'expired')).toBe(true);
  });

  it('lists what ends soon, the soonest first', async () => {
    const soon = await pages({ expiringWithinSeconds: 60, now: HALF });
    const expected = (await stored('pending', 'granted'))
      .filter((doc) => !isDue(doc) && Date.parse(doc.expiresAt) <= HALF + 60_000)
      .toReversed();
    expect(expected.length).toBeGreaterThan(2);
    expect(ids(soon)).toEqual(ids(expected));
    expect(ids(await pages({ state: 'granted', expiringWithinSeconds: 60, now: HALF }))).toEqual(
      ids(expected.filter((doc) => doc.state === 'granted')),
    );
    expect(await pages({ state: 'denied', expiringWithinSeconds: 60, now: LOG_BEGINS })).toEqual([]);
  });

  it('goes on by a cursor while time goes on, and shows none that ran out meanwhile', async () => {
    const filters = { expiringWithinSeconds: 600, now: LOG_BEGINS + 3_600_000 };
    const first = await findApprovals(approvals, WORKSPACE, filters, { limit: 2 });
    const later = await findApprovals(approvals, WORKSPACE, { ...filters, now: HALF }, { limit: 50, cursor: first.nextCursor ?? '' });
    expect(first.items).toHaveLength(2);
    expect(later.items.length).toBeGreaterThan(0);
    expect(later.items.every((doc) => Date.parse(doc.expiresAt) > HALF)).toBe(true);
  });

  it('takes a cursor only with its filters', async () => {
    const { nextCursor } = await findApprovals(approvals, WORKSPACE, { now: 0 }, { limit: 2 });
    const cursor = nextCursor ?? '';
    for (const other of [{ state: 'pending' as const }, { expiringWithinSeconds: 60 }]) {
      await expect(findApprovals(approvals, WORKSPACE, { ...other, now: 0 }, { cursor })).rejects.toMatchObject({
        code: 'cursor_mismatch',
      });
    }
  });

  it("shows a single user the approvals of its own sessions, and nobody else's", async () => {
    expect(await pages({ now: LOG_BEGINS }, 3, { workspaceId: 'w1', userId: 'u1' })).toEqual(await pages({ now: LOG_BEGINS }, 3));
    expect(await pages({ now: LOG_BEGINS }, 3, { workspaceId: 'w1', userId: 'u2' })).toEqual([]);
  });
});

describe('getApproval', () => {
  it('answers the state as of now', async () => {
    const [pending] = (await stored('pending')).toReversed();
    const id = pending?.approvalId ?? '';
    expect(await getApproval(approvals, WORKSPACE, id, LOG_BEGINS)).toEqual(pending);
    expect(await getApproval(approvals, WORKSPACE, id, Date.parse(pending?.expiresAt ?? ''))).toEqual({ ...pending, state: 'expired' });
  });

  it('knows nothing of other scopes', async () => {
    const [some] = await stored('denied');
    const id = some?.approvalId ?? '';
    expect(await getApproval(approvals, { workspaceId: 'w2', userId: null }, id, 0)).toBeNull();
    expect(await getApproval(approvals, { workspaceId: 'w1', userId: 'u2' }, id, 0)).toBeNull();
    expect(await getApproval(approvals, { workspaceId: 'w1', userId: 'u1' }, id, 0)).not.toBeNull();
    expect(await getApproval(approvals, WORKSPACE, 'apr_none_1', 0)).toBeNull();
  });
});

describe('dueApprovals', () => {
  it('gives those that have run out in all workspaces, the longest overdue first', async () => {
    const due = await dueApprovals(approvals, HALF, 1000);
    expect(due.every(isDue)).toBe(true);
    expect(new Set(due.map((doc) => doc.state))).toEqual(new Set(['pending', 'granted']));
    expect(new Set(due.map((doc) => doc.workspaceId))).toEqual(new Set(['w1', 'w2']));
    expect(due.map((doc) => doc.expiresAt)).toEqual(due.map((doc) => doc.expiresAt).toSorted());
    expect(due.filter((doc) => doc.workspaceId === 'w1')).toHaveLength((await stored('pending', 'granted')).filter(isDue).length);
    expect(await dueApprovals(approvals, HALF, 3)).toEqual(due.slice(0, 3));
    expect(await dueApprovals(approvals, LOG_BEGINS, 3)).toEqual([]);
  });
});

describe('countOpenApprovals', () => {
  it('counts those that wait for a person, of all workspaces, and none that has run out', async () => {
    const pending: ApprovalDocument[] = [];
    for await (const { doc } of approvals.scan()) if (doc?.state === 'pending') pending.push(doc);
    expect(new Set(pending.map((doc) => doc.workspaceId))).toEqual(new Set(['w1', 'w2']));
    expect(await countOpenApprovals(approvals, LOG_BEGINS)).toBe(pending.length);
    const live = pending.filter((doc) => !isDue(doc)).length;
    expect(live).toBeLessThan(pending.length);
    expect(await countOpenApprovals(approvals, HALF)).toBe(live);
  });
});

describe('the query string of approvals', () => {
  it('becomes filters and a page', () => {
    const query = ApprovalListQuery.parse({ state: 'pending', expiringWithin: '3600', limit: '5' });
    expect(splitApprovalQuery(query, 7)).toEqual({
      filters: { state: 'pending', expiringWithinSeconds: 3600, now: 7 },
      page: { limit: 5, cursor: undefined },
    });
  });

  it.each([{ state: 'open' }, { expiringWithin: '-1' }, { expiringWithin: '1h' }, { expiringWithin: '99999999' }, { user: 'u1' }])(
    'refuses %j',
    (query) => {
      expect(ApprovalListQuery.safeParse(query).success).toBe(false);
    },
  );
});
