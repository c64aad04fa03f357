import type { QuarantineDocument } from '@counterfoil/contracts';
import { manyImports, projectedCollection } from '@counterfoil/testing';
import { quarantineProjection } from './projection.js';
import {
  countQuarantined,
  findQuarantined,
  planQuarantined,
  QuarantineListQuery,
  splitQuarantineQuery,
  type QuarantineFilters,
} from './queries.js';

const records = projectedCollection(quarantineProjection, manyImports(60).events);
const WORKSPACE = { workspaceId: 'w1' };

async function pages(filters: QuarantineFilters, scope = WORKSPACE): Promise<readonly QuarantineDocument[]> {
  const all: QuarantineDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findQuarantined(records, scope, filters, { limit: 3, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findQuarantined', () => {
  it('lists the records of a workspace, the last first', async () => {
    const lines = (await pages({})).map(({ line }) => line);
    const expected = Array.from({ length: 60 }, (_, n) => 60 - n).filter((line) => (line - 1) % 5 !== 0);
    expect(lines).toEqual(expected);
    expect((await pages({}, { workspaceId: 'w2' })).map(({ line }) => line)).toEqual(
      Array.from({ length: 60 }, (_, n) => 60 - n).filter((line) => (line - 1) % 5 === 0),
    );
  });

  it.each([{ run: 'run-2' }, { reason: 'duplicate_key' }, { run: 'run-1', reason: 'not_json' }] as const)(
    'lists those that %j asks for',
    async (filters: QuarantineFilters) => {
      const expected = (await pages({})).filter(
        (doc) =>
          (filters.run === undefined || doc.importRun === filters.run) && (filters.reason === undefined || doc.reason === filters.reason),
      );
      expect(expected.length).toBeGreaterThan(2);
      expect(await pages(filters)).toEqual(expected);
    },
  );

  it('takes a cursor only with its run, its reason and its workspace', async () => {
    const { nextCursor } = await findQuarantined(records, WORKSPACE, { run: 'run-1' }, { limit: 2 });
    const cursor = nextCursor ?? '';
    for (const [scope, filters] of [
      [WORKSPACE, { run: 'run-2' }],
      [WORKSPACE, { run: 'run-1', reason: 'not_json' }],
      [{ workspaceId: 'w2' }, { run: 'run-1' }],
    ] as const) {
      await expect(findQuarantined(records, scope, filters, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    }
  });

  it.each([
    [{}, 'by_position'],
    [{ reason: 'not_json' }, 'by_reason'],
    [{ run: 'run-1', reason: 'not_json' }, 'by_run'],
  ] as const)('reads %j by %s', (filters, index) => {
    expect(planQuarantined(WORKSPACE, filters).index).toBe(index);
  });

  it('takes a query string, with any reason that could be one', () => {
    expect(splitQuarantineQuery('run-1', QuarantineListQuery.parse({ reason: 'of_a_later_version', limit: '3' }))).toEqual({
      filters: { run: 'run-1', reason: 'of_a_later_version' },
      page: { limit: 3, cursor: undefined },
    });
    expect(QuarantineListQuery.safeParse({ reason: 'Not JSON' }).success).toBe(false);
    expect(QuarantineListQuery.safeParse({ run: 'run-1' }).success).toBe(false);
  });
});

it('countQuarantined counts what one run of one workspace put aside', async () => {
  expect(await countQuarantined(records, WORKSPACE, 'run-1')).toBe((await pages({ run: 'run-1' })).length);
  expect(await countQuarantined(records, WORKSPACE, 'none')).toBe(0);
});
