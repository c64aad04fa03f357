import type { Page } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

interface Waiting {
  readonly approvalId: string;
  readonly state: string;
}

let running: RunningLedger;
let agent: Agent;
let approver: Http;

beforeAll(async () => {
  running = await startLedger();
  agent = new Agent(await running.client('agent:a', ['agent']), 's1');
  approver = await running.client('person:approver', ['approver']);
  await agent.open();
});

afterAll(() => running.stop());

const ask = (turn: string, approvalExpiresSeconds: number): Promise<CallAnswer> =>
  agent.request(turn, 'c', 'pay', { turn }, { requireApproval: true, approvalExpiresSeconds });
const idOf = ({ call }: CallAnswer): string => call.approval?.approvalId ?? '';

async function listed(query: string, position: string): Promise<readonly Waiting[]> {
  const headers = { 'counterfoil-min-position': position };
  return (await approver.call<Page<Waiting>>('GET', `/v1/approvals?${query}`, undefined, headers)).items;
}

describe('approvals that nobody has answered (case 19)', () => {
  it('can be listed before they expire, the soonest first', async () => {
    const [week, hour, minute] = [await ask('week', 604_800), await ask('hour', 3600), await ask('minute', 60)];
    const soon = async (seconds: number): Promise<string[]> =>
      (await listed(`state=pending&expiringWithin=${String(seconds)}`, minute.position)).map(({ approvalId }) => approvalId);
    expect(await soon(30)).toEqual([]);
    expect(await soon(60)).toEqual([idOf(minute)]);
    expect(await soon(3600)).toEqual([idOf(minute), idOf(hour)]);
    expect(await soon(604_800)).toEqual([idOf(minute), idOf(hour), idOf(week)]);
  });

  it('expire, which is not a denial: each can be told from the other in every view', async () => {
    const silent = await ask('silent', 1);
    const refused = await ask('refused', 60);
    await approver.call('POST', `/v1/approvals/${idOf(refused)}/deny`, { note: 'no' });
    const expired = await agent.wait(silent, 15);
    expect(expired.call).toMatchObject({ status: 'expired', reason: { code: 'expired' } });
    expect((await agent.wait(refused, 0)).call).toMatchObject({ status: 'denied', reason: { code: 'denied' } });
    expect((await listed('state=denied', expired.position)).map(({ approvalId }) => approvalId)).toEqual([idOf(refused)]);
    expect((await listed('state=expired', expired.position)).map(({ approvalId }) => approvalId)).toEqual([idOf(silent)]);
  }, 20_000);
});
