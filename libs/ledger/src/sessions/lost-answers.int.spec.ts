import {
  OutcomeUnknownError,
  StoreUnavailableError,
  type AppendRequest,
  type AppendResult,
  type EventStore,
} from '@counterfoil/event-store';
import type { Ledger } from '../ledger.js';
import { callOf, openSession, repositoryOver, request, send, testLedger, type TestLedger } from '../testing/test-ledger.js';

let test: TestLedger;
let ledger: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
  await send(ledger, openSession());
});
afterEach(() => test.dispose());

type Append = EventStore['append'];

/** The ledger's store, but for what becomes of its appends; each of them is noted. */
function over(append: (inner: Append, request: AppendRequest) => Promise<AppendResult>): {
  readonly sessions: Pick<Ledger, 'sessions'>;
  readonly sent: readonly AppendRequest[];
} {
  const sent: AppendRequest[] = [];
  const inner: Append = (appended) => ledger.store.append(appended);
  const store = Object.create(ledger.store, {
    append: {
      value: (appended: AppendRequest) => {
        sent.push(appended);
        return append(inner, appended);
      },
    },
  }) as EventStore;
  return { sessions: repositoryOver(ledger, store), sent };
}

const asked = request('call_0', { path: 'a' });

describe('an append whose answer is lost', () => {
  it.each([
    ['although it was stored', true],
    ['before it was stored', false],
  ])('%s is sent again as it was until the store answers: recorded once', async (_, isStored) => {
    let lost = 0;
    const { sessions, sent } = over(async (inner, appended) => {
      if (lost < 2) {
        lost++;
        if (isStored) await inner(appended);
        throw new OutcomeUnknownError('of the test');
      }
      return inner(appended);
    });
    const head = await ledger.store.head();
    const answer = await send(sessions, asked);
    expect(callOf(answer)).toMatchObject({ callId: 'call_0', status: 'requested' });
    expect(await ledger.store.head()).toBe(head + 1n);
    expect(answer.position).toBe(head + 1n);
    expect(sent).toHaveLength(3);
    for (const again of sent) expect(again).toEqual(sent[0]);
  });

  it.each([
    ['stored', true, 0],
    ['not stored', false, 1],
  ])('for ever is `outcome_unknown`; the same command sent later settles it (%s)', async (_, isStored, added) => {
    let isAway = true;
    const { sessions } = over(async (inner, appended) => {
      if (!isAway) return inner(appended);
      if (isStored) await inner(appended);
      throw new OutcomeUnknownError('of the test');
    });
    const head = await ledger.store.head();
    await expect(send(sessions, asked)).rejects.toMatchObject({ code: 'outcome_unknown' });
    isAway = false;
    const answer = await send(sessions, asked);
    expect(answer).toMatchObject({ added, position: head + 1n });
    expect(callOf(answer).status).toBe('requested');
    expect(await ledger.store.head()).toBe(head + 1n);
  });
});

describe('a store that is away', () => {
  it('is `store_unavailable`: nothing was recorded, and nothing is remembered of it', async () => {
    let isAway = true;
    const { sessions, sent } = over((inner, appended) =>
      isAway ? Promise.reject(new StoreUnavailableError('of the test')) : inner(appended),
    );
    const head = await ledger.store.head();
    await expect(send(sessions, asked)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(sent).toHaveLength(1);
    expect(await ledger.store.head()).toBe(head);
    isAway = false;
    expect(await send(sessions, asked)).toMatchObject({ added: 1 });
  });
});
