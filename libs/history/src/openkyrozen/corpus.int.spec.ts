import { readFileSync } from 'node:fs';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { EventData, RecordedEvent } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry, verifyStore } from '@counterfoil/event-store';
import type { EventStore, SqliteEventStore } from '@counterfoil/event-store';
import { MemoryEventStore, temporaryDirectory } from '@counterfoil/testing';
import { importLines } from '../import/import-lines.js';
import type { ImportReport } from '../import/report.js';
import type { ImportSource } from '../import/source.js';
import { CONTEXT } from '../testing/import-context.js';
import { sharedHistory } from '../testing/shared-history.js';
import { bytesOf } from '../testing/sources.js';
import { RECEIPT_IMPORTED_V1 } from './receipt-imported-v1.js';

type Requested = EventData<'ToolCallRequested'>;
type Observed = EventData<'ToolCallObserved'>;

/** What the corpus expects of one receipt, by its own names. */
interface Expected {
  readonly outcome: string;
  readonly receipts?: readonly Readonly<Record<string, unknown>>[];
}

const events = sharedHistory('gen1.events.jsonl');
const expectedFile = sharedHistory('records/expected.json');
const isThere = events !== null && expectedFile !== null;
const corpus = (isThere ? JSON.parse(readFileSync(expectedFile, 'utf8')) : {}) as Record<string, Expected>;
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });

const run = (store: EventStore, source: ImportSource, importRun = 'run-1'): Promise<ImportReport> =>
  importLines(source, { ...CONTEXT, now: Date.now, store, importRun });

async function allOf(store: EventStore): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const batch of store.readAll(null)) {
    expect(batch.unreadable).toEqual([]);
    found.push(...batch.events);
  }
  return found;
}

function byStream(all: readonly RecordedEvent[]): Record<string, unknown> {
  const lasting = (data: unknown): unknown => JSON.parse(JSON.stringify(data).replaceAll(/"importRun":"[^"]*"/g, ''));
  return Object.fromEntries(all.map(({ stream, part, data }) => [`${stream}#${String(part)}`, lasting(data)]));
}

/** A store in a file of its own for each test. */
function eachStore(): () => Promise<SqliteEventStore> {
  const path = temporaryDirectory();
  const open: SqliteEventStore[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((store) => store.close()));
  });
  return async () => {
    const store = await openSqliteEventStore({ file: path(`${String(open.length)}.db`), registry });
    open.push(store);
    return store;
  };
}

(isThere ? describe : describe.skip)('the events of generation 1 (expected in ../shared/history)', () => {
  const openStore = eachStore();
  const file = events ?? '';

  it('gives each line a fate: 101 receipts, 59 other events', async () => {
    const store = await openStore();
    const report = await run(store, file);
    expect(report).toMatchObject({ read: 160, imported: 101, duplicate: 0, notAReceipt: 59, quarantined: 0, eventsAdded: 101 });
    const all = await allOf(store);
    expect(all).toHaveLength(202);
    const again = await run(store, file, 'run-2');
    expect(again).toMatchObject({ read: 160, imported: 0, duplicate: 101, notAReceipt: 59, eventsAdded: 0 });
    expect(await allOf(store)).toEqual(all);
    expect((await verifyStore(store)).faults).toEqual([]);
  });

  it('gives equal streams in another order, with the payloads as text, and with Windows line ends', async () => {
    const [inOrder, other] = [await openStore(), await openStore()];
    await run(inOrder, file);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const asText = lines.reverse().map((line) => {
      const row = JSON.parse(line) as { payload: unknown };
      return `${JSON.stringify({ ...row, payload: JSON.stringify(row.payload) })}\r`;
    });
    expect(await run(other, bytesOf(...asText), 'run-2')).toMatchObject({ imported: 101 });
    const coordinates = async (store: EventStore): Promise<unknown> =>
      Object.fromEntries(
        (await allOf(store)).filter(({ part }) => part === 0).map(({ stream, data }) => [stream, (data as Requested).provenance]),
      );
    expect(await coordinates(other)).toEqual(await coordinates(inOrder));
  });

  it('gives equal events in another order', async () => {
    const [inOrder, other] = [await openStore(), await openStore()];
    await run(inOrder, file);
    await run(other, bytesOf(...readFileSync(file, 'utf8').trimEnd().split('\n').reverse()), 'run-2');
    expect(byStream(await allOf(other))).toEqual(byStream(await allOf(inOrder)));
  });

  it('stores none of the secrets that the old redaction let through', async () => {
    const store = await openStore();
    await run(store, file);
    for await (const event of store.readStored(null)) expect(JSON.stringify(event.data)).not.toMatch(/FAKE/);
  });

  it('says what the rows say', async () => {
    const store = await openStore();
    await run(store, file);
    const observed = (await allOf(store)).filter(({ type }) => type === 'ToolCallObserved').map(({ data }) => data as Observed);
    const rows = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event_type: string; payload: { success: boolean; exit_code: number | null } })
      .filter(({ event_type: type }) => type === 'execution.receipt');
    expect(observed.map(({ status }) => status === 'succeeded')).toEqual(rows.map(({ payload }) => payload.success));
    expect(observed.map(({ outcome }) => outcome?.exitCode)).toEqual(rows.map(({ payload }) => payload.exit_code));
  });
});

