import type { ReceiptDocument } from '@counterfoil/contracts';
import { importSighting, projectedCollection, receiptNamed, testLog, toolCallRequested, type SightingFacts } from '@counterfoil/testing';
import type { Collection } from '../port.js';
import type { ReadScope } from '../shared/scope.js';
import { receiptsProjection } from './projection.js';
import { findReceipts, getReceipt, readReceipt } from './queries.js';

const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };
const EARLY = '2026-08-20T09:15:00Z';
const LATE = '2026-08-20T09:16:00Z';

type Facts = Partial<SightingFacts>;
type Task = ReceiptDocument['association'];

const task = (taskId: string, basis = 'receipt'): Task => ({ kind: 'recorded', taskId, basis });
const NONE: Task = { kind: 'none', taskId: null };
const CONFLICTING: Task = { kind: 'none', taskId: null, basis: 'conflicting' };

/** Sightings a, b, c … of one receipt, imported in this order. */
function sightings(...facts: readonly Facts[]): Collection<ReceiptDocument> {
  const log = testLog();
  facts.forEach((one, i) => {
    importSighting(log, { label: label(i), origin: 'receipt_1', ...one });
  });
  return projectedCollection(receiptsProjection, log.events);
}

const label = (i: number): string => String.fromCharCode('a'.charCodeAt(0) + i);

/** The receipt as every way to it gives it: by each sighting's id, and in the list. */
async function merged(collection: Collection<ReceiptDocument>, scope: ReadScope = WORKSPACE): Promise<ReceiptDocument> {
  const { items } = await findReceipts(collection, scope, {});
  const [doc] = items;
  if (doc === undefined || items.length > 1) throw new Error(`listed ${items.length} times`);
  for await (const { id } of collection.scan()) expect(await readReceipt(collection, scope, id)).toEqual(doc);
  return doc;
}

/** All orders of arrival. */
function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

describe('the canonical sighting', () => {
  it.each<[string, readonly Facts[]]>([
    ['the one that was created first', [{ createdAt: EARLY }, { createdAt: LATE }, { createdAt: null }]],
    ['by the microsecond', [{ createdAt: '2026-08-20T09:15:00.000001Z' }, { createdAt: '2026-08-20T09:15:00.000002Z' }]],
    ['also where one of them has no fraction', [{ createdAt: EARLY }, { createdAt: '2026-08-20T09:15:00.000001Z' }]],
    ['the one with the smallest coordinates, where the times are the same', [{ createdAt: EARLY }, { createdAt: EARLY }]],
    ['the one with the smallest coordinates, where nothing says a time', [{}, {}, {}]],
    ['the complete one before a partial one, however late', [{ createdAt: LATE }, { createdAt: EARLY, surface: 'bug_fix.receipt' }]],
    ['the complete one before all partial ones', [{}, { surface: 'stream' }, { surface: 'terminal' }, { surface: 'subagent.record' }]],
    ['the complete one before all evidence', [{}, { surface: 'evidence', createdAt: EARLY }, { surface: 'task.evidence' }]],
    [
      'the first of several complete ones',
      [{ createdAt: EARLY, surface: 'subagent.receipt' }, { createdAt: LATE }, { surface: 'receipt' }],
    ],
    ['the first of several partial ones', [{ createdAt: EARLY, surface: 'bug_fix.receipt' }, { surface: 'stream' }]],
  ])('is %s, whatever order they came in', async (_, facts) => {
    const labelled = facts.map((one, i): Facts => ({ ...one, label: label(i) }));
    for (const order of orders(labelled)) expect((await merged(sightings(...order))).receiptId).toBe(receiptNamed('a'));
  });
});

describe('the association of a receipt', () => {
  it.each<[string, Task, readonly Facts[]]>([
    ['stays what the canonical sighting says', task('t1'), [{ association: task('t1') }, { association: task('t2') }]],
    ['stays none where the canonical one says two tasks', CONFLICTING, [{ association: CONFLICTING }, { association: task('t1') }]],
    ['stays none where nobody says a task', NONE, [{}, {}]],
    ['is what a later copy says', task('t1', 'later_copy'), [{}, { association: task('t1') }, {}]],
    ['is what all later copies say', task('t1', 'later_copy'), [{}, { association: task('t1') }, { association: task('t1', 'explicit') }]],
    ["is what the task's row says", task('t1', 'task_row'), [{}, { surface: 'task.evidence', association: task('t1', 'task_row') }]],
    [
      'is what a later copy says as well as the row',
      task('t1', 'later_copy'),
      [{}, { surface: 'task.evidence', association: task('t1', 'task_row') }, { surface: 'bug_fix.receipt', association: task('t1') }],
    ],
    ['is none where others say two', CONFLICTING, [{}, { association: task('t1') }, { association: task('t2') }]],
    ['is none where another says two by itself', CONFLICTING, [{}, { association: CONFLICTING }, { association: task('t1') }]],
  ])('%s', async (_, association, [canonical, ...others]) => {
    for (const order of orders([
      { ...canonical, label: 'a', createdAt: EARLY },
      ...others.map((one, i) => ({ ...one, label: label(i + 1) })),
    ])) {
      const doc = await merged(sightings(...order));
      expect(doc.association).toEqual(association);
      expect(doc.taskId).toBe(association.basis === 'later_copy' || association.basis === 'task_row' ? association.taskId : null);
    }
  });

  it('keeps an old task id that is none by our rules out of the typed field', async () => {
    const doc = await merged(sightings({ createdAt: EARLY }, { association: task('task with spaces') }));
    expect(doc).toMatchObject({ taskId: null, association: task('task with spaces', 'later_copy') });
  });

  it('says that sightings name different tasks, also where the canonical one has the word', async () => {
    const doc = await merged(sightings({ createdAt: EARLY, association: task('t1') }, { association: task('t2') }));
    expect(doc.provenance).toMatchObject({ anomalies: ['task_association_conflicting'] });
  });
});

