import type { SessionEvent } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  cancelToolCall,
  codeOf,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  lateResultRecorded,
  leaseExtended,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sessionClosed,
  REQUESTER,
  snapshotOf,
  stateAfter,
  sweep,
  toolCallCancelled,
  toolCallRejected,
  toolDispatched,
  toolExecuted,
  viewAfter,
} from '@counterfoil/testing';
import { isEnded, isUndispatched, nextFor } from './call.js';
import { evolve, initialState } from './evolve.js';
import { evolveCall } from './evolve-call.js';
import { KNOWN_SECRETS_LIMIT } from './state.js';

const receiptId = receiptIdFor();
const at = (event: SessionEvent, revision = 9) => ({ ...event, revision, principal: 'agent:a' });
const requested = played(givenOpened(), requestToolCall());
const ended = played(requested, cancelToolCall());

describe('evolve', () => {
  it('is deterministic: the same events give the same state', () => {
    const { events } = played(
      givenOpened(),
      requestToolCall({ requireApproval: true }),
      [grantApproval(), { principal: APPROVER }],
      dispatchToolCall(),
      reportResult(),
      requestToolCall({ callId: 'b', args: '{"password":"FAKE-hunter2-9x"}' }),
    );
    expect(snapshotOf(stateAfter(events))).toBe(snapshotOf(stateAfter(events)));
    expect(stateAfter(events).revision).toBe(events.length - 1);
  });

  it('folds the answer to any command as if it had been read from the store', () => {
    const { events } = played(requested, dispatchToolCall(), reportResult());
    const read = JSON.parse(JSON.stringify(events)) as typeof events;
    expect(snapshotOf(stateAfter(read))).toBe(snapshotOf(stateAfter(events)));
  });

  it('remembers the last 64 calls that ended, and no more', () => {
    const requests = Array.from({ length: 70 }, (_, n) => requestToolCall({ callId: `call_${n}`, args: '{' }));
    const state = stateAfter(played(givenOpened(), ...requests).events);
    expect(state.recent.size).toBe(64);
    expect([state.find(receiptIdFor('call_5')), state.find(receiptIdFor('call_6'))?.status]).toEqual([null, 'rejected']);
    expect([state.open.size, state.ended.size, state.calls]).toEqual([0, 70, 70]);
  });

  it('counts what is in flight by operation and turn, and by operation alone', () => {
    const inFlight = (given: typeof requested): number[] => [...stateAfter(given.events).inFlight.values()];
    expect(inFlight(requested)).toEqual([]);
    expect(inFlight(played(requested, dispatchToolCall()))).toEqual([1, 1]);
    expect(inFlight(played(requested, dispatchToolCall(), cancelToolCall()))).toEqual([1, 1]);
    expect(inFlight(played(requested, dispatchToolCall(), reportResult()))).toEqual([]);
    expect(inFlight(played(requested, dispatchToolCall(), [sweep(), after(60)]))).toEqual([]);
  });

  it('keeps so many known secrets, each once', () => {
    const state = initialState();
    const secret = (n: number) => ({ length: 8, filter: 0, mac: `k1:${String(n).padStart(43, '0')}` });
    const secrets = Array.from({ length: KNOWN_SECRETS_LIMIT + 5 }, (_, n) => secret(n));
    evolve(state, at(sessionClosed({ secrets: [secret(1), secret(1)] }), 0));
    expect(state.known).toHaveLength(1);
    evolve(state, at(sessionClosed({ secrets }), 1));
    expect(state.known).toHaveLength(KNOWN_SECRETS_LIMIT);
  });
});

describe('an event that cannot follow', () => {
  it.each<[string, typeof requested, SessionEvent]>([
    ['a second request of an open call', requested, requested.events[1]!],
    ['a second request of an ended call', ended, ended.events[1]!],
    ['a dispatch of nothing', givenOpened(), toolDispatched({ receiptId })],
    ['a dispatch of an ended call', ended, toolDispatched({ receiptId })],
    ['a result of an ended call', ended, toolExecuted({ receiptId })],
    ['a rejection of an ended call', ended, toolCallRejected({ receiptId })],
    ['a cancellation of an ended call', ended, toolCallCancelled({ receiptId })],
    ['a heartbeat of an ended call', ended, leaseExtended({ receiptId })],
    ['a late result of an open call', requested, lateResultRecorded({ receiptId })],
    ['a late result of nothing', givenOpened(), lateResultRecorded({ receiptId })],
  ])('is a fault of the stream: %s', (_, given, event) => {
    expect(codeOf(() => evolve(stateAfter(given.events), at(event)))).toBe('impossible_event');
  });

  it('is an event of a call before its request', () => {
    expect(codeOf(() => evolveCall(null, { ...toolDispatched(), revision: 9, principal: REQUESTER }))).toBe('impossible_event');
  });
});

describe('the states of a call', () => {
  it.each([
    ['requested', true, false, 'dispatch'],
    ['awaiting_approval', true, false, 'wait'],
    ['approved', true, false, 'dispatch'],
    ['dispatched', false, false, 'wait'],
    ['succeeded', false, true, 'stop'],
    ['failed', false, true, 'stop'],
    ['timed_out', false, true, 'stop'],
    ['interrupted', false, true, 'stop'],
    ['cancelled', false, true, 'stop'],
    ['unknown', false, true, 'stop'],
    ['rejected', false, true, 'stop'],
    ['denied', false, true, 'stop'],
    ['expired', false, true, 'stop'],
  ] as const)('%s', (status, undispatched, over, next) => {
    expect([isUndispatched(status), isEnded(status), nextFor(status)]).toEqual([undispatched, over, next]);
  });

  it('show an attempt only once it may run', () => {
    const dispatched = played(requested, dispatchToolCall());
    expect(viewAfter(requested, receiptId).attempt).toBeNull();
    expect(viewAfter(dispatched, receiptId).attempt).not.toBeNull();
  });
});
