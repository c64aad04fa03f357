import type { EventData } from '@counterfoil/contracts';
import { compareSets } from '@counterfoil/projections';
import { start, type Running } from '@counterfoil/testing';
import type { Ledger } from './ledger.js';
import { MAIN_SET } from './projection-set.js';
import { playEveryEnd, type EndedCall } from './testing/every-end.js';
import { readCall, testLedger, type TestLedger } from './testing/test-ledger.js';

const CALL_IDS = ['call_0', '__proto__', ' ', 'a\u0000b', '호출/../1?x=%00#', '\u202eabc', '🧾'.repeat(512)];

let test: TestLedger;
let ledger: Ledger;
let running: Running;
let calls: readonly EndedCall[];
let position: bigint;

beforeAll(async () => {
  test = await testLedger();
  ledger = await test.open();
  ({ calls, position } = await playEveryEnd(test, ledger, CALL_IDS));
  running = start(ledger.engine);
});

afterAll(async () => {
  await running.stop();
  await test.dispose();
});

const pick = ({ receiptId, callId, status, reason }: EndedCall): unknown => ({ receiptId, callId, status, reason });

/** What another ledger over the same files answers, one call after the other. */
async function answersOf(other: Ledger): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const { receiptId } of calls) {
    const call = await readCall(other, receiptId);
    answers.push(call && pick({ ...call, reason: call.reason?.code ?? null }));
  }
  return answers;
}

async function receipts(): Promise<unknown[]> {
  const models = await ledger.readModels(position, 10_000);
  const found = await models.receipts.getMany(calls.map(({ receiptId }) => receiptId));
  return calls.map(({ receiptId }) => {
    const doc = found.get(receiptId)?.doc;
    return doc == null ? null : pick({ ...doc, reason: doc.reason?.code ?? null });
  });
}

describe('a call, however it ends', () => {
  it('has its call id verbatim in its first event, which names scope and tool', async () => {
    const requested = new Map<string, EventData<'ToolCallRequested'>>();
    const first = new Map<string, string>();
    for await (const event of ledger.store.readStream('session-default/s1')) {
      const data = event.data as { readonly receiptId?: string };
      if (data.receiptId === undefined) continue;
      if (!first.has(data.receiptId)) first.set(data.receiptId, event.type);
      if (event.type === 'ToolCallRequested') requested.set(data.receiptId, event.data as EventData<'ToolCallRequested'>);
    }
    expect(new Set(first.values())).toEqual(new Set(['ToolCallRequested']));
    for (const { receiptId, callId } of calls) {
      expect(requested.get(receiptId)).toMatchObject({
        callId,
        callIdSource: 'native',
        workspaceId: 'default',
        userId: 'u1',
        sessionId: 's1',
        tool: { source: 'builtin', name: 'write' },
        provenance: { kind: 'live' },
      });
    }
  });

  it('is answered with that id and that end by the process that took it, and by one that only has the files', async () => {
    const expected = calls.map(pick);
    expect(await answersOf(ledger)).toEqual(expected);
    // The first one is not closed before: nothing that it held in memory gets into the file.
    expect(await answersOf(await test.open())).toEqual(expected);
  });

  it('is one of nine distinct ends, the same live and after a rebuild from zero', async () => {
    const live = await receipts();
    expect(live).toEqual(calls.map(pick));
    expect(new Set(calls.map(({ status }) => status)).size).toBe(9);
    const { replaced, generation } = await ledger.engine.rebuild();
    expect(await compareSets(ledger.docs, MAIN_SET, replaced, generation)).toMatchObject({ isEqual: true, newer: 0 });
    expect((await ledger.engine.status()).generation).toBe(generation);
    expect(await receipts()).toEqual(live);
  });
});
