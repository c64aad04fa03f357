import type { EventData } from '@counterfoil/contracts';
import { UpcastError } from '@counterfoil/event-store';
import type { TranslateStep } from '@counterfoil/event-store';
import { observed } from './observed.js';
import { requested } from './requested.js';
import { storedCall } from './stored-call.js';
import { FORMAT } from './surfaces/names.js';

/**
 * HistoricalReceiptImported v1 as ToolCallRequested v1 and ToolCallObserved v1 (promise 30): from what is stored alone, with no key and
 * no clock, each time it is read. The record is led from its own generation to the last one step by step (generations/), and from there
 * into the two. See golden/ for what goes in and comes out; later versions of the two are led on to from there.
 */
export const RECEIPT_IMPORTED_V1: TranslateStep = {
  type: 'HistoricalReceiptImported',
  from: 1,
  into: [
    { type: 'ToolCallRequested', version: 1 },
    { type: 'ToolCallObserved', version: 1 },
  ],
  up: (event) => {
    const data = event.data as EventData<'HistoricalReceiptImported'>;
    if (data.format !== FORMAT) throw new UpcastError('a format that is not known');
    const stored = storedCall(data.original.json, data);
    return [
      { type: 'ToolCallRequested', version: 1, data: requested(data, stored) },
      { type: 'ToolCallObserved', version: 1, data: observed(data, stored) },
    ];
  },
};
