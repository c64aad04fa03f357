import { historyStream, importedPair, outcomeOf, payloadOf, projecting, receiptNamed, recordedAt, testLog } from '@counterfoil/testing';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

describe('an imported receipt', () => {
  const original = payloadOf({ event_type: 'execution.receipt', payload: { receipt_id: 'receipt_x' } });
  const pair = importedPair('x', { observed: { status: 'failed', outcome: outcomeOf('failed'), original } });
  const log = testLog({ principal: 'service:importer', occurredAt: '2026-08-20T09:15:00.7+00:00' });
  log.appendParts(historyStream('x'), pair);

  it('comes from both parts of one stored event', () => {
    given(...log.events).then({
      [receiptNamed('x')]: {
        status: 'failed',
        outcome: outcomeOf('failed'),
        result: payloadOf('alpha'),
        original,
        callIdSource: 'legacy',
        authorisation: { kind: 'recorded', approvalId: null, by: null, recorded: { authorized: true, failure: null } },
        approval: null,
        attempt: null,
        requestedBy: null,
        provenance: { kind: 'imported', format: 'openkyrozen', coordinates: { receiptId: 'receipt_x' } },
        times: {
          requested: recordedAt(1),
          occurred: '2026-08-20T09:15:00.7+00:00',
          dispatched: null,
          completed: recordedAt(1),
          reportedStart: '2026-08-20T09:15:00.123456+00:00',
          reportedEnd: '2026-08-20T09:15:00.654321+00:00',
        },
        requestedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('is never shown as authorised by this ledger, whatever its record says', () => {
    const denied = importedPair('d', { observed: { recorded: { authorized: false, failure: 'approval_denied' }, status: 'failed' } });
    const doc = given(...testLog().appendParts(historyStream('d'), denied)).docs.get(receiptNamed('d'));
    expect(doc?.authorisation).toEqual({
      kind: 'recorded',
      approvalId: null,
      by: null,
      recorded: { authorized: false, failure: 'approval_denied' },
    });
    expect(doc?.status).toBe('failed');
  });

  it('has no original where the upcast gave none', () => {
    const [requested, observed] = importedPair('n');
    if (observed.type !== 'ToolCallObserved') throw new Error('not the pair');
    const data = { ...observed.data };
    delete data.original;
    const events = testLog().appendParts(historyStream('n'), [requested, { type: 'ToolCallObserved', data }]);
    expect(given(...events).docs.get(receiptNamed('n'))?.original).toBeNull();
  });

  it('is filed under its old receipt id', () => {
    const doc = given(...log.events).docs.get(receiptNamed('x'));
    expect(doc && receiptsProjection.fields(doc)).toMatchObject({ originReceipt: 'receipt_x', provenance: 'imported', session: 'chat-1' });
  });

  it('can be indexed whatever its record held', () => {
    const odd = { operationId: `\ud800${'x'.repeat(600)}`, association: { kind: 'recorded', taskId: 'task_\udfff' } } as const;
    const pairOfOdd = importedPair('o', { requested: odd, provenance: { coordinates: { receiptId: '\udc00' } } });
    const doc = given(...testLog().appendParts(historyStream('o'), pairOfOdd)).docs.get(receiptNamed('o'));
    expect(doc?.operationId).toBe(odd.operationId);
    expect(doc && receiptsProjection.fields(doc)).toMatchObject({ task: 'task_\ufffd', originReceipt: '\ufffd' });
  });
});
