import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { foldAll, importSighting, projectedCollection, receiptNamed, testLog, toolCallRequested, type TestLog } from '@counterfoil/testing';
import type { Collection, DocumentStore } from '../port.js';
import type { ReadScope } from '../shared/scope.js';
import { openSqliteDocumentStore } from '../sqlite/index.js';
import type { ReceiptFilters } from './filters.js';
import { planReceipts } from './plan.js';
import { receiptsProjection } from './projection.js';
import { findReceipts, readReceipt } from './queries.js';
import { expectedList } from './testing/expected-list.js';

const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const USER: ReadScope = { workspaceId: 'w1', userId: 'u1' };
const SURFACES = ['execution.receipt', 'stream', 'task.evidence', 'bug_fix.receipt'];
/** More than are read together. */
const HOG = 230;

/** Old receipts of several records each, one of very many, and live calls in between. */
function records(): TestLog {
  const log = testLog();
  for (let n = 0; n < 600; n++) {
    const origin = (n * n + 7 * n) % 79;
    if (n % 11 === 0) {
      const receiptId = receiptNamed(`live-${n}-`);
      log.append('session-w1/s1', toolCallRequested({ receiptId, callId: `c${n}`, sessionId: 'chat-1', userId: 'u1' }));
    }
    importSighting(log, {
      label: `old-${n}-`,
      origin: origin > 75 ? null : `receipt_${origin}`,
      surface: SURFACES[(n * 5) % 4] ?? 'stream',
      createdAt: n % 3 === 0 ? null : `2026-08-20T09:15:00.${((n * 37) % 1000).toString().padStart(6, '0')}Z`,
      association: n % 7 === 0 ? { kind: 'recorded', taskId: `t${n % 4}`, basis: 'receipt' } : { kind: 'none', taskId: null },
      status: n % 5 === 0 ? 'failed' : 'succeeded',
      operationId: n % 2 === 0 ? `op${n % 7}` : null,
      userId: n % 4 === 0 ? null : `u${n % 3}`,
      sessionId: `chat-${n % 4}`,
      behindSeconds: n % 13 === 0 ? 3600 : 0,
    });
    if (n % 2 === 0 && n / 2 < HOG) importSighting(log, { label: `hog-${n}-`, origin: 'hog', sessionId: `chat-${n % 5}`, userId: null });
  }
  return log;
}

const LOG = records();
let directory: string;
let store: DocumentStore;
let stored: Collection<ReceiptDocument>;
const docs = [...foldAll(receiptsProjection, LOG.events)];
const plain = projectedCollection(receiptsProjection, LOG.events);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'counterfoil-sightings-'));
  store = await openSqliteDocumentStore({ file: join(directory, 'read.db') });
  stored = await store.collection<ReceiptDocument>({ name: 'test_v1_receipts', indexes: receiptsProjection.indexes });
  const fields = (doc: ReceiptDocument) => receiptsProjection.fields(doc);
  await stored.bulkWrite(docs.map(([id, doc]) => ({ id, expected: null, guard: 1n, doc, fields: fields(doc) })));
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function walk(
  collection: Collection<ReceiptDocument>,
  scope: ReadScope,
  filters: ReceiptFilters,
  limit: number,
): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findReceipts(collection, scope, filters, { limit, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const SHAPES: readonly ReceiptFilters[] = [
  {},
  { session: 'chat-1' },
  { session: 'chat-1', order: 'ended' },
  { task: 't1' },
  { operation: 'op2' },
  { status: ['failed', 'requested'] },
  { provenance: 'imported' },
  { from: Date.UTC(2027, 0, 1, 0, 5) },
  { from: 0, to: Date.UTC(2027, 0, 1, 0, 10), status: ['succeeded'] },
];

describe('old receipts in SQLite', () => {
  it.each(SHAPES)('are listed once each, as the rule says, for %j', async (filters) => {
    for (const scope of [WORKSPACE, USER]) {
      const isByTime = planReceipts(scope, filters).index === 'by_time';
      const joined = (doc: ReceiptDocument): boolean => doc.provenance.kind === 'live' || doc.provenance.coordinates['receiptId'] !== 'hog';
      const expected = expectedList(docs.map(([, doc]) => doc).filter(joined), scope, filters, isByTime);
      const whole = await walk(plain, scope, filters, 200);
      for (const limit of [23, 200]) {
        const found = await walk(stored, scope, filters, limit);
        expect(found).toEqual(whole);
        expect(found.filter(joined).map((doc) => doc.receiptId)).toEqual(expected);
        expect(found.filter((doc) => !joined(doc)).length).toBeLessThanOrEqual(1);
      }
      expect(expected.length).toBeGreaterThan(3);
    }
  });

  it('are read whole by the id of each of their sightings', async () => {
    const listed = new Map((await walk(stored, WORKSPACE, {}, 200)).map((doc) => [doc.receiptId, doc]));
    for (const [id] of docs.slice(0, 300)) {
      const doc = await readReceipt(stored, WORKSPACE, id);
      expect(listed.get(doc?.receiptId ?? '')).toEqual(doc);
    }
  });
});
