import {
  historicalCopyImported,
  historicalTransitionImported,
  historyStream,
  OLD_TASK,
  payloadOf,
  projecting,
  recordedIn,
  STREAM,
} from '@counterfoil/testing';
import { receiptCopiesProjection } from './projection.js';

const { given, fault } = projecting(receiptCopiesProjection);
const COPY = historyStream('record-0');
const KEY = 'w1/record-0';

describe('a copy of a receipt', () => {
  it('is kept as it was recorded, and names what it is a copy of', () => {
    const original = payloadOf({ receipt_id: 'receipt_0' });
    const coordinates = { ...OLD_TASK, receiptId: 'receipt_0', eventId: 'evt_0' };
    given(...recordedIn(COPY, historicalCopyImported({ original, coordinates, anomalies: ['missing_keys'] }))).thenExactly({
      [KEY]: {
        recordKey: 'record-0',
        workspaceId: 'w1',
        userId: 'local',
        sessionId: 'chat-1',
        format: 'openkyrozen',
        generation: '1',
        surface: 'learning.tools',
        coordinates,
        anomalies: ['missing_keys'],
        importRun: 'run-0',
        original,
        originReceipt: 'receipt_0',
        argumentsFidelity: ['text'],
        fingerprint: 'not_recomputable',
        importedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('names nothing where it held no receipt id, and can be indexed whatever it held', () => {
    const odd = [null, `\udc00${'y'.repeat(600)}`];
    const docs = odd.map((receiptId) => given(...recordedIn(COPY, historicalCopyImported({ coordinates: { receiptId } }))).doc(KEY));
    expect(docs.map(({ originReceipt }) => originReceipt)).toEqual(odd);
    expect(docs.map((doc) => receiptCopiesProjection.fields(doc)['originReceipt'])).toEqual([null, `\ufffd${'y'.repeat(511)}`]);
  });

  it('is recorded once', () => {
    fault('projection_fault', ...recordedIn(COPY, historicalCopyImported(), historicalCopyImported()));
  });

  it('comes from the stream of its record alone', () => {
    given(...recordedIn(STREAM, historicalCopyImported())).thenNothing();
    given(...recordedIn(COPY, historicalTransitionImported())).thenNothing();
  });
});
