import { CURRENT_VERSIONS, isLedgerEvent } from '@counterfoil/contracts';
import type { LedgerEvent } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastingRegistry } from '@counterfoil/event-store';
import type { EventStore } from '@counterfoil/event-store';
import { appendOnce } from '../import/append-once.js';
import { InFlight } from '../import/in-flight.js';
import type { ImportContext } from '../import/prepared.js';
import { RecordImporter } from '../import/record-importer.js';
import { Tally } from '../import/report.js';
import type { ImportReport } from '../import/report.js';
import { NOWHERE } from '../import/source-item.js';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from './import-context.js';

export const REGISTRY = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });

/** Imports texts as records, one by one, with no input around them. */
export async function importRecords(
  store: EventStore,
  texts: readonly string[],
  context: Partial<ImportContext> = {},
): Promise<ImportReport> {
  const tally = new Tally();
  const inFlight = new InFlight({ tasks: 8, bytes: 1 << 24 });
  const importer = new RecordImporter((appending) => appendOnce(store, appending), { ...CONTEXT, ...context }, tally, inFlight);
  for (const text of texts) {
    await importer.take({ kind: 'record', text, invalidUtf8: false, bytes: text.length, place: NOWHERE });
  }
  await inFlight.settle();
  inFlight.throwFailure();
  return tally.report({ importRun: CONTEXT.importRun, bytes: 0, milliseconds: 0, interrupted: false, dryRun: false });
}

/** Everything in a store as readers get it; an event that can't be read is an error. */
export async function eventsOf(store: EventStore): Promise<readonly LedgerEvent[]> {
  const found: LedgerEvent[] = [];
  for await (const { events, unreadable } of store.readAll(null)) {
    const [first] = unreadable;
    if (first !== undefined) throw new Error(`unreadable: ${first.type} ${first.reason}`);
    found.push(...events.filter(isLedgerEvent));
  }
  return found;
}
