import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { foldAll, LOG_BEGINS, leaseOf, manyCalls, projectedCollection, testLog } from '@counterfoil/testing';
import { approvalsProjection } from '../approvals/projection.js';
import { countOpenApprovals, dueApprovals, findApprovals } from '../approvals/queries.js';
import type { Collection, DocumentStore, GuardedWrite } from '../port.js';
import type { Projection } from '../projection.js';
import { sessionsProjection } from '../sessions/projection.js';
import { closedWithLeftovers, findSessions } from '../sessions/queries.js';
import type { ReadScope } from '../shared/scope.js';
import { openSqliteDocumentStore } from '../sqlite/index.js';
import type { ReceiptFilters } from './filters.js';
import { receiptsProjection } from './projection.js';
import { countOpenLeases, findReceipts, getReceipt, lostLeases, readReceipt } from './queries.js';

const COUNT = 3000;
const LOG = manyCalls(COUNT);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u1' };

let directory: string;
let store: DocumentStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'counterfoil-queries-'));
  store = await openSqliteDocumentStore({ file: join(directory, 'read.db') });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function collectionOf<D extends object>(projection: Projection<D>, events: typeof LOG.events, name: string): Promise<Collection<D>> {
  const collection = await store.collection<D>({ name: `test_v1_${name}`, indexes: projection.indexes });
  await write(collection, projection, events);
  return collection;
}

async function write<D extends object>(collection: Collection<D>, projection: Projection<D>, events: typeof LOG.events): Promise<void> {
  const writes = [...foldAll(projection, events)].map(([id, doc]): GuardedWrite<D> => ({
    id,
    expected: null,
    guard: 1n,
    doc,
    fields: projection.fields(doc),
  }));
  expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
}

type Read<D> = (collection: Collection<D>, cursor: string | undefined) => Promise<{ items: readonly D[]; nextCursor: string | null }>;

