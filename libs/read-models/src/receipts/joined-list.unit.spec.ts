import type { LedgerEvent, ReceiptDocument } from '@counterfoil/contracts';
import {
  importSighting,
  projectedCollection,
  receiptNamed,
  testLog,
  toolCallRequested,
  type SightingFacts,
  type TestLog,
} from '@counterfoil/testing';
import fc from 'fast-check';
import type { Collection } from '../port.js';
import { portableReceipt } from '../shared/portable.js';
import type { ReadScope } from '../shared/scope.js';
import type { ReceiptFilters } from './filters.js';
import { planReceipts } from './plan.js';
import { receiptsProjection } from './projection.js';
import { findReceipts } from './queries.js';
import { expectedList, originOfDocument } from './testing/expected-list.js';

const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };

type Facts = Omit<SightingFacts, 'label'>;
type Receipts = Collection<ReceiptDocument>;

const collectionOf = (events: readonly LedgerEvent[]): Receipts => projectedCollection(receiptsProjection, events);

/** A live call, whose call id may be an old receipt id: that makes it no sighting. */
function request(log: TestLog, n: number): void {
  const receiptId = receiptNamed(`live-${n}-`);
  log.append('session-w1/s1', toolCallRequested({ receiptId, callId: 'receipt_0', sessionId: 'chat-1', userId: 'u1' }));
}

async function walk(collection: Receipts, scope: ReadScope, filters: ReceiptFilters, limit: number): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findReceipts(collection, scope, filters, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    // While more follow a page is full: here nothing is so far away that it would end before.
    if (page.nextCursor !== null) expect(page.items).toHaveLength(limit);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const idsOf = (docs: readonly ReceiptDocument[]): readonly string[] => docs.map((doc) => doc.receiptId);

async function everything(collection: Receipts): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  for await (const { doc } of collection.scan()) if (doc !== null) all.push(doc);
  return all;
}

const byId = (docs: readonly ReceiptDocument[]): readonly object[] =>
  docs.map(portableReceipt).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const task = (taskId: string | null): ReceiptDocument['association'] => ({ kind: taskId === null ? 'none' : 'recorded', taskId });

const factsArbitrary: fc.Arbitrary<Facts> = fc.record({
  origin: fc.constantFrom('receipt_0', 'receipt_1', 'receipt_2', 'receipt_3', null),
  surface: fc.constantFrom('execution.receipt', 'execution.receipt', 'subagent.receipt', 'stream', 'task.evidence', 'bug_fix.receipt'),
  createdAt: fc.constantFrom(null, '2026-08-20T09:15:00Z', '2026-08-20T09:15:00.000001Z', '2026-08-20T09:15:00.1Z'),
  association: fc.constantFrom(null, null, 't1', 't2').map(task),
  status: fc.constantFrom('succeeded', 'failed', 'unknown'),
  tool: fc.constantFrom('read_file', 'run_cmd'),
  operationId: fc.constantFrom(null, 'op1', 'op2'),
  userId: fc.constantFrom(null, 'u1', 'u2'),
  sessionId: fc.constantFrom(null, 'chat-1', 'chat-2'),
  behindSeconds: fc.constantFrom(0, 0, 5, 3600),
});

const recordsArbitrary = fc
  .array(fc.oneof({ weight: 4, arbitrary: factsArbitrary }, { weight: 1, arbitrary: fc.constant('live' as const) }), { maxLength: 24 })
  .map((records) => records.map((record, n) => ({ record, n })));
type Records = readonly { readonly record: Facts | 'live'; readonly n: number }[];

const shuffled = recordsArbitrary.chain((records) =>
  fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length, maxLength: records.length })),
);

function logOf(records: Records): TestLog {
  const log = testLog();
  for (const { record, n } of records) {
    if (record === 'live') request(log, n);
    else importSighting(log, { label: `old-${n}-`, ...record });
  }
  return log;
}

const filtersArbitrary: fc.Arbitrary<ReceiptFilters> = fc
  .record(
    {
      session: fc.constantFrom('chat-1', 'chat-2'),
      task: fc.constantFrom('t1', 't2'),
      tool: fc.constantFrom('read_file', 'run_cmd'),
      status: fc.uniqueArray(fc.constantFrom('succeeded', 'failed', 'unknown', 'requested'), { minLength: 1 }),
      operation: fc.constantFrom('op1', 'op2'),
      provenance: fc.constantFrom('live', 'imported'),
      from: fc.constantFrom(0, Date.UTC(2027, 0, 1) - 5000, Date.UTC(2027, 0, 1)),
      to: fc.constantFrom(Date.UTC(2027, 0, 1) + 5000, Date.UTC(2028, 0, 1)),
      order: fc.constantFrom('requested', 'ended'),
    },
    { requiredKeys: [] },
  )
  .filter(({ order, session }) => order !== 'ended' || session !== undefined);

