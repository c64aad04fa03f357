import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerEvent } from '@counterfoil/contracts';
import { foldAll, manyPlans, manyTools, projectedCollection } from '@counterfoil/testing';
import { plansProjection } from '../plans/projection.js';
import { findPlans } from '../plans/queries.js';
import type { Collection, DocumentStore } from '../port.js';
import type { Projection } from '../projection.js';
import { receiptsProjection } from '../receipts/projection.js';
import { sessionsProjection } from '../sessions/projection.js';
import type { ReadScope } from '../shared/scope.js';
import { openSqliteDocumentStore } from '../sqlite/index.js';
import { toolsProjection } from '../tools/projection.js';
import { findTools } from '../tools/queries.js';
import { tasksProjection } from './projection.js';
import { findTasks, type TaskFilters, type TaskSources } from './queries.js';

const { events } = manyPlans(400);
const SCOPES: readonly ReadScope[] = [
  { workspaceId: 'w1', userId: null },
  { workspaceId: 'w1', userId: 'u1' },
];

let directory: string;
let store: DocumentStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'counterfoil-tasks-'));
  store = await openSqliteDocumentStore({ file: join(directory, 'read.db') });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function stored<D extends object>(projection: Projection<D>, of: readonly LedgerEvent[]): Promise<Collection<D>> {
  const collection = await store.collection<D>({ name: `test_v1_${projection.name}`, indexes: projection.indexes });
  const docs = [...foldAll(projection, of)];
  await collection.bulkWrite(docs.map(([id, doc]) => ({ id, expected: null, guard: 1n, doc, fields: projection.fields(doc) })));
  return collection;
}

async function allPages<T>(
  read: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('tasks, plans and tools in SQLite', () => {
  it('are found by every shape of query as by plain filtering, joined', async () => {
    const plain: TaskSources = {
      tasks: projectedCollection(tasksProjection, events),
      plans: projectedCollection(plansProjection, events),
      sessions: projectedCollection(sessionsProjection, events),
      receipts: projectedCollection(receiptsProjection, events),
    };
    const real: TaskSources = {
      tasks: await stored(tasksProjection, events),
      plans: await stored(plansProjection, events),
      sessions: await stored(sessionsProjection, events),
      receipts: await stored(receiptsProjection, events),
    };
    const shapes: readonly TaskFilters[] = [
      {},
      { session: 's1' },
      { session: 's1', plan: 'p3' },
      { plan: 'p3' },
      { status: ['running'] },
      { status: ['running', 'blocked', 'failed'] },
      { session: 's1', status: ['running', 'pending'] },
    ];
    for (const scope of SCOPES) {
      for (const filters of shapes) {
        const read = (from: TaskSources) => allPages((cursor) => findTasks(from, scope, filters, { limit: 60, cursor }));
        const found = await read(real);
        expect([filters, found.length > 0]).toEqual([filters, true]);
        expect(found).toEqual(await read(plain));
      }
      for (const filters of [{}, { session: 's1' }, { state: 'active' }, { state: 'closed', session: 's1' }] as const) {
        const read = (from: TaskSources) => allPages((cursor) => findPlans(from.plans, scope, filters, { limit: 9, cursor }));
        const found = await read(real);
        expect([filters, found.length > 0]).toEqual([filters, true]);
        expect(found).toEqual(await read(plain));
      }
    }
  });

  it('are found by what tools are filtered by', async () => {
    const log = manyTools(200);
    const real = await stored(toolsProjection, log.events);
    const plain = projectedCollection(toolsProjection, log.events);
    for (const filters of [{}, { source: 'mcp:3' }, { state: 'retired' }, { source: 'mcp:3', state: 'retired' }] as const) {
      const read = (from: typeof plain) => allPages((cursor) => findTools(from, { workspaceId: 'w1' }, filters, { limit: 9, cursor }));
      const found = await read(real);
      expect([filters, found.length > 0]).toEqual([filters, true]);
      expect(found).toEqual(await read(plain));
    }
  });
});
