import type { CopyDocument } from '@counterfoil/contracts';
import { manyImported, projectedCollection } from '@counterfoil/testing';
import type { ReadScope } from '../shared/scope.js';
import { receiptCopiesProjection } from './projection.js';
import { CopyListQuery, findCopies, planCopies, splitCopyQuery, type CopyFilters } from './queries.js';

const copies = projectedCollection(receiptCopiesProjection, manyImported(120).events);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u0' };

async function pages(filters: CopyFilters, scope = WORKSPACE): Promise<readonly CopyDocument[]> {
  const all: CopyDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findCopies(copies, scope, filters, { limit: 5, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findCopies', () => {
  it('lists the copies of a workspace, the last imported first, each once', async () => {
    const keys = Array.from({ length: 120 }, (_, n) => n).filter((n) => n % 4 === 0 || n % 4 === 2);
    const expected = keys.flatMap((n) => [`c${n}-k1`, `c${n}-k2`]).toReversed();
    expect((await pages({})).map(({ recordKey }) => recordKey)).toEqual(expected);
  });

  it.each([
    { receipt: 'receipt_2' },
    { run: 'run-1' },
    { receipt: 'receipt_2', run: 'run-1' },
    { receipt: 'none' },
  ] as readonly CopyFilters[])('lists those that %j asks for', async (filters) => {
    for (const scope of [WORKSPACE, USER]) {
      const expected = (await pages({}, scope)).filter(
        (doc) =>
          (filters.receipt === undefined || doc.originReceipt === filters.receipt) &&
          (filters.run === undefined || doc.importRun === filters.run),
      );
      if (scope === WORKSPACE) expect(expected.length > 0).toBe(filters.receipt !== 'none');
      expect(await pages(filters, scope)).toEqual(expected);
    }
  });

  it('shows a single user its own, and those that name no user to whoever reads the whole workspace', async () => {
    const all = await pages({});
    const mine = await pages({}, USER);
    expect(mine).toEqual(all.filter(({ userId }) => userId === 'u0'));
    expect(mine.length).toBeGreaterThan(5);
    expect(all.some(({ userId }) => userId === null)).toBe(true);
    expect(await pages({ receipt: 'receipt_2' }, { workspaceId: 'w2', userId: null })).toEqual([]);
  });

  it('takes a cursor only with its filters and scope', async () => {
    const { nextCursor } = await findCopies(copies, WORKSPACE, {}, { limit: 2 });
    const cursor = nextCursor ?? '';
    await expect(findCopies(copies, WORKSPACE, { run: 'run-1' }, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(findCopies(copies, WORKSPACE, { receipt: 'x' }, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(findCopies(copies, USER, {}, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });

  it.each([
    [WORKSPACE, {}, 'by_position'],
    [USER, {}, 'by_user'],
    [USER, { run: 'r' }, 'by_run'],
    [WORKSPACE, { run: 'r', receipt: 'x' }, 'by_origin'],
  ] as const)('reads (%j) %j by %s', (scope, filters, index) => {
    expect(planCopies(scope, filters).index).toBe(index);
  });
});

describe('the query string of copies', () => {
  it('becomes filters and a page, with any old id', () => {
    expect(splitCopyQuery(CopyListQuery.parse({ receipt: 'r ü\u0000', run: 'run 1', limit: '3' }))).toEqual({
      filters: { receipt: 'r ü\u0000', run: 'run 1' },
      page: { limit: 3, cursor: undefined },
    });
  });

  it.each([{ receipt: '' }, { receipt: '\udfff' }, { run: 'x'.repeat(257) }, { user: 'u1' }, { limit: '201' }])('refuses %j', (query) => {
    expect(CopyListQuery.safeParse(query).success).toBe(false);
  });
});
