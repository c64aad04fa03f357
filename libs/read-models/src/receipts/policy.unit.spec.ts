import type { CounterfoilEvent, ReceiptDocument } from '@counterfoil/contracts';
import {
  APPROVAL,
  approvalGranted,
  approvalRequested,
  OPERATION,
  payloadOf,
  projecting,
  RECEIPT,
  recordedAt,
  recordedIn,
  sessionOpened,
  STREAM,
  toolCallAmended,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
  verificationOf,
} from '@counterfoil/testing';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

/** The receipt after these events of one session, folded twice. */
const receiptAfter = (...events: readonly CounterfoilEvent[]): ReceiptDocument =>
  given(...recordedIn(STREAM, sessionOpened(), ...events)).doc(RECEIPT);

const asked = [toolCallRequested(), approvalRequested()];
/** The operation that toolCallAmended makes of the call. */
const AMENDED = toolCallAmended().data.operationId;
const NEVER_RAN = verificationOf('not_applicable');
const UNOBSERVED = verificationOf('unavailable');

describe('the policy of a receipt', () => {
  const reasons = [
    { code: 'policy_requires_approval', ruleId: 'r1' },
    { code: 'requested', ruleId: null },
  ];
  const asks = toolCallRequested({ policyVersion: 3, approval: { required: true, reasons } });

  it('says which version was asked, and which rule wanted what', () => {
    expect(receiptAfter(asks, approvalRequested()).policy).toEqual({ version: 3, reasons });
  });

  it('stays with a call that was refused by it', () => {
    const refused = receiptAfter(asks, toolCallRejected({ code: 'policy_refused', detail: 'The policy refuses it.' }));
    expect(refused).toMatchObject({ status: 'rejected', policy: { version: 3, reasons }, reason: { code: 'policy_refused' } });
  });
});

describe('a call that was granted with other arguments', () => {
  const edited = [...asked, toolCallAmended(), approvalGranted({ operationId: AMENDED })];

  it('is of another operation, and keeps what was asked for', () => {
    expect(receiptAfter(...edited)).toMatchObject({
      status: 'approved',
      operationId: AMENDED,
      amendedFrom: OPERATION,
      arguments: payloadOf({ path: 'a.txt', content: 'edited' }),
      approval: { approvalId: APPROVAL, state: 'granted', operationId: AMENDED },
      amendment: {
        by: 'person:approver',
        from: OPERATION,
        at: recordedAt(4),
        originalArguments: payloadOf({ path: 'a.txt', content: 'alpha' }),
      },
    });
  });

  it('is dispatched as what it was granted as', () => {
    const doc = receiptAfter(...edited, toolDispatched({ approvalId: APPROVAL, operationId: AMENDED }), toolExecuted());
    expect(doc).toMatchObject({ status: 'succeeded', operationId: AMENDED, approval: { state: 'consumed', operationId: AMENDED } });
    expect(receiptsProjection.fields(doc).operation).toBe(AMENDED);
  });

  it('is measured by what it is to bring about now', () => {
    const amended = toolCallAmended({ expectation: { kind: 'not_applicable' } });
    expect(receiptAfter(...asked, amended).verification).toEqual(NEVER_RAN);
    expect(receiptAfter(...edited).verification).toEqual(UNOBSERVED);
  });
});
