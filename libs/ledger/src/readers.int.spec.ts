import { start, type Running } from '@counterfoil/testing';
import type { Ledger } from './ledger.js';
import { callOf, dispatch, openSession, report, request, send, testLedger, type TestLedger } from './testing/test-ledger.js';

const ATTEMPT = '00000000-0000-4000-8000-000000000001';

let test: TestLedger;
let ledger: Ledger;
let running: Running;
let receiptId: string;
let position: bigint;

beforeAll(async () => {
  test = await testLedger();
  ledger = await test.open();
  await send(ledger, openSession());
  const asked = callOf(await send(ledger, request('c', { list: [1, { deep: [2] }] })));
  receiptId = asked.receiptId;
  await send(ledger, dispatch(asked, ATTEMPT));
  ({ position } = await send(ledger, report(receiptId, ATTEMPT)));
  running = start(ledger.engine);
});

afterAll(async () => {
  await running.stop();
  await test.dispose();
});

/** Overwrites every member of everything that can be reached from a value, where that is allowed. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    scribble(member);
    Reflect.set(value, name, 'changed by a reader');
  }
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));

async function readAndScribble(read: () => Promise<unknown>): Promise<void> {
  const first = await read();
  const before = shown(first);
  expect(before).toContain('succeeded');
  scribble(first);
  const second = shown(await read());
  expect(second).toBe(before);
  expect(second).not.toContain('changed by a reader');
}

describe('what one reader does to what it was given changes nothing for the next', () => {
  it('of the events of a session', async () => {
    await readAndScribble(async () => {
      const events = [];
      for await (const event of ledger.store.readStream('session-default/s1')) events.push(event);
      return events;
    });
  });

  it('of a receipt, also when it is built anew', async () => {
    const read = async (): Promise<unknown> => (await (await ledger.readModels(position, 10_000)).receipts.get(receiptId))?.doc;
    await readAndScribble(read);
    const before = shown(await read());
    await ledger.engine.rebuild();
    await readAndScribble(read);
    expect(shown(await read())).toBe(before);
  });
});
