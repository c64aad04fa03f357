import type { ReceiptDocument } from '@counterfoil/contracts';
import { CallStatus, SideEffectClass } from '@counterfoil/contracts';
import { LOG_BEGINS, leaseOf, manyCalls, projectedCollection, receiptNamed } from '@counterfoil/testing';
import fc from 'fast-check';
import type { ReadScope } from '../shared/scope.js';
import type { ReceiptFilters } from './filters.js';
import { planReceipts } from './plan.js';
import { receiptsProjection } from './projection.js';
import { countOpenLeases, findReceipts, getReceipt, lostLeases } from './queries.js';
import { expectedList } from './testing/expected-list.js';

const LOG = manyCalls(400);
const receipts = projectedCollection(receiptsProjection, LOG.events);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };

async function everything(): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  for await (const { doc } of receipts.scan()) if (doc !== null) all.push(doc);
  return all;
}

/** Reads to the end. */
async function pages(scope: ReadScope, filters: ReceiptFilters, limit: number): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findReceipts(receipts, scope, filters, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const filtersArbitrary = (doc: ReceiptDocument): fc.Arbitrary<ReceiptFilters> => {
  // Values of one document, so that combinations find something; each filter is there or not.
  const at = Date.parse(doc.times.requested ?? '');
  const or = <T>(value: T | null, other: T): fc.Arbitrary<T> => fc.constantFrom(value ?? other, value ?? other, other);
  return fc
    .record(
      {
        session: or(doc.sessionId, 's3'),
        root: or(doc.rootSessionId, 's3'),
        turn: or(doc.turn, 'turn 1'),
        task: or(doc.association.taskId, 't1'),
        tool: or(doc.tool.name, 'tool 1'),
        toolSource: or(doc.tool.source, 'mcp:1'),
        status: fc.uniqueArray(fc.constantFrom(doc.status, ...CallStatus.options), { minLength: 1, maxLength: 4 }),
        verification: or<ReceiptDocument['verification']['state']>(doc.verification.state, 'unavailable'),
        class: fc.constantFrom(doc.tool.sideEffects, ...SideEffectClass.options),
        operation: or(doc.operationId, 'k1:none'),
        from: fc.constantFrom(at, at - 60_000, LOG_BEGINS),
        to: fc.constantFrom(at, at + 1, at + 300_000, LOG_BEGINS + 600_000),
        provenance: or<'live' | 'imported'>(doc.provenance.kind, 'live'),
      },
      { requiredKeys: [] },
    )
    .filter((filters) => filters.toolSource === undefined || filters.tool !== undefined);
};

describe('findReceipts', () => {
  it('finds what every combination of filters asks for, in order, by an index that serves it', async () => {
    const all = await everything();
    const some = fc.constantFrom(...all).chain((doc) =>
      fc.record({
        filters: filtersArbitrary(doc),
        scope: fc.constantFrom<ReadScope>(
          { workspaceId: doc.workspaceId, userId: null },
          { workspaceId: doc.workspaceId, userId: doc.userId },
          { workspaceId: 'w1', userId: 'u2' },
        ),
        limit: fc.constantFrom(1, 2, 3, 7, 50, 200),
      }),
    );
    await fc.assert(
      fc.asyncProperty(some, async ({ filters, scope, limit }) => {
        // The collection refuses a query that its index can't serve in order.
        const found = await pages(scope, filters, limit);
        const isByTime = planReceipts(scope, filters).index === 'by_time';
        expect(found.map((doc) => doc.receiptId)).toEqual(expectedList(all, scope, filters, isByTime));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [{}, 'by_position'],
    [{ session: 's1' }, 'by_session'],
    [{ session: 's1', turn: '1' }, 'by_session_turn'],
    [{ root: 's1', session: 's2' }, 'by_session'],
    [{ root: 's1', from: 1, turn: '1' }, 'by_root'],
    [{ turn: '1' }, 'by_turn'],
    [{ task: 't1', session: 's1', status: ['failed'] }, 'by_task'],
    [{ operation: 'o', task: 't1' }, 'by_operation'],
    [{ tool: 'x' }, 'by_tool_name'],
    [{ tool: 'x', toolSource: 'y' }, 'by_tool'],
    [{ tool: 'x', status: ['failed'] }, 'by_status'],
    [{ status: ['failed', 'denied'] }, 'by_status'],
    [{ verification: 'failed', tool: 'x' }, 'by_verification'],
    [{ verification: 'unavailable', tool: 'x' }, 'by_tool_name'],
    [{ verification: 'unavailable' }, 'by_verification'],
    [{ class: 'remote', provenance: 'live' }, 'by_class'],
    [{ provenance: 'imported' }, 'by_provenance'],
    [{ from: 1, tool: 'x', status: ['failed'] }, 'by_time'],
    [{ from: 1, to: 2, session: 's1' }, 'by_session'],
    [{ to: 2, tool: 'x' }, 'by_tool_name'],
    [{ to: 2 }, 'by_time'],
  ] as [ReceiptFilters, string][])('reads %j by %s', (filters, index) => {
    expect(planReceipts(WORKSPACE, filters).index).toBe(index);
  });

  it('reads the list of one user by its own index', () => {
    expect(planReceipts({ workspaceId: 'w1', userId: 'u1' }, {}).index).toBe('by_user');
    expect(planReceipts({ workspaceId: 'w1', userId: 'u1' }, { to: 2 }).index).toBe('by_user');
  });

  it('lists the calls of a session with those of the sessions that its subagents had', async () => {
    const found = await pages(WORKSPACE, { root: 's3' }, 50);
    expect(new Set(found.map((doc) => doc.sessionId))).toEqual(new Set(['s3', 's4']));
    expect(found).toHaveLength(
      [...(await pages(WORKSPACE, { session: 's3' }, 200)), ...(await pages(WORKSPACE, { session: 's4' }, 200))].length,
    );
    expect(await pages(WORKSPACE, { root: 's4' }, 50)).toEqual([]);
  });

  it('takes a time range from its beginning to just before its end', async () => {
    const [newest, second] = await pages(WORKSPACE, { from: 0 }, 200);
    const [end, at] = [newest, second].map((doc) => Date.parse(doc?.times.requested ?? ''));
    expect(end).toBeGreaterThan(at ?? Number.NaN);
    expect(await pages(WORKSPACE, { from: at, to: end }, 200)).toEqual([second]);
    expect(await pages(WORKSPACE, { to: end }, 200)).toHaveLength((await pages(WORKSPACE, {}, 200)).length - 1);
  });

  it('says that a page is the last one, also when it is full', async () => {
    const count = (await pages(WORKSPACE, { session: 's5' }, 200)).length;
    expect(count).toBeGreaterThan(3);
    expect((await findReceipts(receipts, WORKSPACE, { session: 's5' }, { limit: count })).nextCursor).toBeNull();
    expect((await findReceipts(receipts, WORKSPACE, { session: 's5' }, { limit: count - 1 })).nextCursor).not.toBeNull();
  });

  it.each([0, 201, 1.5, -1, Number.NaN])('refuses a limit of %d', async (limit) => {
    await expect(findReceipts(receipts, WORKSPACE, {}, { limit })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('gives 50 unless told', async () => {
    expect((await findReceipts(receipts, WORKSPACE, {})).items).toHaveLength(50);
  });

  it('takes a cursor only with the filters and the scope that gave it', async () => {
    const filters: ReceiptFilters = { status: ['failed', 'denied'] };
    const { nextCursor } = await findReceipts(receipts, WORKSPACE, filters, { limit: 2 });
    const cursor = nextCursor ?? '';
    const reading = (scope: ReadScope, other: ReceiptFilters): Promise<unknown> =>
      findReceipts(receipts, scope, other, { cursor, limit: 9 });
    await expect(reading(WORKSPACE, { status: ['denied', 'failed'] })).resolves.toMatchObject({ items: expect.any(Array) as unknown });
    await expect(reading(WORKSPACE, { status: ['failed'] })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading(WORKSPACE, { ...filters, provenance: 'live' })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading(WORKSPACE, { ...filters, root: 's1' })).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading({ workspaceId: 'w2', userId: null }, filters)).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(reading({ workspaceId: 'w1', userId: 'u1' }, filters)).rejects.toMatchObject({ code: 'cursor_mismatch' });
    await expect(findReceipts(receipts, WORKSPACE, filters, { cursor: `${cursor}x` })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('getReceipt', () => {
  const id = receiptNamed('call-0-');
  it('finds a receipt of its scope alone', async () => {
    expect((await getReceipt(receipts, WORKSPACE, id))?.receiptId).toBe(id);
    expect(await getReceipt(receipts, { workspaceId: 'w1', userId: 'u0' }, id)).not.toBeNull();
    expect(await getReceipt(receipts, { workspaceId: 'w1', userId: 'u1' }, id)).toBeNull();
    expect(await getReceipt(receipts, { workspaceId: 'w2', userId: null }, id)).toBeNull();
    expect(await getReceipt(receipts, WORKSPACE, receiptNamed('none'))).toBeNull();
  });
});

describe('lostLeases', () => {
  it('gives the calls in flight whose lease has ended, of all workspaces, the longest overdue first', async () => {
    const inFlight = (await everything()).filter((doc) => doc.status === 'dispatched');
    const numbers = inFlight.map((doc) => Number(doc.callId.slice('call_'.length))).sort((a, b) => a - b);
    const half = numbers[Math.floor(numbers.length / 2)] ?? 0;
    const found = await lostLeases(receipts, Date.parse(leaseOf(half)), 1000);
    expect(found.map((doc) => doc.callId)).toEqual(numbers.filter((n) => n <= half).map((n) => `call_${n}`));
    expect(new Set(found.map((doc) => doc.workspaceId))).toEqual(new Set(['w1', 'w2']));
    expect(await lostLeases(receipts, Date.parse(leaseOf(half)), 2)).toEqual(found.slice(0, 2));
    expect(await lostLeases(receipts, LOG_BEGINS, 10)).toEqual([]);
  });
});

describe('countOpenLeases', () => {
  it('counts the calls in flight, of all workspaces', async () => {
    const inFlight = (await everything()).filter((doc) => doc.status === 'dispatched');
    expect(inFlight.length).toBeGreaterThan(10);
    expect(await countOpenLeases(receipts)).toBe(inFlight.length);
  });
});
