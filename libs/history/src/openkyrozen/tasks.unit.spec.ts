import type { LedgerEvent } from '@counterfoil/contracts';
import { MemoryEventStore } from '@counterfoil/testing';
import { eventsOf, importRecords, REGISTRY } from '../testing/import-records.js';
import { inventedRecords } from '../testing/invented-records.js';
import type { RowJson } from '../testing/invented-rows.js';
import { ledTo } from './statuses.js';

const memoryStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => REGISTRY.read(event) });

const { taskRow, event, evidence0a, evidence0b, evidence2, TASK } = inventedRecords;
const line = (changes: RowJson = {}): string => JSON.stringify(taskRow(changes));

async function imported(...texts: readonly string[]) {
  const store = memoryStore();
  const report = await importRecords(store, texts);
  return { store, report, events: await eventsOf(store) };
}

const of = <T extends LedgerEvent['type']>(events: readonly LedgerEvent[], type: T) =>
  events.filter((one): one is Extract<LedgerEvent, { type: T }> => one.type === type);

describe('a row of the old table of tasks', () => {
  it('is an imported task with its recorded status, and each piece of evidence is a receipt', async () => {
    const { report, events } = await imported(line({ evidence: JSON.stringify([evidence0a, evidence0b]) }));
    expect(report).toMatchObject({ read: 3, rows: 1, imported: 3, added: { receipts: 2, tasks: 1 } });
    const [task] = of(events, 'HistoricalTaskImported');
    expect(task?.data).toMatchObject({ status: 'succeeded', recordedStatus: 'succeeded', evidenceCount: 2, surface: 'task' });
    expect(JSON.parse(task?.data.original.json ?? '')).not.toHaveProperty('evidence');
    const [first, second] = of(events, 'ToolCallRequested');
    expect(first?.data).toMatchObject({ association: { kind: 'recorded', taskId: TASK, basis: 'task_row' }, callIdSource: 'synthetic' });
    expect(second?.data).toMatchObject({ association: { kind: 'recorded', taskId: TASK, basis: 'receipt' } });
    expect(first?.data.sessionId).toBe('chat-invented-7');
  });

  it.each([
    ['done', 'succeeded'],
    ['in_progress', 'running'],
    ['blocked', 'blocked'],
    ['mislaid', null],
  ])('reads the status %s', async (recordedStatus, status) => {
    const { events } = await imported(line({ status: recordedStatus }));
    expect(of(events, 'HistoricalTaskImported')[0]?.data).toMatchObject({ recordedStatus, status });
  });

  it('takes columns as text or as values for one content', async () => {
    const { store } = await imported(line());
    const row = taskRow();
    const decoded = { ...row, evidence: [evidence0b], acceptance: [], dependencies: [], checkpoint: {} };
    expect(await importRecords(store, [JSON.stringify(decoded)], { importRun: 'other' })).toMatchObject({ duplicate: 2, eventsAdded: 0 });
  });

  it('that the source rewrote is a later version in one stream, whatever the order', async () => {
    const [early, late] = [line({ status: 'running' }), line({ updated_at: '2026-05-04T04:00:00+00:00' })];
    for (const texts of [
      [early, late],
      [late, early],
    ]) {
      const { report, events } = await imported(...texts);
      expect(report.added).toMatchObject({ tasks: 1, taskVersions: 1, receipts: 1 });
      const streams = new Set(of(events, 'HistoricalTaskImported').map(({ stream }) => stream));
      expect(streams.size).toBe(1);
    }
  });

  it('of another user with the same id is another task (ids of generation 0a collide)', async () => {
    const { events } = await imported(line({ id: 'task_00aa11bb22cc33dd' }), line({ id: 'task_00aa11bb22cc33dd', user_id: 'other' }));
    expect(new Set(of(events, 'HistoricalTaskImported').map(({ stream }) => stream)).size).toBe(2);
  });

  it('copied into every task, evidence is a receipt in each, and never one of them twice', async () => {
    const evidence = JSON.stringify([evidence0a, evidence0a]);
    const rows = [line({ id: 'task_a', evidence }), line({ id: 'task_b', evidence })];
    const { store, report } = await imported(...rows);
    expect(report.added).toMatchObject({ tasks: 2, receipts: 4 });
    expect(await importRecords(store, rows, { importRun: 'again' })).toMatchObject({ duplicate: 6, eventsAdded: 0 });
  });

  it('names two tasks: the evidence is associated with none', async () => {
    const { events } = await imported(line({ evidence: JSON.stringify([{ ...evidence0b, task_id: 'task_elsewhere' }]) }));
    expect(of(events, 'ToolCallRequested')[0]?.data.association).toEqual({ kind: 'none', taskId: null, basis: 'conflicting' });
  });

  it.each<[string, string, string]>([
    ['NaN', '[{"action":"x","success":NaN}]', 'not_a_number'],
    ['a cut text', '[{"action":"x"', 'payload_unreadable'],
    ['a doubled key', '[{"action":"x","action":"y"}]', 'duplicate_key'],
  ])('with %s as evidence is imported and marked, and the evidence put aside', async (_, evidence, reason) => {
    const { report, events } = await imported(line({ evidence }));
    expect(report).toMatchObject({ read: 2, imported: 1, quarantined: 1, reasons: { [reason]: 1 } });
    expect(of(events, 'HistoricalTaskImported')[0]?.data.anomalies).toContain('evidence_unreadable');
    expect(of(events, 'HistoricalRecordQuarantined')[0]?.data).toMatchObject({ member: '/evidence' });
  });

  it('puts aside the piece that names no tool, and takes the others', async () => {
    const { report, events } = await imported(line({ evidence: JSON.stringify([{ success: true }, evidence0b, 'text']) }));
    expect(report).toMatchObject({ read: 4, imported: 2, quarantined: 2, reasons: { no_tool: 1, payload_unreadable: 1 } });
    expect(of(events, 'HistoricalRecordQuarantined').map(({ data }) => data.member)).toEqual(['/evidence/0', '/evidence/2']);
  });

  it('tells its generation by the latest trace in it', async () => {
    const generation = async (changes: RowJson) => of((await imported(line(changes))).events, 'HistoricalTaskImported')[0]?.data.generation;
    expect(await generation({ id: 'task_00aa11bb22cc33dd', evidence: '[]' })).toBe('0a');
    expect(await generation({ evidence: '[]' })).toBe('0b');
    expect(await generation({ evidence: '[]', checkpoint: '{"ordered_plan":{"index":0}}' })).toBe('1');
    expect(await generation({ evidence: JSON.stringify([evidence2]) })).toBe('2');
  });

  it('stores no digest and no secret of a contract', async () => {
    const digest = '61bf200863ca1adb54d7fa64bc1aafcf84547f3fd3f20db81ae2e3799b88ca77';
    const checkpoint = JSON.stringify({ action: 'run_cmd', args: 'login --password=FAKE-pass-7', args_sha256: digest });
    const { store } = await imported(line({ checkpoint, evidence: JSON.stringify([{ ...evidence0b, result: 'FAKE-pass-7' }]) }));
    for await (const { data } of store.readStored(null)) expect(JSON.stringify(data)).not.toMatch(/FAKE|61bf200863/);
  });
});