const ROW = {
  event_type: 'execution.receipt',
  user_id: null,
  workspace_id: null,
  session_id: null,
  task_id: null,
  created_at: '2026-08-20T09:15:00.700000+00:00',
};

/** The record as a line; a bare receipt in a row that says nothing else, since rows are what this version reads. */
function lineOf(name: string, bareToo: boolean): string {
  const record = JSON.parse(readFileSync(sharedHistory(`records/${name}`) ?? '', 'utf8')) as Record<string, unknown>;
  const isBare = 'authorized' in record || name.startsWith('44') || name.startsWith('45');
  return JSON.stringify(isBare && bareToo ? { id: `evt_${name}`, ...ROW, payload: record } : record);
}

/** Our reading, by the names of the corpus. */
function reading(requested: Requested, observed: Observed): Record<string, unknown> {
  const { provenance, association } = requested;
  if (provenance.kind !== 'imported') throw new Error('not imported');
  const { after } = observed.verification;
  const { method, state } = observed.verification;
  return {
    receipt_id: provenance.coordinates['receiptId'],
    operation_id: requested.operationId,
    call_id: requested.callId,
    call_id_source: requested.callIdSource,
    tool: requested.tool.name,
    arguments: JSON.parse(requested.arguments.json) as unknown,
    authorized: observed.recorded.authorized,
    status: observed.status,
    failure_code: observed.recorded.failure,
    exit_code: observed.outcome?.exitCode ?? null,
    side_effects: requested.tool.sideEffects,
    verification: { state, method, observed: after === null ? null : (JSON.parse(after.json) as unknown) },
    user_id: requested.userId,
    workspace_id: provenance.coordinates['workspaceId'],
    session_id: requested.sessionId,
    plan_id: requested.planId,
    task_id: requested.taskId,
    task_association: association.kind,
    tool_version: requested.tool.version,
    tool_source: requested.tool.source,
    started_at: observed.times.startedAt,
    completed_at: observed.times.completedAt,
  };
}

const READ_NOW = [
  '09-gen1-event-row-object.json',
  '10-gen1-event-row-json-text.json',
  '11-gen1-execute-no-task-key.json',
  '12-gen1-write-existence-effect.json',
  '14-gen1-cmd-nonzero.json',
  '15-gen1-cmd-signal.json',
  '17-gen1-duplicate-operation.json',
  '18-gen1-unknown-tool.json',
  '20-gen1-approval-denied.json',
  '21-gen1-interrupted.json',
  '22-gen1-false-failure-null-code.json',
  '23-gen1-json-result-secret-leak.json',
  '25-gen1-result-cut-2000.json',
  '26-gen1-args-cut-1000.json',
  '28-gen1-args-none-text.json',
  '34-gen1-scope-null-session.json',
  '44-odd-missing-keys.json',
  '47-odd-naive-timestamps.json',
  '49-odd-alias-bash.json',
  '51-odd-args-object.json',
  '52-odd-success-string.json',
  '54-odd-double-encoded.json',
];

