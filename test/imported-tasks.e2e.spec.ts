import type { CopyDocument, ImportedTaskReading, Page, TaskReading } from '@counterfoil/contracts';
import { MAIN_SET } from '@counterfoil/ledger';
import { compareSets } from '@counterfoil/projections';
import {
  digestOf,
  historicalCopyImported,
  historicalTaskImported,
  historicalTransitionImported,
  OLD_TASK,
  payloadOf,
} from '@counterfoil/testing';
import { Agent, type Http } from './demo/agent.js';
import { appendRecords } from './support/old-records.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let auditor: Http;
/** An agent of the user that the old records name, and one of another user. */
let local: Http;
let other: Http;
let importer: Http;
let position: string;

const at = (): Record<string, string> => ({ 'counterfoil-min-position': position });
const list = (http: Http, query = ''): Promise<Page<ImportedTaskReading>> =>
  http.call('GET', `/v1/tasks?provenance=imported${query}`, undefined, at());
const keysOf = async (http: Http, query = ''): Promise<string[]> => (await list(http, query)).items.map(({ recordKey }) => recordKey);
const read = (recordKey: string, http = auditor): Promise<ImportedTaskReading> =>
  http.call('GET', `/v1/imported-tasks/${recordKey}`, undefined, at());

const EARLIER = {
  updatedAt: '2026-08-20T09:00:00Z',
  contentDigest: digestOf('earlier'),
  recordedStatus: 'running',
  status: 'running',
} as const;
const LATER = {
  updatedAt: '2026-08-20T09:00:00.000001Z',
  contentDigest: digestOf('later'),
  recordedStatus: 'done',
  status: 'succeeded',
  evidenceCount: 3,
  importRun: 'run-1',
} as const;

const ofUser = (userId: string | null) => ({ ...OLD_TASK, userId });

/** Rows, changes and copies of three users; the row of `ana` was reset when `ben` added a task of the same words (README there, 11.1). */
async function importAll(): Promise<string> {
  const { ledger } = running;
  await appendRecords(ledger, 'early-late', [historicalTaskImported(EARLIER), historicalTaskImported(LATER)]);
  await appendRecords(ledger, 'late-early', [historicalTaskImported(LATER), historicalTaskImported(EARLIER)]);
  const words = payloadOf({ id: 'task_1', description: 'Run the tests', status: 'pending', other: '<redacted>' });
  await appendRecords(ledger, 'reset', [historicalTaskImported({ coordinates: ofUser('ben'), generation: '0a', original: words })]);
  await appendRecords(ledger, 'nobodys', [
    historicalTaskImported({ coordinates: { taskId: 'x'.repeat(400) }, status: null, recordedStatus: 'odd' }),
  ]);
  const change = (key: string, time: string | null, facts: Parameters<typeof historicalTransitionImported>[0]): Promise<string> =>
    appendRecords(ledger, key, [historicalTransitionImported(facts)], time);
  await change('t-late', '2026-08-20T09:00:00.2Z', { transition: 'task.succeeded', to: 'succeeded' });
  await change('t-early', '2026-08-20T09:00:00.100001Z', { transition: 'task.running', to: 'running' });
  await change('t-ana', '2026-08-20T09:00:00.3Z', { coordinates: ofUser('ana') });
  await change('t-untimed', null, { transition: 'task.resumed', to: null });
  await appendRecords(ledger, 'copy-1', [historicalCopyImported()]);
  await appendRecords(ledger, 'copy-2', [historicalCopyImported({ coordinates: { receiptId: 'receipt_0' }, importRun: 'run-1' })]);
  return appendRecords(ledger, 'copy-3', [historicalCopyImported({ coordinates: { ...OLD_TASK, receiptId: 'receipt_1' } })]);
}

beforeAll(async () => {
  running = await startLedger();
  auditor = await running.client('person:auditor', ['auditor']);
  local = await running.client('agent:local', ['agent'], { userId: 'local' });
  other = await running.client('agent:other', ['agent'], { userId: 'ana' });
  importer = await running.client('service:importer', ['importer']);
  position = await importAll();
});

afterAll(() => running.stop());

