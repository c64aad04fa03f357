import { uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS, STORED_EVENTS, type RecordedEvent } from '@counterfoil/contracts';
import { importSource } from '@counterfoil/history';
import { collect, start, type Running } from '@counterfoil/testing';
import type { Ledger } from './ledger.js';
import { createRegistry } from './registry.js';
import { openSession, request, send, testLedger, type TestLedger } from './testing/test-ledger.js';

let test: TestLedger;
let ledger: Ledger;
let running: Running;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
  running = start(ledger.engine);
});
afterEach(async () => {
  await running.stop();
  await test.dispose();
});

const row = (n: number): string =>
  JSON.stringify({
    id: `evt_path_${n}`,
    event_type: 'execution.receipt',
    payload: {
      receipt_id: `receipt_path_${n}`,
      operation_id: '0123456789abcdef0123456789abcdef',
      action: 'read_file',
      args: `notes/${n}.md`,
      authorized: true,
      started_at: '2026-05-06T07:08:09.000001+00:00',
      completed_at: '2026-05-06T07:08:10.000001+00:00',
      success: n % 2 === 0,
      result: 'alpha',
      failure: null,
      exit_code: null,
      verified_effect: null,
      acceptance: null,
    },
    user_id: 'local',
    workspace_id: 'source-paths',
    session_id: 'chat-1',
    task_id: null,
    created_at: '2026-05-06T07:08:11.000001+00:00',
  });

async function importRows(count: number): Promise<void> {
  const lines = (async function* () {
    for (let n = 0; n < count; n++) yield Buffer.from(`${row(n)}\n`);
  })();
  await importSource(lines, {
    store: ledger.store,
    workspaceId: 'default',
    actor: { principal: 'service:import', keyId: 'test' },
    importKey: ledger.keys.importKey,
    importRun: uuidV7(test.now),
    now: () => test.now,
  });
}

async function subscribed(): Promise<RecordedEvent[]> {
  const abort = new AbortController();
  const events: RecordedEvent[] = [];
  for await (const batch of ledger.store.subscribeAll({ after: null, signal: abort.signal })) {
    events.push(...batch.events);
    if (batch.caughtUp) abort.abort();
  }
  return events;
}

describe("the ledger's upcasting registry", () => {
  it('knows the current version of every type that may be stored', () => {
    const registry = createRegistry();
    for (const type of Object.keys(STORED_EVENTS) as (keyof typeof STORED_EVENTS)[])
      expect(registry.currentVersion(type)).toBe(CURRENT_VERSIONS[type]);
  });

  it('gives an imported receipt as a request and an observation on every read path (case 50)', async () => {
    await send(ledger, openSession());
    await send(ledger, request('call_0', { path: 'a' }));
    await importRows(3);

    const all = (await collect(ledger.store.readAll(null))).flatMap(({ events }) => events);
    expect(await subscribed()).toEqual(all);
    const imported = all.filter(({ stream }) => stream.startsWith('history-'));
    expect(imported.map(({ type, part, parts }) => [type, part, parts])).toEqual(
      [0, 1, 2].flatMap(() => [
        ['ToolCallRequested', 0, 2],
        ['ToolCallObserved', 1, 2],
      ]),
    );
    for (const stream of new Set(all.map((event) => event.stream))) {
      const own = all.filter((event) => event.stream === stream);
      expect(await collect(ledger.store.readStream(stream))).toEqual(own);
      const backwards = await collect(ledger.store.readStream(stream, { direction: 'backwards' }));
      expect(backwards.toSorted((a, b) => Number(a.revision - b.revision) || a.part - b.part)).toEqual(own);
    }
    // Only what verifies and copies sees them as they are stored.
    const stored = (await collect(ledger.store.readStored(null))).filter(({ stream }) => stream.startsWith('history-'));
    expect(stored.map(({ type }) => type)).toEqual(Array(3).fill('HistoricalReceiptImported'));
  });

  it('is the one that projections read through, live and rebuilt', async () => {
    await importRows(2);
    const head = await ledger.store.head();
    const read = async (): Promise<unknown> => {
      const { receipts } = await ledger.readModels(head, 10_000);
      const found: unknown[] = [];
      for await (const { doc } of receipts.scan()) found.push(doc);
      return found;
    };
    const live = await read();
    expect(live).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 'succeeded', callId: 'legacy:receipt_path_0' }),
        expect.objectContaining({ status: 'failed', callId: 'legacy:receipt_path_1' }),
      ]),
    );
    await ledger.engine.rebuild();
    expect(await read()).toEqual(live);
  });
});
