import type { ToolDocument } from '@counterfoil/contracts';
import { manyTools, projectedCollection } from '@counterfoil/testing';
import { toolsProjection } from './projection.js';
import { findTools, getTool, planTools, splitToolQuery, ToolListQuery, type ToolFilters } from './queries.js';

const tools = projectedCollection(toolsProjection, manyTools(80).events);
const WORKSPACE = { workspaceId: 'w1' };

async function pages(filters: ToolFilters): Promise<readonly ToolDocument[]> {
  const all: ToolDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findTools(tools, WORKSPACE, filters, { limit: 4, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findTools', () => {
  it('lists the tools of a workspace, retired ones too, the last that were new first', async () => {
    const found = await pages({});
    const numbers = found.map((doc) => Number(doc.name.slice('tool '.length)));
    expect(numbers).toEqual(Array.from({ length: 80 }, (_, n) => 79 - n).filter((n) => n % 4 !== 3));
    expect(found.filter((doc) => doc.registrations === 2)).toHaveLength(20);
  });

  it.each([{ source: 'mcp:2' }, { state: 'registered' }, { state: 'retired' }, { source: 'mcp:2', state: 'retired' }] as const)(
    'lists those that %j asks for',
    async (filters: ToolFilters) => {
      const expected = (await pages({})).filter(
        (doc) =>
          (filters.source === undefined || doc.source === filters.source) && (filters.state === undefined || doc.state === filters.state),
      );
      expect(expected.length).toBeGreaterThan(2);
      expect(await pages(filters)).toEqual(expected);
    },
  );

  it('takes a cursor only with its filters and its workspace', async () => {
    const { nextCursor } = await findTools(tools, WORKSPACE, {}, { limit: 2 });
    const cursor = nextCursor ?? '';
    await expect(findTools(tools, WORKSPACE, { state: 'retired' }, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(findTools(tools, { workspaceId: 'w2' }, {}, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });

  it.each([
    [{}, 'by_position'],
    [{ state: 'retired' }, 'by_state'],
    [{ state: 'retired', source: 'mcp:1' }, 'by_source'],
  ] as const)('reads %j by %s', (filters, index) => {
    expect(planTools(WORKSPACE, filters).index).toBe(index);
  });

  it('takes a query string, with any source', () => {
    expect(splitToolQuery(ToolListQuery.parse({ source: 'mcp:ä \u0000', state: 'retired', limit: '3' }))).toEqual({
      filters: { source: 'mcp:ä \u0000', state: 'retired' },
      page: { limit: 3, cursor: undefined },
    });
    expect(ToolListQuery.safeParse({ state: 'gone' }).success).toBe(false);
    expect(ToolListQuery.safeParse({ source: '\ud800' }).success).toBe(false);
    expect(ToolListQuery.safeParse({ name: 'x' }).success).toBe(false);
  });
});

describe('getTool', () => {
  it('finds a tool of its workspace alone, also a retired one', async () => {
    expect(await getTool(tools, WORKSPACE, 'mcp:0', 'tool 0')).toMatchObject({ state: 'retired', registrations: 2, version: '2' });
    expect(await getTool(tools, { workspaceId: 'w2' }, 'mcp:0', 'tool 0')).toBeNull();
    expect(await getTool(tools, WORKSPACE, 'mcp:1', 'tool 0')).toBeNull();
  });
});