describe('an event of a task', () => {
  it('is kept as a change, with the evidence in it as a copy', async () => {
    const row = event('task.succeeded', { evidence: evidence0a }, { task_id: TASK });
    const { report, events } = await imported(JSON.stringify(row));
    expect(report).toMatchObject({ read: 2, imported: 1, derivedCopy: 1, added: { transitions: 1, copies: 1 } });
    expect(of(events, 'HistoricalTransitionImported')[0]?.data).toMatchObject({
      transition: 'task.succeeded',
      to: 'succeeded',
      coordinates: { taskId: TASK },
    });
  });

  it.each([
    ['task.created', 'pending'],
    ['task.claimed', 'running'],
    ['task.recovered', 'pending'],
    ['task.resumed', 'pending'],
    ['task.running', 'running'],
    ['task.failed', 'failed'],
    ['task.checkpoint', null],
    ['task.execution_completed', null],
  ])('%s leads to %s', (type, status) => {
    expect(ledTo(type)).toBe(status);
  });

  it('completes nothing: no event of a task of ours comes of it', async () => {
    const row = event('task.succeeded', { evidence: evidence0a }, { task_id: TASK });
    const { events } = await imported(JSON.stringify(row), line());
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('Task') || type.startsWith('Evidence'))).toEqual([]);
  });
});
