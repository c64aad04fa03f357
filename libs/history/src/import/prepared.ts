import { uuidV5 } from '@counterfoil/canonical';
import type { FingerprintKey } from '@counterfoil/canonical';
import type { Actor, EventData, NewEvent } from '@counterfoil/contracts';

/** Namespace of the event ids that imports draw from run and record (RFC 9562, version 5). Never changes. */
const EVENT_IDS = 'f6f1a3a0-5d0c-5c8e-9d53-8a6f0c1c7e21';

/** Who imports, into what, and with which key. */
export interface ImportContext {
  /** The importer's; the one in a record is provenance. */
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Never rotates: keys of records and content digests are made with it. */
  readonly importKey: FingerprintKey;
  /** Names this import, 1 to 256 characters. A resumed import may use its name again. */
  readonly importRun: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An event that is ready to be the first of its stream. Nothing in it is unredacted. */
export interface Prepared {
  readonly stream: string;
  readonly event: NewEvent;
  readonly contentDigest: string;
}

type HistoryEventType = 'HistoricalReceiptImported' | 'HistoricalRecordQuarantined';

/** An event of an import: its id follows from run and record, so that a resumed run repeats itself and another meets a conflict. */
export function historyEvent<T extends HistoryEventType>(
  context: ImportContext,
  type: T,
  data: EventData<T>,
  occurredAt: string | null,
): NewEvent<T, EventData<T>> {
  return {
    id: uuidV5(EVENT_IDS, JSON.stringify([context.importRun, type, context.workspaceId, data.recordKey])),
    type,
    version: 1,
    data,
    metadata: {
      recordedAt: new Date(context.now()).toISOString(),
      occurredAt,
      actor: context.actor,
      correlationId: context.importRun,
      causationId: null,
      traceparent: null,
    },
  };
}
