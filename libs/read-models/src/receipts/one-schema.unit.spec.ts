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
const bound = testLog().appendParts(
  historyStream('b'),
  importedPair('b', { requested: { association: { kind: 'recorded', taskId: 'task_1', basis: 'task_row' } } }),
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
    ['of a record that says where its task is said', bound],
  ])('parses the receipt %s and loses nothing of it', (_, events) => {
    const [doc] = [...given(...events).docs.values()];
    expect(JSON.stringify(ReceiptDocument.parse(doc))).toBe(JSON.stringify(doc));
  });

  it('has where a task is said, and nothing where nobody says it', () => {
    const associations = [bound, imported].map((events) => [...given(...events).docs.values()][0]?.association);
    expect(associations).toEqual([
      { kind: 'recorded', taskId: 'task_1', basis: 'task_row' },
      { kind: 'none', taskId: null },
    ]);
    expect(Object.keys(associations[1] ?? {})).toEqual(['kind', 'taskId']);
  });
});