const scopeArbitrary = fc.constantFrom<ReadScope>(WORKSPACE, WORKSPACE, { workspaceId: 'w1', userId: 'u1' });
const limitArbitrary = fc.constantFrom(1, 2, 3, 5, 50);

describe('a list of receipts', () => {
  it('shows each old receipt once, and the same whatever order its records were imported in', async () => {
    await fc.assert(
      fc.asyncProperty(shuffled, scopeArbitrary, limitArbitrary, limitArbitrary, async ([records, others], scope, limit, otherLimit) => {
        const collection = collectionOf(logOf(records).events);
        const found = await walk(collection, scope, {}, limit);
        const origins = found.map(originOfDocument).filter((origin) => origin !== null);
        expect(new Set(origins).size).toBe(origins.length);
        const visible = (await everything(collection)).filter((doc) => scope.userId === null || doc.userId === scope.userId);
        expect(new Set(origins)).toEqual(new Set(visible.map(originOfDocument).filter((origin) => origin !== null)));
        expect(found.length - origins.length).toBe(visible.filter((doc) => originOfDocument(doc) === null).length);
        const elsewhere = await walk(collectionOf(logOf(others).events), scope, {}, otherLimit);
        expect(byId(elsewhere)).toEqual(byId(found));
      }),
      { numRuns: 300 },
    );
  });

  it('has each receipt where its canonical sighting stands if the filters find that, else where the first one stands that they find', async () => {
    await fc.assert(
      fc.asyncProperty(recordsArbitrary, scopeArbitrary, filtersArbitrary, limitArbitrary, async (records, scope, filters, limit) => {
        const collection = collectionOf(logOf(records).events);
        const isByTime = planReceipts(scope, filters).index === 'by_time';
        expect(idsOf(await walk(collection, scope, filters, limit))).toEqual(
          expectedList(await everything(collection), scope, filters, isByTime),
        );
      }),
      { numRuns: 700 },
    );
  });

  it('shows what all sightings say, whichever of them the filters found', async () => {
    const log = testLog();
    importSighting(log, { label: 'a', origin: 'r', sessionId: 'chat-1', createdAt: '2026-08-20T09:15:00Z' });
    importSighting(log, { label: 'b', origin: 'r', sessionId: 'chat-2', association: task('t1') });
    const collection = collectionOf(log.events);
    const [whole] = await walk(collection, WORKSPACE, {}, 5);
    expect(whole).toMatchObject({ receiptId: receiptNamed('a'), sessionId: 'chat-1', association: { taskId: 't1', basis: 'later_copy' } });
    for (const filters of [{ session: 'chat-2' }, { task: 't1' }, { session: 'chat-1' }]) {
      expect(await walk(collection, WORKSPACE, filters, 5)).toEqual([whole]);
    }
    expect(await walk(collection, WORKSPACE, { session: 'chat-1', task: 't1' }, 5)).toEqual([]);
  });
});

