import { randomUUID } from 'node:crypto';
import type { CallStatus } from '@counterfoil/contracts';
import type { Call, RequestToolCall } from '@counterfoil/session';
import type { Ledger } from '../ledger.js';
import { APPROVER, callOf, decision, dispatch, openSession, report, request, send, type TestLedger } from './test-ledger.js';

/** One call that ended in one way. */
export interface EndedCall {
  readonly receiptId: string;
  readonly callId: string;
  readonly status: CallStatus;
  /** Code of why, where there is one. */
  readonly reason: string | null;
}

/** Takes a call to its end. What it resolves to says nothing. */
type Way = (play: Play) => Promise<unknown>;

/** Plays one call of the given id in a turn of its own. */
class Play {
  receiptId = '';

  constructor(
    readonly test: TestLedger,
    readonly ledger: Ledger,
    readonly callId: string,
    readonly turn: string,
  ) {}

  async request(more: Partial<RequestToolCall> = {}, args: unknown = { of: this.callId }): Promise<Call> {
    const call = callOf(await send(this.ledger, request(this.callId, args, { turn: this.turn, ...more })));
    this.receiptId = call.receiptId;
    return call;
  }

  /** Dispatches the call and gives the attempt. */
  async run(more: Partial<RequestToolCall> = {}): Promise<string> {
    const attempt = randomUUID();
    await send(this.ledger, dispatch(await this.request(more), attempt));
    return attempt;
  }

  /** A minute goes by: approvals and leases of the builders are over. */
  async sweepLater(): Promise<void> {
    this.test.now += 60_000;
    await send(this.ledger, { type: 'Sweep' }, 'service:sweeper');
  }
}

const reported =
  (status: Parameters<typeof report>[2]): Way =>
  async (play) => {
    const attempt = await play.run();
    await send(play.ledger, report(play.receiptId, attempt, status));
  };

const asked =
  (type: 'GrantApproval' | 'DenyApproval'): Way =>
  async (play) => {
    await send(play.ledger, decision(type, await play.request({ requireApproval: true })), APPROVER);
  };

async function lost(play: Play): Promise<void> {
  const attempt = await play.run();
  await play.sweepLater();
  // The late result stands beside it and changes nothing.
  await send(play.ledger, report(play.receiptId, attempt));
}

async function repeated(play: Play): Promise<void> {
  const first = callOf(await send(play.ledger, request(`${play.turn} first`, { of: play.callId }, { turn: play.turn })));
  await send(play.ledger, dispatch(first));
  await send(play.ledger, dispatch(await play.request()));
}

/** Ways in which a call can end: status, code of the reason, and how it comes about. */
const WAYS: Readonly<Record<string, readonly [CallStatus, string | null, Way]>> = {
  success: ['succeeded', null, reported('succeeded')],
  failure: ['failed', null, reported('failed')],
  'time-out': ['timed_out', null, reported('timed_out')],
  interruption: ['interrupted', null, reported('interrupted')],
  'given up by the runner': ['cancelled', null, reported('cancelled')],
  'no JSON': ['rejected', 'arguments_not_json', (play) => play.request({}, '{"cut')],
  'a task that is not eligible': ['rejected', 'task_not_eligible', (play) => play.request({ taskId: 't1' })],
  'a repeated operation': ['rejected', 'duplicate_operation', repeated],
  denial: ['denied', 'denied', asked('DenyApproval')],
  'an approval that nobody gave': [
    'expired',
    'expired',
    async (play) => {
      await play.request({ requireApproval: true });
      await play.sweepLater();
    },
  ],
  'an approval that nobody used': [
    'expired',
    'expired',
    async (play) => {
      await asked('GrantApproval')(play);
      await play.sweepLater();
    },
  ],
  cancellation: [
    'cancelled',
    'requested',
    async (play) => {
      const { receiptId } = await play.request();
      await send(play.ledger, { type: 'CancelToolCall', receiptId, reason: null });
    },
  ],
  'no report': ['unknown', 'lease_lost', lost],
  // The last one: nothing can be requested afterwards.
  'the end of the session': ['cancelled', 'session_closed', (play) => play.request()],
};

/**
 * Lets a session take a call of each id to each end that there is, and closes it.
 *
 * @returns the calls, and the position of the last event
 */
export async function playEveryEnd(
  test: TestLedger,
  ledger: Ledger,
  callIds: readonly string[],
): Promise<{ readonly calls: readonly EndedCall[]; readonly position: bigint }> {
  const calls: EndedCall[] = [];
  await send(ledger, openSession());
  for (const [name, [status, reason, way]] of Object.entries(WAYS)) {
    for (const [n, callId] of callIds.entries()) {
      const play = new Play(test, ledger, callId, `${name} ${n}`);
      await way(play);
      calls.push({ receiptId: play.receiptId, callId, status, reason });
    }
  }
  const { position } = await send(ledger, { type: 'CloseSession', reason: null });
  return { calls, position };
}
