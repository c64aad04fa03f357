import { isLedgerEvent, type CounterfoilEvent, type LedgerEvent } from '@counterfoil/contracts';
import {
  approvalsProjection,
  importedTasksProjection,
  importsProjection,
  plansProjection,
  quarantineProjection,
  receiptCopiesProjection,
  receiptsProjection,
  sessionsProjection,
  taskTransitionsProjection,
  tasksProjection,
  toolsProjection,
  touchedIds,
  type Projection,
} from '@counterfoil/read-models';
import { testLog } from '../given/index.js';

/** The read models that a ledger keeps; the long run shows them to be those of the main set. */
export const MODELLED: readonly Projection<unknown>[] = [
  receiptsProjection,
  approvalsProjection,
  sessionsProjection,
  plansProjection,
  tasksProjection,
  toolsProjection,
  taskTransitionsProjection,
  importedTasksProjection,
  receiptCopiesProjection,
  quarantineProjection,
  importsProjection,
];

/** Documents as JSON text, by projection and id. */
type Documents = Map<string, string>;

/**
 * Read models as they are kept beside a running ledger: after each event every document that it touches is written as JSON, and read
 * again when the next one comes.
 */
export class LiveModels {
  private readonly log = testLog();
  private readonly documents: Documents = new Map();

  constructor(private readonly projections = MODELLED) {}

  get events(): readonly LedgerEvent[] {
    return this.log.events;
  }

  record(stream: string, event: CounterfoilEvent, principal: string): void {
    for (const recorded of this.log.appendParts(stream, [event], { principal })) {
      for (const projection of this.projections) {
        for (const id of touchedIds(projection, recorded)) {
          const key = `${projection.name}:${id}`;
          const before = this.documents.get(key);
          const doc = projection.evolve(before === undefined ? null : (JSON.parse(before) as unknown), recorded, id);
          if (doc === null) this.documents.delete(key);
          else this.documents.set(key, JSON.stringify(doc));
        }
      }
    }
  }

  /** Built again from nothing, out of these events, they are the same byte for byte (promise 26). */
  mustEqualRebuilt(events: readonly { readonly type: string }[] = this.events): void {
    const rebuilt = this.rebuiltFrom(events.filter((event): event is LedgerEvent => isLedgerEvent(event as LedgerEvent)));
    for (const [key, text] of this.documents) {
      if (rebuilt.get(key) !== text) throw new Error(`built again, ${key} is ${rebuilt.get(key) ?? 'not there'} instead of ${text}`);
    }
    if (rebuilt.size !== this.documents.size) throw new Error('built again, there are other documents');
  }

  private rebuiltFrom(events: readonly LedgerEvent[]): Documents {
    const rebuilt: Documents = new Map();
    for (const projection of this.projections) {
      const docs = new Map<string, unknown>();
      for (const event of events) {
        for (const id of touchedIds(projection, event)) docs.set(id, projection.evolve(docs.get(id) ?? null, event, id));
      }
      for (const [id, doc] of docs) if (doc !== null) rebuilt.set(`${projection.name}:${id}`, JSON.stringify(doc));
    }
    return rebuilt;
  }
}
