import { CURRENT_VERSIONS, type ImportedTaskDocument, type LedgerEvent, type ReceiptDocument } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry } from '@counterfoil/event-store';
import { importSource, RECEIPT_IMPORTED_V1, type ImportReport } from '@counterfoil/history';
import { receiptsProjection } from '@counterfoil/read-models';
import { isLedgerEvent } from '@counterfoil/contracts';
import { listed } from './listed.js';

/** What importing one file into an empty ledger left behind. */
export interface Import {
  readonly report: ImportReport;
  /** One for each record. */
  readonly receipts: readonly ReceiptDocument[];
  /** As a list shows them: one for each receipt. */
  readonly listed: readonly ReceiptDocument[];
  readonly events: readonly LedgerEvent[];
}

export type TaskEvent = Extract<LedgerEvent, { type: 'HistoricalTaskImported' }>;
export type { ImportedTaskDocument };

/** @param file of the ledger: a new one */
export async function importInto(file: string, source: string): Promise<Import> {
  const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
  const store = await openSqliteEventStore({ file, registry });
  try {
    const report = await importSource(source, {
      store,
      workspaceId: 'default',
      actor: { principal: 'service:corpus', keyId: 'local' },
      importKey: { id: 'corpus', secret: new Uint8Array(32).fill(7) },
      importRun: 'corpus',
      now: Date.now,
    });
    const events: LedgerEvent[] = [];
    for await (const batch of store.readAll(null)) {
      if (batch.unreadable.length > 0) throw new Error(`unreadable: ${JSON.stringify(batch.unreadable, bigintToText)}`);
      events.push(...batch.events.filter(isLedgerEvent));
    }
    const receipts = folded(events);
    return { report, receipts, listed: await listed(`${file}.documents`, receipts), events };
  } finally {
    await store.close();
  }
}

const bigintToText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

function folded(events: readonly LedgerEvent[]): readonly ReceiptDocument[] {
  const docs = new Map<string, ReceiptDocument>();
  for (const event of events) {
    const id = receiptsProjection.idOf(event);
    if (typeof id !== 'string') continue;
    const doc = receiptsProjection.evolve(docs.get(id) ?? null, event, id);
    if (doc !== null) docs.set(id, doc);
  }
  return [...docs.values()];
}