async function allPages<D>(collection: Collection<D>, read: Read<D>): Promise<readonly D[]> {
  const all: D[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(collection, cursor);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const idsOf = (docs: readonly ReceiptDocument[]): readonly string[] => docs.map((doc) => doc.receiptId);

const FROM = LOG_BEGINS + 1_000_000;
const SHAPES: readonly ReceiptFilters[] = [
  {},
  { session: 's4' },
  { session: 's4', turn: 'turn 1' },
  { root: 's3' },
  { root: 's3', verification: 'failed', class: 'process' },
  { turn: 'turn 1' },
  { task: 't1' },
  { operation: `k1:operation-3`.padEnd(46, '0') },
  { tool: 'tool 2' },
  { tool: 'tool 2', toolSource: 'mcp:1' },
  { status: ['dispatched'] },
  { status: ['failed', 'denied', 'awaiting_approval'] },
  { verification: 'failed' },
  { verification: 'unavailable' },
  { class: 'destructive' },
  { provenance: 'imported' },
  { from: FROM },
  { from: FROM, to: FROM + 600_000, status: ['failed', 'succeeded'] },
  { to: FROM },
  { status: ['succeeded', 'failed'], class: 'process', verification: 'failed', provenance: 'live', to: FROM },
];

describe('receipts in SQLite', () => {
  it('are found by every shape of query as by plain filtering', async () => {
    const stored = await collectionOf(receiptsProjection, LOG.events, 'receipts_a');
    const plain = projectedCollection(receiptsProjection, LOG.events);
    for (const scope of [WORKSPACE, USER]) {
      for (const filters of SHAPES) {
        const inPagesOf =
          (limit: number): Read<ReceiptDocument> =>
          (from, cursor) =>
            findReceipts(from, scope, filters, { limit, cursor });
        const found = await allPages(stored, inPagesOf(60));
        expect([filters, found.length > 0]).toEqual([filters, true]);
        expect(idsOf(found)).toEqual(idsOf(await allPages(plain, inPagesOf(200))));
      }
    }
    const [some] = await allPages(stored, (from, cursor) => findReceipts(from, WORKSPACE, { provenance: 'imported' }, { cursor }));
    if (some === undefined) throw new Error('nothing was imported');
    expect(some.provenance).toMatchObject({ sightings: [{ surface: 'event' }] });
    expect(await readReceipt(stored, WORKSPACE, some.receiptId)).toEqual(some);
    expect(await getReceipt(stored, WORKSPACE, some.receiptId)).toMatchObject({ provenance: { sightings: [] } });
    const now = Date.parse(leaseOf(COUNT / 2));
    expect(await lostLeases(stored, now, 50)).toEqual(await lostLeases(plain, now, 50));
    expect(await countOpenLeases(stored)).toBe(await countOpenLeases(plain));
  });

  it('are each given once, by pages that go on while others are recorded', async () => {
    const log = manyCalls(500);
    const collection = await collectionOf(receiptsProjection, log.events, 'receipts_b');
    const filters: ReceiptFilters = { status: ['failed', 'succeeded', 'rejected'] };
    const before = await allPages(collection, (from, cursor) => findReceipts(from, WORKSPACE, filters, { limit: 200, cursor }));
    let recorded = log.events.length;
    let next = 500;
    const paged = await allPages(collection, async (from, cursor) => {
      const page = await findReceipts(from, WORKSPACE, filters, { limit: 7, cursor });
      manyCalls(25, log, next);
      await write(collection, receiptsProjection, log.events.slice(recorded));
      recorded = log.events.length;
      next += 25;
      return page;
    });
    expect(idsOf(paged)).toEqual(idsOf(before));
    const after = await allPages(collection, (from, cursor) => findReceipts(from, WORKSPACE, filters, { limit: 200, cursor }));
    expect(after.length).toBeGreaterThan(before.length);
    expect(idsOf(after.slice(-before.length))).toEqual(idsOf(before));
  });
});

describe('approvals and sessions in SQLite', () => {
  it('are found by every shape of query as by plain filtering', async () => {
    const now = Date.parse(leaseOf(COUNT / 2));
    const stored = await collectionOf(approvalsProjection, LOG.events, 'approvals');
    const plain = projectedCollection(approvalsProjection, LOG.events);
    const shapes = [{}, { state: 'pending' }, { state: 'expired' }, { state: 'denied' }, { expiringWithinSeconds: 300 }] as const;
    for (const filters of shapes) {
      const read: Read<Parameters<typeof approvalsProjection.fields>[0]> = (from, cursor) =>
        findApprovals(from, WORKSPACE, { ...filters, now }, { limit: 40, cursor });
      const found = await allPages(stored, read);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(await allPages(plain, read));
    }
    expect((await findApprovals(stored, USER, { now })).items).toEqual((await findApprovals(stored, WORKSPACE, { now })).items);
    expect((await findApprovals(stored, { workspaceId: 'w1', userId: 'u9' }, { now })).items).toEqual([]);
    expect(await dueApprovals(stored, now, 70)).toEqual(await dueApprovals(plain, now, 70));
    expect(await countOpenApprovals(stored, now)).toBe(await countOpenApprovals(plain, now));
  });

  it('are not shown as ending soon when they ran out between two pages', async () => {
    const collection = await collectionOf(approvalsProjection, LOG.events, 'approvals_later');
    const filters = { expiringWithinSeconds: 3600, now: LOG_BEGINS + 3_600_000 };
    const first = await findApprovals(collection, WORKSPACE, filters, { limit: 2 });
    const now = Date.parse(leaseOf(100));
    const later = await findApprovals(collection, WORKSPACE, { ...filters, now }, { limit: 50, cursor: first.nextCursor ?? '' });
    expect(later.items.length).toBeGreaterThan(0);
    expect(later.items.filter((doc) => Date.parse(doc.expiresAt) <= now)).toEqual([]);
  });

  it('are swept and listed', async () => {
    const log = testLog();
    manyCalls(60, log);
    const plain = projectedCollection(sessionsProjection, log.events);
    const stored = await collectionOf(sessionsProjection, log.events, 'sessions');
    for (const scope of [WORKSPACE, USER]) {
      const read: Read<Parameters<typeof sessionsProjection.fields>[0]> = (from, cursor) =>
        findSessions(from, scope, { state: 'open' }, { limit: 5, cursor });
      const found = await allPages(stored, read);
      expect(found.length).toBeGreaterThan(5);
      expect(found).toEqual(await allPages(plain, read));
    }
    expect(await closedWithLeftovers(stored, 10)).toEqual([]);
  });
});
