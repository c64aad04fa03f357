import { rejectionOf, start, type Running } from '@counterfoil/testing';
import { sealLedger } from './copy/sealing.js';
import type { Ledger } from './ledger.js';
import { sweepOnce } from './sweeper.js';
import { callOf, dispatch, openSession, REF, request, send, testLedger, type TestLedger } from './testing/test-ledger.js';

let test: TestLedger;
let ledgers: readonly Ledger[];
let running: readonly Running[];

beforeEach(async () => {
  test = await testLedger();
  ledgers = [await test.open(), await test.open(), await test.open()];
  running = ledgers.map(({ engine }) => start(engine));
});
afterEach(async () => {
  await Promise.all(running.map((run) => run.stop()));
  await test.dispose();
});

const first = (): Ledger => {
  const [ledger] = ledgers;
  if (ledger === undefined) throw new Error('no ledger');
  return ledger;
};

/** All processes sweep at once, as soon as their read models are at the head. */
async function sweepEverywhere(): Promise<number[]> {
  const head = await first().store.head();
  await Promise.all(ledgers.map((ledger) => ledger.readModels(head, 10_000)));
  return Promise.all(ledgers.map((ledger) => sweepOnce(ledger, test.now, new AbortController().signal)));
}

async function typesOf(stream: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of first().store.readStream(stream)) types.push(type);
  return types;
}

const count = (types: readonly string[], type: string): number => types.filter((one) => one === type).length;

it('a sweeper of a ledger that has ended says so when there is something to say, and only then', async () => {
  await send(first(), openSession());
  await send(first(), dispatch(callOf(await send(first(), request('run', {})))));
  await sealLedger(first().store, 'e2', () => test.now);
  const sweep = async (): Promise<number> => {
    await first().readModels(await first().store.head(), 10_000);
    return sweepOnce(first(), test.now, new AbortController().signal);
  };
  expect(await sweep()).toBe(0);
  test.now += 60_000;
  expect(await rejectionOf(sweep())).toMatchObject({ code: 'ledger_sealed' });
});

describe('several sweepers at once', () => {
  it('say once of each approval that it has expired, and of each lease that it is over', async () => {
    for (let session = 0; session < 5; session++) {
      const ref = { ...REF, sessionId: `s${session}` };
      await send(first(), openSession(ref), undefined, ref);
      for (let n = 0; n < 4; n++) {
        await send(first(), request(`approve_${n}`, { n }, { requireApproval: true }), undefined, ref);
        await send(first(), dispatch(callOf(await send(first(), request(`run_${n}`, { n }), undefined, ref))), undefined, ref);
      }
    }
    expect(await sweepEverywhere()).toEqual([0, 0, 0]);
    test.now += 60_000;
    const added = await sweepEverywhere();
    expect(added.reduce((sum, one) => sum + one, 0)).toBe(40);
    for (let session = 0; session < 5; session++) {
      const types = await typesOf(`session-default/s${session}`);
      expect([count(types, 'ApprovalExpired'), count(types, 'ToolOutcomeLost')]).toEqual([4, 4]);
    }
    expect(await sweepEverywhere()).toEqual([0, 0, 0]);
  });

  it('never end a call that waits for a person before its approval does', async () => {
    await send(first(), openSession());
    await send(first(), request('call_0', {}, { requireApproval: true, approvalExpiresSeconds: 604_800 }));
    test.now += 604_799_000;
    expect(await sweepEverywhere()).toEqual([0, 0, 0]);
  });
});
