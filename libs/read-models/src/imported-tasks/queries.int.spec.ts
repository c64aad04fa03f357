import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldAll, manyImported, projectedCollection } from '@counterfoil/testing';
import type { Collection, DocumentStore } from '../port.js';
import type { Projection } from '../projection.js';
import { receiptCopiesProjection } from '../receipt-copies/projection.js';
import { findCopies } from '../receipt-copies/queries.js';
import type { ReadScope } from '../shared/scope.js';
import { openSqliteDocumentStore } from '../sqlite/index.js';
import { taskTransitionsProjection } from '../task-transitions/projection.js';
import { importedTasksProjection } from './projection.js';
import { findImportedTasks, getImportedTask, type ImportedTaskFilters, type ImportedTaskSources } from './queries.js';

const { events } = manyImported(400);
const SCOPES: readonly ReadScope[] = [
  { workspaceId: 'w1', userId: null },
  { workspaceId: 'w1', userId: 'u1' },
];

let directory: string;
let store: DocumentStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'counterfoil-imported-'));
  store = await openSqliteDocumentStore({ file: join(directory, 'read.db') });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function stored<D extends object>(projection: Projection<D>): Promise<Collection<D>> {
  const collection = await store.collection<D>({ name: `test_v1_${projection.name}`, indexes: projection.indexes });
  const docs = [...foldAll(projection, events)];
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

describe('imported tasks and copies in SQLite', () => {
  it('are found by every shape of query as by plain filtering, joined with their transitions', async () => {
    const plain: ImportedTaskSources = {
      importedTasks: projectedCollection(importedTasksProjection, events),
      taskTransitions: projectedCollection(taskTransitionsProjection, events),
    };
    const real: ImportedTaskSources = {
      importedTasks: await stored(importedTasksProjection),
      taskTransitions: await stored(taskTransitionsProjection),
    };
    const shapes: readonly ImportedTaskFilters[] = [
      {},
      { user: 'u1' },
      { session: 's1' },
      { status: ['running'] },
      { status: ['running', 'cancelled', 'failed'] },
      { session: 's1', status: ['running', 'cancelled'] },
      { task: 'task_1' },
    ];
    for (const scope of SCOPES) {
      for (const filters of shapes) {
        const read = (from: ImportedTaskSources) => allPages((cursor) => findImportedTasks(from, scope, filters, { limit: 30, cursor }));
        const found = await read(real);
        expect([filters, found.length > 0]).toEqual([filters, true]);
        expect(found).toEqual(await read(plain));
        const [first] = found;
        expect(await getImportedTask(real, scope, first?.recordKey ?? '')).toEqual(first);
      }
    }
  });

  it('are found by the receipt and by the import', async () => {
    const [real, plain] = [await stored(receiptCopiesProjection), projectedCollection(receiptCopiesProjection, events)];
    for (const scope of SCOPES) {
      for (const filters of [{}, { receipt: 'receipt_6' }, { run: 'run-2' }, { receipt: 'receipt_6', run: 'run-2' }]) {
        const read = (from: typeof plain) => allPages((cursor) => findCopies(from, scope, filters, { limit: 9, cursor }));
        const found = await read(real);
        expect([filters, found.length > 0]).toEqual([filters, true]);
        expect(found).toEqual(await read(plain));
      }
    }
  });
});