describe('sightings that disagree', () => {
  it.each<[string, boolean, readonly Facts[]]>([
    ['on the status', true, [{ status: 'failed' }, { status: 'succeeded' }]],
    ['on the tool', true, [{ tool: 'read_file' }, { tool: 'write_file' }]],
    ['on the operation', true, [{ operationId: 'op1' }, { operationId: 'op2' }]],
    [
      'on none of them',
      false,
      [
        { status: 'failed', operationId: 'op1' },
        { status: 'failed', operationId: 'op1' },
      ],
    ],
    [
      'by silence',
      false,
      [
        { status: 'failed', operationId: 'op1' },
        { status: 'unknown', operationId: null },
      ],
    ],
  ])('%s are marked: %s', async (_, disagree, facts) => {
    for (const order of orders(facts)) {
      expect((await merged(sightings(...order))).provenance).toMatchObject({ anomalies: disagree ? ['sightings_disagree'] : [] });
    }
  });

  it('are marked beside what else is odd, once', async () => {
    const odd = { anomalies: ['double_encoded', 'sightings_disagree'], status: 'failed' } as const;
    const doc = await merged(sightings({ ...odd, createdAt: EARLY }, { anomalies: ['alias_resolved'] }));
    expect(doc.provenance).toMatchObject({ anomalies: ['double_encoded', 'sightings_disagree'] });
  });
});

describe('the merged receipt', () => {
  const facts: readonly Facts[] = [
    { label: 'a', createdAt: EARLY, status: 'unknown', userId: null, sessionId: null },
    { label: 'b', createdAt: null, surface: 'stream', status: 'failed', operationId: 'op1' },
    { label: 'c', createdAt: LATE, surface: 'bug_fix.receipt', status: 'failed' },
  ];

  it('is the canonical document, with where the others stood, in their order', async () => {
    for (const order of orders(facts)) {
      const collection = sightings(...order);
      const canonical = await getReceipt(collection, WORKSPACE, receiptNamed('a'));
      expect(canonical?.provenance).toMatchObject({ sightings: [] });
      expect(await merged(collection)).toEqual({
        ...canonical,
        provenance: {
          ...canonical?.provenance,
          sightings: [
            { eventId: 'evt_c', receiptId: 'receipt_1', surface: 'bug_fix.receipt', ourReceiptId: receiptNamed('c') },
            { eventId: 'evt_b', receiptId: 'receipt_1', surface: 'stream', ourReceiptId: receiptNamed('b') },
          ],
        },
      });
    }
  });

  it('is made of what its reader may see, and of nothing else', async () => {
    const collection = sightings(
      { createdAt: EARLY, userId: 'u2', status: 'failed', association: task('t1') },
      { createdAt: LATE, userId: 'u1' },
      { userId: null, association: task('t3') },
    );
    const doc = await readReceipt(collection, { workspaceId: 'w1', userId: 'u1' }, receiptNamed('b'));
    expect(doc).toEqual(await getReceipt(collection, WORKSPACE, receiptNamed('b')));
    expect(await readReceipt(collection, { workspaceId: 'w1', userId: 'u1' }, receiptNamed('a'))).toBeNull();
    expect(await readReceipt(collection, { workspaceId: 'w2', userId: null }, receiptNamed('a'))).toBeNull();
    expect((await findReceipts(collection, { workspaceId: 'w1', userId: 'u1' }, {})).items).toEqual([doc]);
  });

  it('is the document itself where nothing else was seen of it, and of a live call', async () => {
    const log = testLog();
    importSighting(log, { label: 'a', origin: 'receipt_1' });
    importSighting(log, { label: 'b', origin: null });
    importSighting(log, { label: 'c', origin: null });
    const live = toolCallRequested({ callId: 'receipt_1' });
    log.append('session-w1/s1', live);
    const collection = projectedCollection(receiptsProjection, log.events);
    const ids = [receiptNamed('a'), receiptNamed('b'), receiptNamed('c'), live.data.receiptId];
    for (const id of ids) expect(await readReceipt(collection, WORKSPACE, id)).toEqual(await getReceipt(collection, WORKSPACE, id));
    expect((await findReceipts(collection, WORKSPACE, {})).items.map((doc) => doc.receiptId)).toEqual(ids.reverse());
  });

  it('says that there are more sightings than are read together', async () => {
    const many = Array.from({ length: 203 }, (_, i): Facts => ({ label: `m${i}`, createdAt: EARLY }));
    const read = (count: number, one: string): Promise<ReceiptDocument | null> =>
      readReceipt(sightings(...many.slice(0, count)), WORKSPACE, receiptNamed(one));
    for (const [count, anomalies] of [
      [200, []],
      [203, ['sightings_incomplete']],
    ] as const) {
      const doc = await read(count, 'm0');
      expect(doc?.provenance).toMatchObject({ anomalies });
      expect(doc?.provenance.kind === 'imported' && doc.provenance.sightings).toHaveLength(199);
      expect(await read(count, `m${count - 1}`)).toEqual(doc);
    }
  });
});
