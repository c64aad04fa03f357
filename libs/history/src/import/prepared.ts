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
  /** User and session of records that name none themselves: the importer's word. */
  readonly given?: { readonly userId: string | null; readonly sessionId: string | null };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An event that is ready for its stream. Nothing in it is unredacted. */
export interface Prepared {
  readonly stream: string;
  readonly event: NewEvent;
  readonly contentDigest: string;
  /** Whether the stream takes further versions of the record (task rows), or only the one. */
  readonly isRewritable?: boolean;
}

type HistoryEventType =
  | 'HistoricalReceiptImported'
  | 'HistoricalCopyImported'
  | 'HistoricalTaskImported'
  | 'HistoricalTransitionImported'
  | 'HistoricalRecordQuarantined';

/** An event of an import: its id follows from run and record, so that a resumed run repeats itself and another meets a conflict. */
export function historyEvent<T extends HistoryEventType>(
  context: ImportContext,
  type: T,
  data: EventData<T>,
  occurredAt: string | null,
  /** Tells the versions of a record that its source rewrites apart. */
  version: readonly string[] = [],
): NewEvent<T, EventData<T>> {
  return {
    id: uuidV5(EVENT_IDS, JSON.stringify([context.importRun, type, context.workspaceId, data.recordKey, ...version])),
    type,
    version: 1,
    data,
    metadata: metadataOf(context, occurredAt),
  };
}

/** The event of a run as a whole; `place` tells it apart from others of the run. */
export function runEvent(
  context: ImportContext,
  type: 'ImportFinished',
  data: EventData<'ImportFinished'>,
  place: string,
): NewEvent<'ImportFinished', EventData<'ImportFinished'>> {
  return {
    id: uuidV5(EVENT_IDS, JSON.stringify([context.importRun, type, context.workspaceId, place])),
    type,
    version: 1,
    data,
    metadata: metadataOf(context, null),
  };
}

function metadataOf({ now, actor, importRun }: ImportContext, occurredAt: string | null): NewEvent['metadata'] {
  return {
    recordedAt: new Date(now()).toISOString(),
    occurredAt,
    actor,
    correlationId: importRun,
    causationId: null,
    traceparent: null,
  };
}
