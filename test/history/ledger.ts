import { CURRENT_VERSIONS, isLedgerEvent, type LedgerEvent } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry, type EventStore } from '@counterfoil/event-store';
import { importPaths, RECEIPT_IMPORTED_V1, type PathsReport } from '@counterfoil/history';
import {
  importedTasksProjection,
  portable,
  portableReceipt,
  receiptCopiesProjection,
  receiptsProjection,
  taskTransitionsProjection,
} from '@counterfoil/read-models';

const REGISTRY = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });

/** What a projection folds one document from; the rest of it is nobody's business here. */
interface Folding<D> {
  readonly idOf: (event: LedgerEvent) => string | readonly string[] | null;
  readonly evolve: (doc: D | null, event: LedgerEvent, id: string) => D | null;
}

function folded<D>(projection: Folding<D>, events: readonly LedgerEvent[], comparable: (doc: D) => object): Map<string, object> {
  const docs = new Map<string, D>();
  for (const event of events) {
    const id = projection.idOf(event);
    if (typeof id !== 'string') continue;
    const doc = projection.evolve(docs.get(id) ?? null, event, id);
    if (doc !== null) docs.set(id, doc);
  }
  return new Map([...docs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, doc]) => [id, comparable(doc)]));
}

/** A ledger of old records and no more, under the same import key every time. */
export class HistoryLedger {
  private runs = 0;

  private constructor(private readonly store: EventStore & { close(): Promise<void> }) {}

  static async open(file: string): Promise<HistoryLedger> {
    return new HistoryLedger(await openSqliteEventStore({ file, registry: REGISTRY }));
  }

  /** Imports files as one run of its own. @throws if one of them can't be read to its end */
  async import(...paths: readonly string[]): Promise<PathsReport['total']> {
    const { files, total } = await importPaths(paths, {
      store: this.store,
      workspaceId: 'default',
      actor: { principal: 'service:import', keyId: 'local' },
      importKey: { id: 'imp', secret: new Uint8Array(32).fill(9) },
      importRun: `run-${String(this.runs++)}`,
      stdin: nothing(),
      now: Date.now,
    });
    for (const { path, error } of files) if (error !== null) throw new Error(`${path}: ${error.detail}`);
    return total;
  }

  /** Every event, as readers get it. @throws for one that can't be read */
  async events(): Promise<readonly LedgerEvent[]> {
    const events: LedgerEvent[] = [];
    for await (const batch of this.store.readAll(null)) {
      if (batch.unreadable.length > 0) throw new Error(`unreadable: ${batch.unreadable.map(({ reason }) => reason).join()}`);
      events.push(...batch.events.filter(isLedgerEvent));
    }
    return events;
  }

  /** What can be compared across ledgers: receipts, tasks, changes of tasks and copies, by their ids. */
  async portable(): Promise<Readonly<Record<string, ReadonlyMap<string, object>>>> {
    const events = await this.events();
    return {
      receipts: folded(receiptsProjection, events, portableReceipt),
      tasks: folded(importedTasksProjection, events, portable),
      transitions: folded(taskTransitionsProjection, events, portable),
      copies: folded(receiptCopiesProjection, events, portable),
    };
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // Nothing comes from standard input.
}