(isThere ? describe : describe.skip)('single records (expected in ../shared/history)', () => {
  it.each(READ_NOW)('%s', async (name) => {
    const store = new MemoryEventStore({ upcast: (event) => registry.read(event) });
    expect(await run(store, bytesOf(lineOf(name, true)))).toMatchObject({ read: 1, imported: 1 });
    const [requested, observed] = (await allOf(store)).map(({ data }) => data);
    const expected = corpus[name]?.receipts?.[0] ?? {};
    const ours = reading(requested as Requested, observed as Observed);
    for (const key of Object.keys(ours)) expect([key, ours[key]]).toEqual([key, expected[key]]);
    const { provenance } = requested as Requested;
    if (provenance.kind !== 'imported') throw new Error('not imported');
    expect(provenance.argumentsFidelity).toContain(expected['arguments_fidelity']);
    expect(provenance.anomalies).toEqual(expect.arrayContaining((expected['anomalies'] ?? []) as string[]));
    if (expected['result_truncated'] === 'possible') expect(provenance.anomalies).toContain('result_possibly_truncated');
    if (expected['tool_as_recorded'] !== undefined) expect(provenance.anomalies).toContain('alias_resolved');
  });

  it('shows no secret of a leaking record, and keeps the rest', async () => {
    const store = new MemoryEventStore({ upcast: (event) => registry.read(event) });
    await run(store, bytesOf(lineOf('23-gen1-json-result-secret-leak.json', true)));
    const text = JSON.stringify((await allOf(store)).map(({ data }) => data));
    expect(text).not.toContain('FAKE-token-0001');
    expect(text).toContain('sku-1');
    expect(text).toContain('naïve 価格');
  });

  it.each<[string, string]>([
    ['01-gen0a-evidence-min.json', 'unsupported_surface'],
    ['02-gen0a-task-row-done.json', 'unsupported_surface'],
    ['03-gen0a-task-succeeded-event.json', 'not_a_receipt'],
    ['04-gen0b-evidence-scoped.json', 'unsupported_surface'],
    ['06-gen0b-false-success-exit-text.json', 'unsupported_surface'],
    ['07-gen0c-subagent-denied.json', 'unsupported_surface'],
    ['15-gen1-cmd-signal.json', 'unsupported_surface'],
    ['30-gen1-stream-event.json', 'unsupported_surface'],
    ['31-gen1-tui-line.json', 'unsupported_surface'],
    ['32-gen1-learning-run.json', 'not_a_receipt'],
    ['37-gen1b-subagent-receipt-event.json', 'unsupported_surface'],
    ['39-gen2-event-full.json', 'unsupported_generation'],
    ['42-gen2-evidence-ordered-plan.json', 'unsupported_surface'],
    ['45-odd-all-nulls.json', 'unsupported_surface'],
    ['56-odd-receipt-in-prose.json', 'not_a_receipt'],
    ['60-gen3-native.json', 'unsupported_generation'],
  ])('%s is %s for now', async (name, fate) => {
    const store = new MemoryEventStore({ upcast: (event) => registry.read(event) });
    const report = await run(store, bytesOf(lineOf(name, false)));
    if (fate === 'not_a_receipt') expect(report).toMatchObject({ read: 1, notAReceipt: 1 });
    else expect(report).toMatchObject({ read: 1, quarantined: 1, reasons: { [fate]: 1 } });
  });

  it.each<[string, string]>([
    ['35-gen1b-long-multiline-read.json', 'unsupported_generation'],
    ['40-gen2-sha-differs-redacted.json', 'unsupported_generation'],
    ['45-odd-all-nulls.json', 'no_tool'],
    ['63-gen3-call-id-null.json', 'unsupported_generation'],
  ])('%s in a row is %s', async (name, reason) => {
    const store = new MemoryEventStore({ upcast: (event) => registry.read(event) });
    expect((await run(store, bytesOf(lineOf(name, true)))).reasons).toEqual({ [reason]: 1 });
  });
});

describe('a file that cannot be read', () => {
  it.each([
    ['is not there', 'no-such-file.jsonl'],
    ['is a directory', '.'],
  ])('%s: an error, not an empty history', async (_, path) => {
    await expect(run(new MemoryEventStore(), path)).rejects.toMatchObject({ code: 'read_failed', report: { read: 0 } });
  });
});