describe('imported tasks over HTTP', () => {
  it('are listed, the last imported first, by what was recorded', async () => {
    expect(await keysOf(auditor)).toEqual(['nobodys', 'reset', 'late-early', 'early-late']);
    expect(await keysOf(auditor, '&user=ben')).toEqual(['reset']);
    expect(await keysOf(auditor, '&session=chat-1&status=pending,running')).toEqual(['reset']);
    expect(await keysOf(auditor, '&task=task_1')).toEqual(['reset', 'late-early', 'early-late']);
    expect(await keysOf(auditor, `&task=${'x'.repeat(400)}`)).toEqual(['nobodys']);
    const first = await list(auditor, '&limit=3');
    expect(await keysOf(auditor, `&limit=3&cursor=${first.nextCursor ?? ''}`)).toEqual(['early-late']);
  });

  it('are as the latest version of their row says, in whatever order the versions came', async () => {
    const portable = async (key: string): Promise<object> => {
      const { recordKey: _k, revision: _r, position: _p, ...task } = await read(key);
      return task;
    };
    const task = await portable('early-late');
    expect(task).toMatchObject({ recordedStatus: 'done', status: 'succeeded', evidenceCount: 3, importRun: 'run-1', versions: 2 });
    expect(await portable('late-early')).toEqual(task);
    expect(await read('nobodys')).toMatchObject({ status: null, recordedStatus: 'odd', userId: null, versions: 1 });
  });

  it('are read with their own changes alone, oldest first', async () => {
    expect((await read('early-late')).transitions).toEqual([
      { transition: 'task.running', to: 'running', createdAt: '2026-08-20T09:00:00.100001Z', recordKey: 't-early' },
      { transition: 'task.succeeded', to: 'succeeded', createdAt: '2026-08-20T09:00:00.2Z', recordKey: 't-late' },
      { transition: 'task.resumed', to: null, createdAt: null, recordKey: 't-untimed' },
    ]);
    // The log says that the task of this id succeeded: another user's did.
    expect(await read('reset')).toMatchObject({ recordedStatus: 'pending', transitions: [], transitionsComplete: true });
  });

  it('are seen by agents where they are of their user, and by nobody’s agent where they are nobody’s', async () => {
    expect(await keysOf(local)).toEqual(['late-early', 'early-late']);
    expect(await keysOf(local, '&user=ben')).toEqual([]);
    expect(await keysOf(other)).toEqual([]);
    expect((await read('early-late', local)).transitions).toHaveLength(3);
    expect(await read('nobodys', importer)).toHaveProperty('recordKey', 'nobodys');
    for (const [http, key] of [
      [local, 'reset'],
      [local, 'nobodys'],
      [other, 'early-late'],
      [auditor, 'none'],
      [auditor, 't-late'],
      [auditor, '..%2Fdefault%2Freset'],
      [auditor, 'x'.repeat(90)],
    ] as const) {
      expect(await http.raw('GET', `/v1/imported-tasks/${key}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('are apart from the tasks of plans, which are listed as before', async () => {
    const agent = new Agent(local, 'live');
    await agent.open();
    const planned = (await agent.post('plans', { planId: 'p1', tasks: [{ taskId: 'task_1' }] })) as { position: string };
    const live = { 'counterfoil-min-position': planned.position };
    for (const query of ['', '?provenance=live']) {
      const { items } = await auditor.call<Page<TaskReading>>('GET', `/v1/tasks${query}`, undefined, live);
      expect(items.map(({ sessionId, taskId }) => [sessionId, taskId])).toEqual([['live', 'task_1']]);
    }
    expect(await keysOf(auditor, '&session=live')).toEqual([]);
  });

  it.each(['provenance=imported&plan=p1', 'provenance=imported&nothing=1', 'provenance=both', 'user=local', 'provenance=live&task=task_1'])(
    'are not asked for by %s: 422',
    async (query) => {
      expect(await auditor.raw('GET', `/v1/tasks?${query}`)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    },
  );

  it('take a position and a cursor as every list does', async () => {
    const cursor = (await list(auditor, '&limit=1')).nextCursor ?? '';
    expect(await auditor.raw('GET', `/v1/tasks?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'cursor_mismatch' } });
    const page = await list(auditor);
    for (const token of [page.position, page.items[0]?.position ?? '']) expect(() => running.ledger.parseToken(token)).not.toThrow();
    const elsewhere = { 'counterfoil-min-position': 'other.1' };
    expect(await auditor.raw('GET', '/v1/imported-tasks/reset', undefined, elsewhere)).toMatchObject({
      body: { code: 'position_of_another_ledger' },
    });
    expect(await auditor.raw('GET', '/v1/imported-tasks/reset?view=compat')).toMatchObject({ status: 422 });
  });
});

