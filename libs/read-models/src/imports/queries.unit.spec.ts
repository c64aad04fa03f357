import type { ImportDocument } from '@counterfoil/contracts';
import { manyImports, projectedCollection } from '@counterfoil/testing';
import { importsProjection } from './projection.js';
import { findImports, getImport, ImportListQuery } from './queries.js';

const imports = projectedCollection(importsProjection, manyImports(120).events);
const WORKSPACE = { workspaceId: 'w1' };

async function pages(scope = WORKSPACE): Promise<readonly ImportDocument[]> {
  const all: ImportDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findImports(imports, scope, { limit: 4, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findImports', () => {
  it('lists the imports of a workspace, the last to end first', async () => {
    const runs = (await pages()).map(({ importRun }) => Number(importRun));
    expect(runs).toEqual(Array.from({ length: 12 }, (_, n) => 119 - 10 * n));
    expect(await pages({ workspaceId: 'w2' })).toEqual([]);
  });

  it('takes a cursor only with its workspace', async () => {
    const { nextCursor } = await findImports(imports, WORKSPACE, { limit: 2 });
    await expect(findImports(imports, { workspaceId: 'w2' }, { cursor: nextCursor ?? '' })).rejects.toMatchObject({
      code: 'cursor_mismatch',
    });
  });

  it('takes a query string of nothing but a page', () => {
    expect(ImportListQuery.parse({ limit: '3' })).toEqual({ limit: 3 });
    expect(ImportListQuery.safeParse({ run: 'run-1' }).success).toBe(false);
  });
});

describe('getImport', () => {
  it('finds an import of its workspace alone', async () => {
    expect(await getImport(imports, WORKSPACE, '9')).toMatchObject({ importRun: '9', workspaceId: 'w1' });
    expect(await getImport(imports, { workspaceId: 'w2' }, '9')).toBeNull();
    expect(await getImport(imports, WORKSPACE, 'none')).toBeNull();
  });
});
