import type { EventData, LedgerEvent, Provenance } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import type { ImportReport } from '../import/report.js';
import { eventsOf, importRecords } from './import-records.js';

export interface Done {
  readonly report: ImportReport;
  readonly events: readonly LedgerEvent[];
  /** Everything that is stored, as JSON. */
  readonly stored: string;
}

export interface ReadReceipt {
  readonly requested: EventData<'ToolCallRequested'>;
  readonly observed: EventData<'ToolCallObserved'>;
  readonly provenance: Extract<Provenance, { kind: 'imported' }>;
}

/** Imports records, values or texts, each time into a ledger of their own. */
export class Importing {
  constructor(private readonly newStore: () => EventStore) {}

  readonly imported = async (...records: readonly unknown[]): Promise<Done> => {
    const store = this.newStore();
    const texts = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
    const report = await importRecords(store, texts);
    let stored = '';
    for await (const { data } of store.readStored(null)) stored += JSON.stringify(data);
    return { report, events: await eventsOf(store), stored };
  };

  /** The receipt that a record became. @throws if it became none */
  readonly receiptOf = async (record: unknown): Promise<ReadReceipt> => {
    const [requested, observed] = (await this.imported(record)).events;
    if (requested?.type !== 'ToolCallRequested' || observed?.type !== 'ToolCallObserved') throw new Error('no receipt');
    const { provenance } = requested.data;
    if (provenance.kind !== 'imported') throw new Error('not imported');
    return { requested: requested.data, observed: observed.data, provenance };
  };
}
