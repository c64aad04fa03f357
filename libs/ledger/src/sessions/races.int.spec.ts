import type { DomainError } from '@counterfoil/contracts';
import type { Call, SessionCommand } from '@counterfoil/session';
import type { Ledger } from '../ledger.js';
import {
  AGENT,
  APPROVER,
  callOf,
  decision,
  dispatch,
  openSession,
  readCall,
  request,
  send,
  testLedger,
  type TestLedger,
} from '../testing/test-ledger.js';

let test: TestLedger;
let ledgers: readonly Ledger[];

beforeEach(async () => {
  test = await testLedger();
  ledgers = [await test.open(), await test.open()];
});
afterEach(() => test.dispose());

const APPROVALS = 40;

async function asked(): Promise<Call[]> {
  const [first] = ledgers;
  if (first === undefined) throw new Error('no ledger');
  await send(first, openSession());
  const calls: Call[] = [];
  for (let n = 0; n < APPROVALS; n++) calls.push(callOf(await send(first, request(`call_${n}`, { n }, { requireApproval: true }))));
  return calls;
}

/** `accepted`, or the code of the refusal; asked again where too many were faster. */
async function outcomeOf(ledger: Ledger, command: SessionCommand, principal: string): Promise<string> {
  for (;;) {
    try {
      await send(ledger, command, principal);
      return 'accepted';
    } catch (error) {
      const { code } = error as DomainError;
      if (code !== 'contention') return code;
    }
  }
}

const everywhere = (commandOf: () => SessionCommand, principal: string): Promise<string[]> =>
  Promise.all(ledgers.map((ledger) => outcomeOf(ledger, commandOf(), principal)));

async function countOf(type: string): Promise<number> {
  let count = 0;
  for await (const event of ledgers[0]?.store.readStream('session-default/s1') ?? []) if (event.type === type) count++;
  return count;
}

describe('two processes over one approval (case 17)', () => {
  it('consume it once: one dispatch is let through, the other is told so', async () => {
    const calls = await asked();
    for (const call of calls) await everywhere(() => decision('GrantApproval', call), APPROVER);
    expect(await countOf('ApprovalGranted')).toBe(APPROVALS);
    const outcomes = await Promise.all(calls.map((call) => everywhere(() => dispatch(call), AGENT)));
    for (const outcome of outcomes) expect(outcome.sort()).toEqual(['accepted', 'already_dispatched']);
    expect(await countOf('ToolDispatched')).toBe(APPROVALS);
  });

  it('decide it once: of a grant and a denial at the same moment the first stands', async () => {
    const calls = await asked();
    const [one, two] = ledgers;
    if (one === undefined || two === undefined) throw new Error('no ledgers');
    const outcomes = await Promise.all(
      calls.map((call) =>
        Promise.all([
          outcomeOf(one, decision('GrantApproval', call), APPROVER),
          outcomeOf(two, decision('DenyApproval', call), 'person:second'),
        ]),
      ),
    );
    for (const outcome of outcomes) expect(outcome.sort()).toEqual(['accepted', 'approval_decided']);
    expect((await countOf('ApprovalGranted')) + (await countOf('ApprovalDenied'))).toBe(APPROVALS);
    for (const { receiptId } of calls) expect((await readCall(two, receiptId))?.status).toMatch(/^(approved|denied)$/);
  });

  it('let nothing run once the session was closed meanwhile', async () => {
    const calls = await asked();
    for (const call of calls) await everywhere(() => decision('GrantApproval', call), APPROVER);
    const [one, two] = ledgers;
    if (one === undefined || two === undefined) throw new Error('no ledgers');
    const [, ...outcomes] = await Promise.all([
      outcomeOf(one, { type: 'CloseSession', reason: null }, AGENT),
      ...calls.map((call) => outcomeOf(two, dispatch(call), AGENT)),
    ]);
    const types: string[] = [];
    for await (const event of one.store.readStream('session-default/s1')) types.push(event.type);
    const dispatched = types.filter((type) => type === 'ToolDispatched').length;
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(dispatched);
    expect(types.lastIndexOf('ToolDispatched')).toBeLessThan(types.indexOf('SessionClosed'));
    expect(types.filter((type) => type === 'ToolCallCancelled')).toHaveLength(APPROVALS - dispatched);
  });
});
