import type { EventData } from '@counterfoil/contracts';
import { UpcastError } from '@counterfoil/event-store';
import type { TranslateStep } from '@counterfoil/event-store';
import { observed } from './observed.js';
import { FORMAT } from './recognise.js';
import { requested } from './requested.js';
import { storedFacts } from './stored-facts.js';

/** Generations whose rows say alike what they say. */
const GENERATIONS: ReadonlySet<string> = new Set(['1', 'unknown']);

/**
 * HistoricalReceiptImported v1 as ToolCallRequested v1 and ToolCallObserved v1 (promise 30): from what is stored alone, with no key and
 * no clock, each time it is read. See golden/ for what goes in and comes out; later versions of the two are led on to from there.
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
    if (data.format !== FORMAT || !GENERATIONS.has(data.generation)) throw new UpcastError('a format or generation that is not known');
    const stored = storedFacts(data.original.json);
    return [
      { type: 'ToolCallRequested', version: 1, data: requested(data, stored) },
      { type: 'ToolCallObserved', version: 1, data: observed(data, stored) },
    ];
  },
};
