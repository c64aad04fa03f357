import type { ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const LONG = 200_000;

let running: RunningLedger;
let http: Http;
let done: CallAnswer;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  const agent = new Agent(http, 's1');
  await agent.open();
  const asked = await agent.request('1', 'c', 'build', { n: 1 });
  const { attempt } = await agent.dispatch(asked);
  // The words say success, and both texts are too long to be kept whole.
  const error = { code: 'E_BUILD', message: `ok, all passed ${'x'.repeat(LONG)}` };
  done = await agent.report(asked, attempt, { status: 'failed', exitCode: 2, error }, `ok ${'y'.repeat(LONG)}`);
});

afterAll(() => running.stop());

const read = <T>(query = ''): Promise<T> =>
  http.call<T>('GET', `/v1/receipts/${done.call.receiptId}${query}`, undefined, { 'counterfoil-min-position': done.position });

describe('a failure whose texts were both cut', () => {
  it('is a failure with its code, and says of each text that it was cut, and how large it was', async () => {
    const { status, outcome, result } = await read<ReceiptDocument>();
    expect([status, outcome?.status, outcome?.exitCode, outcome?.error?.code]).toEqual(['failed', 'failed', 2, 'E_BUILD']);
    expect(outcome?.error?.message).toMatchObject({ state: 'cut', bytes: LONG + '"ok, all passed "'.length });
    expect(result).toMatchObject({ state: 'cut', bytes: LONG + '"ok "'.length });
    for (const payload of [outcome?.error?.message, result]) expect(JSON.parse(payload?.json ?? '')).toMatch(/^ok.*x|^ok.*y/);
  });

  it('is the same when it is built anew', async () => {
    const before = JSON.stringify(await read());
    await running.ledger.engine.rebuild();
    expect(JSON.stringify(await read())).toBe(before);
  });

  it('is one in the old keys, too: never a success, never without its failure', async () => {
    const old = await read<Record<string, unknown>>('?view=compat');
    expect(old).toMatchObject({ success: false, exit_code: 2 });
    expect(old['failure']).toEqual(expect.stringMatching(/\w/));
  });
});
