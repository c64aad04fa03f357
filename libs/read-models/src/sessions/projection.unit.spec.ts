import { SessionDocument as SessionSchema, type CounterfoilEvent, type SessionDocument } from '@counterfoil/contracts';
import {
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  cancelRequested,
  historyStream,
  importedPair,
  lateResultRecorded,
  leaseExtended,
  projecting,
  receiptNamed,
  recordedAt,
  recordedIn,
  sessionClosed,
  sessionOpened,
  STREAM,
  testLog,
  toolCallCancelled,
  toolCallObserved,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  toolOutcomeLost,
} from '@counterfoil/testing';
import { sessionKey, sessionsProjection } from './projection.js';

const { given, fault } = projecting(sessionsProjection);
const KEY = sessionKey('w1', 's1');

function sessionAfter(...events: readonly CounterfoilEvent[]): SessionDocument {
  const doc = given(...recordedIn(STREAM, sessionOpened(), ...events)).docs.get(KEY);
  if (doc === undefined) throw new Error('there is no session');
  return doc;
}

describe('a session', () => {
  it('is open at first, with no calls', () => {
    const parent = { sessionId: 's0', receiptId: receiptNamed('parent') };
    given(...recordedIn(STREAM, sessionOpened({ parent }))).thenExactly({
      [KEY]: {
        workspaceId: 'w1',
        sessionId: 's1',
        userId: 'u1',
        agent: 'tester',
        parent,
        state: 'open',
        openedAt: recordedAt(1),
        closedAt: null,
        calls: { total: 0, undispatched: 0, inFlight: 0, ended: 0 },
        openedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('is closed once, and its running calls still end', () => {
    const doc = sessionAfter(toolCallRequested(), toolDispatched(), sessionClosed(), toolExecuted());
    expect(doc).toMatchObject({ state: 'closed', closedAt: recordedAt(4), calls: { inFlight: 0, ended: 1 }, revision: '4', position: '5' });
  });

  const asked = [toolCallRequested(), approvalRequested()];
  const running = [toolCallRequested(), toolDispatched()];
  it.each([
    ['a request', [toolCallRequested()], [1, 1, 0, 0]],
    ['a rejection', [toolCallRequested(), toolCallRejected()], [1, 0, 0, 1]],
    ['a wait', asked, [1, 1, 0, 0]],
    ['a grant', [...asked, approvalGranted()], [1, 1, 0, 0]],
    ['a denial', [...asked, approvalDenied()], [1, 0, 0, 1]],
    ['an expiry', [...asked, approvalExpired()], [1, 0, 0, 1]],
    ['an approval that is voided with its call', [...asked, approvalVoided(), toolCallRejected()], [1, 0, 0, 1]],
    ['a cancelled call', [...asked, approvalVoided(), toolCallCancelled()], [1, 0, 0, 1]],
    ['a dispatch', [...running, leaseExtended(), cancelRequested()], [1, 0, 1, 0]],
    ['a result', [...running, toolExecuted()], [1, 0, 0, 1]],
    ['a lost outcome and its late result', [...running, toolOutcomeLost(), lateResultRecorded()], [1, 0, 0, 1]],
    ['three calls', [...running, toolCallRequested(), ...running, toolExecuted()], [3, 1, 1, 1]],
  ] as const)('counts %s', (_, events, [total, undispatched, inFlight, ended]) => {
    expect(sessionAfter(...events).calls).toEqual({ total, undispatched, inFlight, ended });
  });

  it('does not count what was imported', () => {
    const log = testLog();
    log.append(STREAM, sessionOpened({ sessionId: 'chat-1' }));
    log.appendParts(historyStream('x'), importedPair('x'));
    given(...log.events).then({ [KEY]: { calls: { total: 0 }, revision: '0' } });
  });

  it.each([
    ['before it was opened', [toolCallRequested()]],
    ['a second opening', [sessionOpened(), sessionOpened()]],
    ['a second end', [sessionOpened(), sessionClosed(), sessionClosed()]],
    ['a result of a call that was never dispatched', [sessionOpened(), toolCallRequested(), toolExecuted()]],
    ['a dispatch of a call that was never requested', [sessionOpened(), toolDispatched()]],
    ['an observed call', [sessionOpened(), toolCallRequested(), toolCallObserved()]],
  ] as const)('is at fault with %s', (_, events) => {
    fault('projection_fault', ...recordedIn(STREAM, ...events));
  });

  it('fits its schema, in the order of its keys', () => {
    const doc = sessionAfter(...running, sessionClosed());
    expect(JSON.stringify(SessionSchema.parse(doc))).toBe(JSON.stringify(doc));
  });

  it('gives fields to list and to sweep by', () => {
    expect(sessionsProjection.fields(sessionAfter(toolCallRequested(), sessionClosed()))).toEqual({
      workspace: 'w1',
      user: 'u1',
      state: 'closed',
      undispatched: 1,
      openedPosition: 1,
    });
  });
});