describe('copies over HTTP', () => {
  const copies = async (http: Http, query = ''): Promise<string[]> =>
    (await http.call<Page<CopyDocument>>('GET', `/v1/receipt-copies${query}`, undefined, at())).items.map(({ recordKey }) => recordKey);

  it('are found by the old receipt id, and by the import', async () => {
    expect(await copies(auditor)).toEqual(['copy-3', 'copy-2', 'copy-1']);
    expect(await copies(importer, '?receipt=receipt_0')).toEqual(['copy-2', 'copy-1']);
    expect(await copies(auditor, '?receipt=receipt_0&run=run-1')).toEqual(['copy-2']);
    const page = await auditor.call<Page<CopyDocument>>('GET', '/v1/receipt-copies?receipt=receipt_0&limit=1', undefined, at());
    expect(page.items[0]).not.toHaveProperty('importedPosition');
    expect(await copies(auditor, `?receipt=receipt_0&limit=1&cursor=${page.nextCursor ?? ''}`)).toEqual(['copy-1']);
  });

  it('are seen by agents where they are of their user', async () => {
    expect(await copies(local)).toEqual(['copy-3', 'copy-1']);
    expect(await copies(other)).toEqual([]);
    expect(await auditor.raw('GET', '/v1/receipt-copies?user=local')).toMatchObject({ status: 422 });
  });

  it('are no receipts', async () => {
    expect((await auditor.call<Page<unknown>>('GET', '/v1/receipts?provenance=imported', undefined, at())).items).toEqual([]);
  });
});

describe('an imported task that a command names', () => {
  const IDS = ['task_1', 'reset', 'early-late'];

  it.each(IDS)('is unknown to calls: the one that names %s is recorded and rejected', async (taskId) => {
    const agent = new Agent(local, `names-${taskId}`);
    await agent.open();
    await agent.post('plans', { planId: 'p1', tasks: [{ taskId: 't1' }] });
    const unknown = await agent.request('1', 'a', 'write', {}, { taskId });
    expect([unknown.call.status, unknown.call.reason?.code, unknown.next]).toEqual(['rejected', 'task_not_eligible', 'stop']);
    expect(unknown.call.reason).toEqual((await agent.request('1', 'b', 'write', {}, { taskId: 'nowhere' })).call.reason);
  });

  it.each(IDS)('is unknown to evidence and to every command on tasks (%s), also in a session of its own name', async (taskId) => {
    const agent = new Agent(local, taskId === 'task_1' ? OLD_TASK.sessionId : `moves-${taskId}`);
    await agent.open();
    await agent.post('plans', { planId: 'p1', tasks: [{ taskId: 't1' }] });
    const before = await running.events();
    const observation = { path: 'a', method: 'look', observer: 'me', exists: true };
    expect(await agent.try('evidence', { evidenceId: 'e1', taskId, observation })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    for (const change of ['start', 'block', 'unblock', 'complete', 'fail', 'cancel', 'reopen']) {
      const body = change === 'complete' ? { acceptance: 'it is done' } : {};
      expect(await agent.try(`tasks/${taskId}/${change}`, body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect(await running.events()).toBe(before);
  });

  it('is as it was', async () => {
    const tasks = await list(auditor);
    expect(tasks.items.map(({ recordedStatus, versions }) => [recordedStatus, versions])).toEqual([
      ['odd', 1],
      ['pending', 1],
      ['done', 2],
      ['done', 2],
    ]);
  });
});

it('read models of old records are byte-equal after a rebuild from zero', async () => {
  const { ledger } = running;
  await auditor.call('GET', '/v1/sessions', undefined, await running.atHead());
  const { replaced, generation } = await ledger.engine.rebuild();
  expect(await compareSets(ledger.docs, MAIN_SET, replaced, generation, ledger.partitions)).toMatchObject({ isEqual: true, newer: 0 });
  expect(await keysOf(auditor)).toEqual(['nobodys', 'reset', 'late-early', 'early-late']);
});