describe('a walk through a list', () => {
  const asOf = (log: TestLog): bigint => log.events.at(-1)?.position ?? 0n;
  const early = '2026-08-20T09:15:00Z';
  const late = '2026-08-20T09:16:00Z';

  /** The first page is read before, the rest after what is imported in between. */
  async function interrupted(log: TestLog, filters: ReceiptFilters, inBetween: (log: TestLog) => void): Promise<readonly string[]> {
    const first = await findReceipts(collectionOf(log.events), WORKSPACE, filters, { limit: 1 }, asOf(log));
    inBetween(log);
    const cursor = first.nextCursor ?? '';
    const rest = await findReceipts(collectionOf(log.events), WORKSPACE, filters, { limit: 50, cursor }, asOf(log));
    expect(rest.nextCursor).toBeNull();
    return idsOf([...first.items, ...rest.items]);
  }

  function two(): TestLog {
    const log = testLog();
    importSighting(log, { label: 'a', origin: 'r1', createdAt: late });
    importSighting(log, { label: 'b', origin: 'r2', createdAt: late });
    return log;
  }

  it.each<[string, Facts]>([
    ['a sighting that takes the first place', { origin: 'r1', createdAt: early }],
    ['a sighting that the filters would find first', { origin: 'r1', createdAt: late, sessionId: 'chat-1' }],
    ['a sighting that the filters find nowhere', { origin: 'r1', createdAt: early, sessionId: 'chat-2' }],
  ])('misses no receipt by %s, imported on the way', async (_, facts) => {
    const add = (log: TestLog): void => {
      importSighting(log, { label: 'c', ...facts });
    };
    for (const filters of [{}, { session: 'chat-1' }, { from: 0 }, { session: 'chat-1', order: 'ended' }] as const) {
      expect(await interrupted(two(), filters, add)).toEqual([receiptNamed('b'), receiptNamed('a')]);
    }
    const log = two();
    add(log);
    expect(await walk(collectionOf(log.events), WORKSPACE, {}, 1)).toHaveLength(2);
  });

  it('shows no receipt twice by one that a clock which was set back put before it', async () => {
    const add = (log: TestLog): void => {
      importSighting(log, { label: 'c', origin: 'r2', createdAt: early, behindSeconds: 3600 });
      importSighting(log, { label: 'd', origin: 'r3', createdAt: early, behindSeconds: 3600 });
    };
    expect(await interrupted(two(), { from: 0 }, add)).toEqual([receiptNamed('b'), receiptNamed('a')]);
  });

  it('shows live calls that came on the way where they stand', async () => {
    const add = (log: TestLog): void => {
      const receiptId = receiptNamed('live');
      log.appendParts('session-w1/s1', [toolCallRequested({ receiptId })], { behindSeconds: 3600 });
    };
    expect(await interrupted(two(), { from: 0 }, add)).toEqual([receiptNamed('b'), receiptNamed('a'), receiptNamed('live')]);
  });

  it('refuses a cursor that no list of these gave', async () => {
    const { events } = two();
    const page = await findReceipts(collectionOf(events), WORKSPACE, {}, { limit: 1 });
    const cursor = page.nextCursor ?? '';
    expect((await findReceipts(collectionOf(events), WORKSPACE, {}, { cursor })).items).toHaveLength(1);
    await expect(findReceipts(collectionOf(events), WORKSPACE, { from: 0 }, { cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });
});

describe('a receipt with very many sightings', () => {
  function hog(count: number, facts: (n: number) => Partial<Facts> = () => ({})): TestLog {
    const log = testLog();
    importSighting(log, { label: 'before', origin: 'r0' });
    for (let n = 0; n < count; n++) importSighting(log, { label: `hog-${n}-`, origin: 'hog', ...facts(n) });
    importSighting(log, { label: 'after', origin: 'z' });
    return log;
  }
  const all = [receiptNamed('after'), receiptNamed('hog-0-'), receiptNamed('before')];

  it.each([1, 2, 3, 50])('stands once in a list in pages of %d', async (limit) => {
    const collection = collectionOf(hog(450).events);
    expect(idsOf(await walk(collection, WORKSPACE, {}, limit))).toEqual(all);
  });

  it('stands once where the filters find only sightings that are not read together', async () => {
    const collection = collectionOf(hog(450, (n) => ({ status: n > 300 && n < 400 ? 'failed' : 'succeeded' })).events);
    for (const filters of [{ status: ['failed'] }, { status: ['failed', 'unknown'] }, { status: ['failed'], from: 0 }] as const) {
      const found = await walk(collection, WORKSPACE, { ...filters, status: [...filters.status] }, 1);
      expect(idsOf(found)).toEqual([receiptNamed('hog-0-')]);
      expect(found[0]).toMatchObject({ status: 'succeeded', provenance: { anomalies: ['sightings_incomplete'] } });
    }
  });

  it('ends a page that has something before it is full', async () => {
    const collection = collectionOf(hog(2500).events);
    const first = await findReceipts(collection, WORKSPACE, {}, { limit: 50 });
    expect(idsOf(first.items)).toEqual(all.slice(0, 1));
    const second = await findReceipts(collection, WORKSPACE, {}, { limit: 50, cursor: first.nextCursor ?? '' });
    expect(idsOf(second.items)).toEqual(all.slice(1));
    expect(second.nextCursor).toBeNull();
  });
});

describe('the cost of a list', () => {
  /** Counts what is asked of the store. */
  function counted(collection: Receipts): { readonly collection: Receipts; readonly asked: string[] } {
    const asked: string[] = [];
    const find: Receipts['find'] = (query) => {
      asked.push(query.index);
      return collection.find(query);
    };
    return { collection: { ...collection, find }, asked };
  }

  it('is one query where no document shares an old receipt id', async () => {
    const log = testLog();
    for (let n = 0; n < 10; n++) request(log, n);
    importSighting(log, { label: 'a', origin: null });
    const { collection, asked } = counted(collectionOf(log.events));
    expect((await findReceipts(collection, WORKSPACE, {}, { limit: 20 }, 99n)).items).toHaveLength(11);
    expect(asked).toEqual(['by_position']);
  });

  it('is one look-up for all sightings of a page', async () => {
    const log = testLog();
    for (let n = 0; n < 30; n++) importSighting(log, { label: `a-${n}-`, origin: `r${n}` });
    for (let n = 0; n < 30; n++) importSighting(log, { label: `b-${n}-`, origin: `r${n}` });
    const { collection, asked } = counted(collectionOf(log.events));
    expect((await findReceipts(collection, WORKSPACE, { provenance: 'imported' }, { limit: 100 })).items).toHaveLength(30);
    expect(asked).toEqual(['by_provenance', 'by_origin']);
  });
});
