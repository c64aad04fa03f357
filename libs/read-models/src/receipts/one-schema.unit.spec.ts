import { ReceiptDocument } from '@counterfoil/contracts';
import {
  historyStream,
  importedPair,
  liveCallObserved,
  outcomeOf,
  payloadOf,
  projecting,
  recordedIn,
  sessionOpened,
  STREAM,
  testLog,
  toolCallRejected,
  toolCallRequested,
  toolDispatched,
  toolExecuted,
} from '@counterfoil/testing';
import { receiptsProjection } from './projection.js';

const { given } = projecting(receiptsProjection);

const live = recordedIn(STREAM, sessionOpened(), toolCallRequested(), toolDispatched(), toolExecuted());
const rejected = recordedIn(STREAM, sessionOpened(), toolCallRequested(), toolCallRejected());
const observed = recordedIn(STREAM, sessionOpened(), toolCallRequested(), liveCallObserved());
const imported = testLog().appendParts(
  historyStream('x'),
  importedPair('x', { observed: { original: payloadOf({ receipt_id: 'receipt_x' }) } }),
);
const sparse = testLog().appendParts(
  historyStream('y'),
  importedPair('y', {
    requested: {
      sessionId: null,
      userId: null,
      tool: { source: null, name: 'x', version: null, specDigest: null, sideEffects: 'destructive', declared: null },
    },
    observed: { status: 'unknown', outcome: null, result: null },
  }),
);
const failed = testLog().appendParts(
  historyStream('z'),
  importedPair('z', { observed: { status: 'failed', outcome: outcomeOf('failed') } }),
);

describe('one exported schema', () => {
  it.each([
    ['of a live call', live],
    ['of a rejected one', rejected],
    ['of one that was reported afterwards', observed],
    ['of an imported record', imported],
    ['of an imported failure', failed],
    ['of a record that said little', sparse],
  ])('parses the receipt %s and loses nothing of it', (_, events) => {
    const [doc] = [...given(...events).docs.values()];
    expect(JSON.stringify(ReceiptDocument.parse(doc))).toBe(JSON.stringify(doc));
  });
});
