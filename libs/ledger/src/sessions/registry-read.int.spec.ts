import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '@counterfoil/event-store';
import { EMPTY_DIRECTORY, type PolicyVerdict, type SessionCommand, type ToolDirectory } from '@counterfoil/session';
import type { Ledger } from '../ledger.js';
import {
  APPROVER,
  callOf,
  decision,
  dispatch,
  openSession,
  report,
  request,
  send,
  testLedger,
  type TestLedger,
} from '../testing/test-ledger.js';
import { SessionRepository } from './session-repository.js';

let test: TestLedger;
let ledger: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
});
afterEach(() => test.dispose());

/** A repository over a registry that a test rules; `asked` counts how often it was read to its end. */
function over(directory: () => Promise<ToolDirectory>): { readonly sessions: SessionRepository; readonly asked: () => number } {
  let count = 0;
  const tools = {
    directory: () => {
      count++;
      return directory();
    },
  };
  const { store, keys } = ledger;
  return { sessions: new SessionRepository({ store, keys, tools, now: () => test.now }), asked: () => count };
}

const saying = (revision: string, then: PolicyVerdict['then'] = 'allow'): ToolDirectory => ({
  ...EMPTY_DIRECTORY,
  revision,
  judge: () => ({ then, reasons: then === 'allow' ? [] : [{ code: 'policy_refuses', ruleId: 'r1' }], expiresSeconds: null }),
});

async function dataOf(type: string): Promise<Record<string, unknown> | undefined> {
  let found: Record<string, unknown> | undefined;
  for await (const event of ledger.store.readStream('session-default/s1')) {
    if (event.type === type) found = event.data as Record<string, unknown>;
  }
  return found;
}

describe('the registry is read to its end before every decision that rests on it', () => {
  it('so each call is judged by what stands there at that moment, and its events say at which revision', async () => {
    let now = saying('3');
    const { sessions } = over(() => Promise.resolve(now));
    await send({ sessions }, openSession());
    const first = callOf(await send({ sessions }, request('c1', { n: 1 })));
    now = saying('4');
    await send({ sessions }, dispatch(first));
    expect((await dataOf('ToolCallRequested'))?.['registryRevision']).toBe('3');
    expect((await dataOf('ToolDispatched'))?.['registryRevision']).toBe('4');
    const second = callOf(await send({ sessions }, request('c2', { n: 2 })));
    now = saying('5', 'refuse');
    const refused = callOf(await send({ sessions }, dispatch(second)));
    expect([refused.status, refused.reason?.code]).toEqual(['rejected', 'policy_refused']);
  });

  it('and by nobody else', async () => {
    const { sessions, asked } = over(() => Promise.resolve(saying('1')));
    const after = async (command: SessionCommand, principal?: string): Promise<number> => {
      await send({ sessions }, command, principal);
      return asked();
    };
    expect(await after(openSession())).toBe(0);
    const call = callOf(await send({ sessions }, request('c', { n: 1 }, { requireApproval: true })));
    expect(asked()).toBe(1);
    expect(await after(decision('GrantApproval', call), APPROVER)).toBe(2);
    const attempt = randomUUID();
    expect(await after(dispatch(call, attempt))).toBe(3);
    expect(await after(report(call.receiptId, attempt))).toBe(3);
    const plan = {
      type: 'ActivatePlan',
      planId: 'p',
      title: null,
      tasks: [{ taskId: 't', title: null, description: null, criteria: [] }],
    } as const;
    expect(await after(plan)).toBe(3);
    expect(await after({ type: 'ChangeTask', taskId: 't', change: 'start', reason: null })).toBe(3);
    expect(await after({ type: 'CloseSession', reason: null })).toBe(3);
  });

  it('of a registry that can’t be read nothing is decided', async () => {
    const { sessions } = over(() => Promise.reject(new StoreUnavailableError('away')));
    await send({ sessions }, openSession());
    const head = await ledger.store.head();
    await expect(send({ sessions }, request('c', { n: 1 }))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await ledger.store.head()).toBe(head);
  });
});
