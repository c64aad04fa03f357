import { SessionDocument as SessionSchema, type CounterfoilEvent, type SessionDocument } from '@counterfoil/contracts';
import {
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  cancelRequested,
  evidenceRecorded,
  historyStream,
  importedPair,
  lateResultRecorded,
  leaseExtended,
  liveCallObserved,
  projecting,
  receiptNamed,
  recordedAt,
  recordedIn,
  sessionClosed,
  sessionOpened,
  STREAM,
  taskAdded,
  taskBlocked,
  taskCancelled,
  taskFailed,
  taskReopened,
  taskStarted,
  taskSucceeded,
  taskUnblocked,
  testLog,
  toolCallAmended,
  toolCallCancelled,
  toolCallObserved,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  toolOutcomeLost,
  toolRegistered,
  workingPlanActivated,
  workingPlanClosed,
} from '@counterfoil/testing';
import { sessionKey, sessionsProjection } from './projection.js';

const { given, fault } = projecting(sessionsProjection);
const KEY = sessionKey('w1', 's1');

function sessionAfter(...events: readonly CounterfoilEvent[]): SessionDocument {
  return given(...recordedIn(STREAM, sessionOpened(), ...events)).doc(KEY);
}

describe('a session', () => {
  it('is open at first, with no calls', () => {
    const parent = { sessionId: 's0', receiptId: receiptNamed('parent') };
    given(...recordedIn(STREAM, sessionOpened({ parent, rootSessionId: 's0' }))).thenExactly({
      [KEY]: {
        workspaceId: 'w1',
        sessionId: 's1',
        userId: 'u1',
        agent: 'tester',
        parent,
        state: 'open',
        openedAt: recordedAt(1),
        closedAt: null,
        rootSessionId: 's0',
        calls: { total: 0, undispatched: 0, inFlight: 0, ended: 0 },
        activePlanId: null,
        outdatedAt: null,
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
    ['an observed call', [toolCallRequested(), liveCallObserved()], [1, 0, 0, 1]],
    ['an amended call', [...asked, toolCallAmended(), approvalGranted(), toolDispatched(), toolExecuted()], [1, 0, 0, 1]],
    ['three calls', [...running, toolCallRequested(), ...running, toolExecuted()], [3, 1, 1, 1]],
  ] as const)('counts %s', (_, events, [total, undispatched, inFlight, ended]) => {
    expect(sessionAfter(...events).calls).toEqual({ total, undispatched, inFlight, ended });
  });

  it('names its active plan, and the next when that one is superseded', () => {
    const superseded = workingPlanClosed({ cause: 'superseded', by: 'p2' });
    const next = workingPlanActivated({ planId: 'p2', supersedes: 'p1' });
    expect(sessionAfter(workingPlanActivated()).activePlanId).toBe('p1');
    expect(sessionAfter(workingPlanActivated(), superseded, next).activePlanId).toBe('p2');
    expect(sessionAfter(workingPlanActivated(), workingPlanClosed()).activePlanId).toBeNull();
  });

  it('takes all that happens to tasks, and changes by none of it', () => {
    const first = workingPlanActivated();
    const more = [
      taskAdded(),
      taskStarted(),
      evidenceRecorded(),
      taskSucceeded(),
      taskReopened(),
      taskBlocked(),
      taskUnblocked(),
      taskFailed(),
      taskCancelled(),
    ];
    expect(sessionAfter(first, ...more)).toEqual({ ...sessionAfter(first), revision: '10', position: '11' });
  });

  it.each([
    ['a state-changing call that is bound to no task', [...running], '2'],
    ['the last of them', [...running, toolExecuted(), ...running], '5'],
    ['a call that is bound to a task', [toolCallRequested(), toolDispatched({ outdates: 'task' })], null],
    ['a call that changes nothing', [toolCallRequested(), toolDispatched({ outdates: 'nothing' })], null],
    ['an observed call', [toolCallRequested(), liveCallObserved()], '2'],
    ['an observed call that changes nothing', [toolCallRequested(), liveCallObserved({ outdates: 'nothing' })], null],
    ['an observed call that is bound to a task', [toolCallRequested(), liveCallObserved({ outdates: 'task' })], null],
    ['an observed call that does not say', [toolCallRequested(), toolCallObserved()], '2'],
  ] as const)('has all of its evidence outdated by %s, or not', (_, events, revision) => {
    expect(sessionAfter(...events).outdatedAt).toBe(revision);
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
    ['an observed call that was never requested', [sessionOpened(), liveCallObserved()]],
    ['a second plan beside the active one', [sessionOpened(), workingPlanActivated(), workingPlanActivated({ planId: 'p2' })]],
    ['the end of a plan that is not active', [sessionOpened(), workingPlanActivated(), workingPlanClosed({ planId: 'p2' })]],
    ['the end of no plan', [sessionOpened(), workingPlanClosed()]],
    ['an event of a tool registry', [sessionOpened(), toolRegistered()]],
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
