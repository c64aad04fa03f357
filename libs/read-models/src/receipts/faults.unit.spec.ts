import type { CounterfoilEvent } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalDenied,
  approvalExpired,
  approvalGranted,
  approvalRequested,
  approvalVoided,
  cancelRequested,
  digestOf,
  historicalReceiptImported,
  historyStream,
  lateResultRecorded,
  leaseExtended,
  liveCallObserved,
  payloadOf,
  projecting,
  recordedIn,
  sessionOpened,
  STREAM,
  toolCallAmended,
  toolCallCancelled,
  toolCallObserved,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  toolOutcomeLost,
} from '@counterfoil/testing';
import { receiptsProjection } from './projection.js';

const { given, fault } = projecting(receiptsProjection);
const asked = [toolCallRequested(), approvalRequested()];
const granted = [...asked, approvalGranted()];
const running = [toolCallRequested(), toolDispatched()];

describe('an event that can not follow', () => {
  const own = (...events: readonly CounterfoilEvent[]) => recordedIn(STREAM, ...events);
  it.each([
    toolCallRejected(),
    approvalRequested(),
    approvalGranted(),
    approvalDenied(),
    approvalExpired(),
    approvalVoided(),
    toolDispatched(),
    leaseExtended(),
    toolExecuted(),
    lateResultRecorded(),
    cancelRequested(),
    toolCallCancelled(),
    toolOutcomeLost(),
    toolCallObserved(),
    toolCallAmended(),
  ])('is a fault, not a receipt: $type without a request', (event) => {
    fault('projection_fault', ...own(event));
  });

  it.each([
    ['a second request', [toolCallRequested(), toolCallRequested()]],
    ['a dispatch that nobody has approved yet', [...asked, toolDispatched({ approvalId: APPROVAL })]],
    ['a dispatch of a denied call', [...asked, approvalDenied(), toolDispatched({ approvalId: APPROVAL })]],
    ['a second dispatch', [...running, toolDispatched()]],
    ['a dispatch by an approval that it does not have', [toolCallRequested(), toolDispatched({ approvalId: APPROVAL })]],
    ['a grant of another approval', [...asked, approvalGranted({ approvalId: 'apr_s1_2' })]],
    ['a second approval', [...asked, approvalVoided(), approvalRequested({ approvalId: 'apr_s1_2' })]],
    ['a result before the dispatch', [toolCallRequested(), toolExecuted()]],
    ['a second result', [...running, toolExecuted(), toolExecuted()]],
    ['a lease of an ended call', [...running, toolExecuted(), leaseExtended()]],
    ['a late result of a running call', [...running, lateResultRecorded()]],
    ['a cancelled call that runs', [...running, toolCallCancelled()]],
    ['a lost outcome after the result', [...running, toolExecuted(), toolOutcomeLost()]],
    ['an observed call that was dispatched', [...running, liveCallObserved()]],
    ['an observed call that waits for an approval', [...asked, liveCallObserved()]],
    ['a second report of an observed call', [toolCallRequested(), liveCallObserved(), liveCallObserved()]],
    ['edited arguments without an approval', [toolCallRequested(), toolCallAmended()]],
    ['edited arguments after the grant', [...granted, toolCallAmended()]],
    ['edited arguments by another approval', [...asked, toolCallAmended({ approvalId: 'apr_s1_2' })]],
    ['edited arguments of another operation', [...asked, toolCallAmended({ from: digestOf('other') })]],
  ] as const)('is a fault: %s', (_, events) => {
    fault('projection_fault', ...own(...events));
  });

  it('says where it stands and quotes nothing', () => {
    expect(() => given(...own(sessionOpened(), toolCallRequested(), toolExecuted({ result: payloadOf('FAKE-secret') })))).toThrow(
      "receipts: ToolExecuted at revision 2 (position 3): it can't follow on requested",
    );
  });

  it('is a fault: history that was not upcast', () => {
    const event = historicalReceiptImported();
    fault('projection_fault', ...recordedIn(historyStream('x'), event));
    fault('projection_fault', ...recordedIn(historyStream('x'), toolCallRequested(), event));
  });
});
