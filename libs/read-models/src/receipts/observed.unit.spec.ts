import type { CounterfoilEvent, ReceiptDocument } from '@counterfoil/contracts';
import {
  digestOf,
  liveCallObserved,
  outcomeOf,
  payloadOf,
  projecting,
  RECEIPT,
  recordedAt,
  recordedIn,
  sessionOpened,
  STREAM,
  toolCallCancelled,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  toolOutcomeLost,
  verificationOf,
} from '@counterfoil/testing';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

/** The receipt after these events of one session, folded twice. */
const receiptAfter = (...events: readonly CounterfoilEvent[]): ReceiptDocument =>
  given(...recordedIn(STREAM, sessionOpened(), ...events)).doc(RECEIPT);

const NEVER_RAN = verificationOf('not_applicable');
const UNOBSERVED = verificationOf('unavailable');

describe('a receipt of a tool that is to change nothing', () => {
  const asks = toolCallRequested({ expectation: { kind: 'not_applicable' } });
  it.each([
    ['before it runs', [asks]],
    ['while it runs', [asks, toolDispatched({ outdates: 'nothing' })]],
    ['when its outcome was lost', [asks, toolDispatched({ outdates: 'nothing' }), toolOutcomeLost()]],
    ['when it never ran', [asks, toolCallCancelled()]],
  ] as const)('has nothing to verify %s', (_, events) => {
    expect(receiptAfter(...events).verification).toEqual(NEVER_RAN);
  });

  it.each([
    { kind: 'unavailable' },
    { kind: 'command', fingerprint: digestOf('command') },
    { kind: 'file_write', pathFingerprint: digestOf('path'), contentDigest: digestOf('content'), bytes: 5 },
  ] as const)('and of any other waits for what is observed: $kind', (expectation) => {
    const events = [toolCallRequested({ expectation }), toolDispatched()];
    expect(receiptAfter(...events).verification).toEqual(UNOBSERVED);
    expect(receiptAfter(...events, toolOutcomeLost()).verification).toEqual(UNOBSERVED);
    const verification = verificationOf('verified', { method: 'content_digest', change: 'unchanged' });
    expect(receiptAfter(...events, toolExecuted({ verification })).verification).toEqual(verification);
  });
});

describe('a finished call that was reported live', () => {
  it.each(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled'] as const)(
    'is %s as it was reported, and never shown as authorised',
    (status) => {
      const outcome = outcomeOf(status, { exitCode: 1 });
      const recorded = { authorized: true, failure: null };
      expect(receiptAfter(toolCallRequested(), liveCallObserved({ status, outcome, recorded }))).toMatchObject({
        status,
        outcome,
        result: payloadOf('alpha'),
        verification: UNOBSERVED,
        approval: null,
        attempt: null,
        leaseUntil: null,
        original: null,
        requestedBy: 'agent:tester',
        authorisation: { kind: 'observed', approvalId: null, by: null, recorded: null },
        times: {
          requested: recordedAt(2),
          dispatched: null,
          completed: recordedAt(3),
          reportedStart: '2026-08-20T09:15:00.123456+00:00',
          reportedEnd: '2026-08-20T09:15:00.654321+00:00',
        },
      });
    },
  );

  it('belongs to the task that it was bound to', () => {
    const bound = { planId: 'p1', taskId: 't1' };
    const doc = receiptAfter(
      toolCallRequested({ ...bound, association: { kind: 'task', taskId: 't1' } }),
      liveCallObserved({ ...bound, outdates: 'task' }),
    );
    expect(doc).toMatchObject({ planId: 'p1', association: { kind: 'task', taskId: 't1' } });
    expect(receiptsProjection.fields(doc).task).toBe('t1');
  });
});
