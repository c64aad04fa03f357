import { randomUUID } from 'node:crypto';
import type { EventStore } from '@counterfoil/event-store';
import type { Ledger } from '../ledger.js';
import {
  APPROVER,
  callOf,
  dispatch,
  openSession,
  readCall,
  report,
  repositoryOver,
  request,
  send,
  testLedger,
  type TestLedger,
} from '../testing/test-ledger.js';

let test: TestLedger;
let ledger: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
  await send(ledger, openSession());
});
afterEach(() => test.dispose());

/** A store that counts the events that are read from it. */
function counting(inner: EventStore): { readonly store: EventStore; readonly take: () => number } {
  let read = 0;
  const store = Object.create(inner, {
    readStream: {
      value: async function* (...args: Parameters<EventStore['readStream']>) {
        for await (const event of inner.readStream(...args)) {
          read++;
          yield event;
        }
      },
    },
  }) as EventStore;
  const take = (): number => {
    const count = read;
    read = 0;
    return count;
  };
  return { store, take };
}

describe('one request, thousands of times over (case 2)', () => {
  it('is one call, adds no event, and reads none', async () => {
    const { store, take } = counting(ledger.store);
    const sessions = repositoryOver(ledger, store);
    const asked = request('call_0', { path: 'a' });
    const first = await send(sessions, asked);
    const head = await ledger.store.head();
    take();
    for (let n = 0; n < 5000; n++) expect(await send(sessions, asked)).toEqual({ ...first, added: 0 });
    expect(await ledger.store.head()).toBe(head);
    expect(take()).toBe(0);
  });

  it('reads no more than the few events of that call when it ended long ago', async () => {
    const { store, take } = counting(ledger.store);
    const sessions = repositoryOver(ledger, store);
    const asked = request('call_0', { path: 'a' });
    const [old, attempt] = [callOf(await send(sessions, asked)), randomUUID()];
    await send(sessions, dispatch(old, attempt));
    await send(sessions, report(old.receiptId, attempt));
    // Twice as many calls end as the session keeps at hand.
    for (let n = 1; n <= 130; n++) await send(sessions, request(`call_${n}`, '{"cut'));
    const head = await ledger.store.head();
    take();
    const answer = await send(sessions, asked);
    expect(callOf(answer)).toMatchObject({ receiptId: old.receiptId, status: 'succeeded' });
    expect(take()).toBe(3);
    for (let n = 0; n < 2000; n++) expect(await send(sessions, asked)).toEqual(answer);
    expect(take()).toBe(0);
    expect(await ledger.store.head()).toBe(head);
  });

  it('from many clients at once is one call', async () => {
    const asked = request('call_0', { path: 'a' });
    const answers = await Promise.all(Array.from({ length: 500 }, () => send(ledger, asked)));
    expect(new Set(answers.map((answer) => callOf(answer).receiptId)).size).toBe(1);
    expect(answers.reduce((added, answer) => added + answer.added, 0)).toBe(1);
  });
});

describe('a repetition that meets another process', () => {
  it('is the same call there, and a conflict if its content differs, although that process has not read it yet', async () => {
    const other = await test.open();
    // It knows the session as it was before.
    await send(other, request('before', {}));
    const first = await send(ledger, request('call_0', { path: 'a' }));
    expect(await send(other, request('call_0', { path: 'a' }))).toEqual({ ...first, added: 0 });
    await send(ledger, request('call_1', { path: 'a' }));
    const head = await ledger.store.head();
    await expect(send(other, request('call_1', { path: 'b' }))).rejects.toMatchObject({ code: 'call_conflict' });
    expect(await ledger.store.head()).toBe(head);
  });

  it('never gets an answer from a state that is out of date', async () => {
    const other = await test.open();
    const asked = callOf(await send(ledger, request('call_0', { path: 'a' })));
    const attempt = randomUUID();
    expect((await readCall(other, asked.receiptId))?.status).toBe('requested');
    await send(ledger, dispatch(asked, attempt));
    // Each of these appends nothing: all are decided at the end of the stream.
    expect(callOf(await send(other, dispatch(asked, attempt))).status).toBe('dispatched');
    await send(ledger, report(asked.receiptId, attempt));
    expect(callOf(await send(other, request('call_0', { path: 'a' }))).status).toBe('succeeded');
    await expect(send(other, dispatch(asked))).rejects.toMatchObject({ code: 'already_dispatched' });
  });

  it('is never refused for what was true before', async () => {
    const other = await test.open();
    const asked = callOf(await send(ledger, request('call_0', { path: 'a' }, { requireApproval: true })));
    // The other process has seen it wait, and nothing since.
    await expect(send(other, dispatch(asked))).rejects.toMatchObject({ code: 'approval_pending' });
    const [approvalId, operationId] = [asked.approval?.approvalId ?? '', asked.operationId ?? ''];
    await send(ledger, { type: 'GrantApproval', approvalId, operationId, amended: null, note: null }, APPROVER);
    expect(callOf(await send(other, dispatch(asked))).status).toBe('dispatched');
  });
});
