import { EVENTS, REGISTRY_EVENTS, SESSION_EVENTS } from '@counterfoil/contracts';
import * as given from './index.js';

const BUILT = [
  given.sessionOpened(),
  given.sessionClosed(),
  given.toolCallRequested(),
  given.toolCallRejected(),
  given.approvalRequested(),
  given.approvalGranted(),
  given.approvalDenied(),
  given.approvalExpired(),
  given.approvalVoided(),
  given.toolDispatched(),
  given.leaseExtended(),
  given.toolExecuted(),
  given.lateResultRecorded(),
  given.cancelRequested(),
  given.toolCallCancelled(),
  given.toolOutcomeLost(),
  given.toolCallAmended(),
  given.liveCallObserved(),
  given.workingPlanActivated(),
  given.workingPlanClosed(),
  given.taskAdded(),
  given.taskStarted(),
  given.taskBlocked(),
  given.taskUnblocked(),
  given.taskSucceeded(),
  given.taskFailed(),
  given.taskCancelled(),
  given.taskReopened(),
  given.evidenceRecorded(),
];
const REGISTERED = [given.toolRegistered(), given.toolRetired(), given.policySet()];

describe('the event builders', () => {
  it('has one for every event of a session and of a registry', () => {
    expect(BUILT.map((event) => event.type).sort()).toEqual(Object.keys(SESSION_EVENTS).sort());
    expect(REGISTERED.map((event) => event.type).sort()).toEqual(Object.keys(REGISTRY_EVENTS).sort());
  });

  it.each([...BUILT, ...REGISTERED, ...given.importedPair('a'), given.historicalReceiptImported()])(
    'builds a $type that its schema takes whole',
    (event) => {
      expect(EVENTS[event.type].parse(event.data)).toEqual(event.data);
    },
  );

  it('replaces what is given and nothing else', () => {
    expect(given.leaseExtended({ leaseSeconds: 7 }).data).toEqual({ ...given.leaseExtended().data, leaseSeconds: 7 });
  });
});

describe('a test log', () => {
  it('counts positions over all streams and revisions in each', () => {
    const log = given.testLog();
    log.append('session-w1/a', given.sessionOpened(), given.sessionClosed());
    log.append('session-w1/b', given.sessionOpened());
    log.appendParts('history-w1/x', given.importedPair('x'));
    const places = log.events.map(({ stream, revision, position, part, parts }) => [stream, revision, position, part, parts]);
    expect(places).toEqual([
      ['session-w1/a', 0n, 1n, 0, 1],
      ['session-w1/a', 1n, 2n, 0, 1],
      ['session-w1/b', 0n, 3n, 0, 1],
      ['history-w1/x', 0n, 4n, 0, 2],
      ['history-w1/x', 0n, 4n, 1, 2],
    ]);
    expect(log.events.map((event) => event.metadata.recordedAt).slice(1, 3)).toEqual([given.recordedAt(2), given.recordedAt(3)]);
  });
});
