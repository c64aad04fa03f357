import { canonicalize, CanonicalError, eventHashFromText, hashedMetadataText } from '@counterfoil/canonical';
import { APPEND_LIMIT_BYTES, EVENT_LIMIT_BYTES } from '@counterfoil/contracts';
import type { EventMetadata, StoredEvent } from '@counterfoil/contracts';
import { EventTooLargeError, InvalidEventError, StreamIntegrityError } from './errors.js';
import { checkStreamName, EVENT_ID, HASH_MEMBER_BYTES } from './sealing.js';
import type { SealedEvent } from './sealing.js';
import { storedVersion } from './upcasting/stored-version.js';

export interface RestoreResult {
  /** How many of the events were not there yet. Of two who restore the same at the same moment both may count it. */
  readonly added: number;
}

/** The other half of `readStored`: puts sealed events into a store as they stand, so that a ledger can move (design §6, `copy`). */
export interface RestorableStore {
  /**
   * Stores events of one stream with their ids, times, metadata and hashes; only their positions are this store's own. Hashes and links
   * are computed anew and compared before anything is written. All or none of a call. What the stream holds already is compared by its
   * hash and not added again, so that a call may be repeated.
   *
   * @param events at least one; revisions without a gap, the first at most one after the stream's head. Bounded as an append is. Schemas
   *   are not asked: an event in an old form is as good as on the day on which it was written
   * @throws InvalidEventError for what no stored event of ours can be
   * @throws StreamIntegrityError for a hash or a link that doesn't fit, and where the stream holds another event
   * @throws WrongExpectedRevisionError when events before the first are missing in the stream
   * @throws EventTooLargeError, LedgerSealedError, StoreUnavailableError; OutcomeUnknownError: the same call again tells
   */
  restore(stream: string, events: readonly StoredEvent[]): Promise<RestoreResult>;
}

/** A sealed event whose version is as it was stored, whatever form that has (case 51). */
export type RestorableEvent = Omit<SealedEvent, 'version'> & { readonly version: unknown };

export interface PreparedRestore {
  readonly stream: string;
  /** Revision of the first event. */
  readonly first: bigint;
  /** Hash of the event before the first; null at the begin of the stream. */
  readonly prev: string | null;
  readonly events: readonly RestorableEvent[];
  readonly bytes: number;
}

const TYPE = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
/** Stores keep the version beside the metadata under this name, so that no metadata may have it. */
const KEPT_NAME = 'schemaVersion';

/**
 * Checks events that are to be restored and copies what they hold. Reads nothing from the store.
 *
 * @throws as `RestorableStore.restore`, as far as no store is needed to tell
 */
export function prepareRestore(stream: string, events: readonly StoredEvent[]): PreparedRestore {
  checkStreamName(stream);
  const [head] = events;
  if (head === undefined) throw new InvalidEventError('restore', 'at least one event is restored');
  const restorable: RestorableEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const next = restorableOf(stream, event);
    checkFollows(restorable.at(-1), next);
    restorable.push(next);
    bytes += bytesOf(next);
  }
  if (new Set(restorable.map(({ id }) => id)).size !== restorable.length) throw new InvalidEventError('restore', 'an id is there twice');
  if (bytes > APPEND_LIMIT_BYTES) throw new EventTooLargeError(`it has ${String(bytes)} bytes, over ${String(APPEND_LIMIT_BYTES)}`);
  return { stream, first: head.revision, prev: restorable[0]?.metadata.integrity.prev ?? null, events: restorable, bytes };
}

function restorableOf(stream: string, event: StoredEvent): RestorableEvent {
  const { revision, id, type, version, metadata } = event;
  if (event.stream !== stream) throw new InvalidEventError('restore', 'an event is of another stream');
  if (typeof revision !== 'bigint' || revision < 0n) throw new InvalidEventError('restore', 'a revision is not one');
  if (!TYPE.test(type)) throw new InvalidEventError('restore', 'a type is not one');
  if (!EVENT_ID.test(id)) throw new InvalidEventError(type, 'the event id is not a lower-case UUID');
  if (storedVersion(version) === null) throw new InvalidEventError(type, 'the version is not one');
  checkMetadata(type, metadata);
  // As a reader of any store gives it: one that has none is stored and hashed as null.
  const asStored = version ?? null;
  const { dataText, metadataText } = textsOf(stream, event);
  const { hash } = metadata.integrity;
  // The canonical form takes any JSON value; the type says number for what is written today.
  const content = { stream, revision: String(revision), id, type, version: asStored as number, dataText, metadataText };
  if (eventHashFromText(content) !== hash) {
    throw new StreamIntegrityError(stream, `the hash of revision ${String(revision)} does not fit its content`);
  }
  return { stream, revision, id, type, version: asStored, dataText, metadataText, metadata: sealedMetadata(metadataText, hash), hash };
}

/** Made from the text, so that nothing that the caller holds can change it any more (promise 6). */
function sealedMetadata(text: string, hash: string): EventMetadata {
  const metadata = JSON.parse(text) as EventMetadata;
  return { ...metadata, integrity: { prev: metadata.integrity.prev, hash } };
}

function textsOf(stream: string, { revision, data, metadata }: StoredEvent): { readonly dataText: string; readonly metadataText: string } {
  try {
    return { dataText: canonicalize(data), metadataText: hashedMetadataText({ ...metadata }) };
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    throw new StreamIntegrityError(stream, `revision ${String(revision)} has no canonical form: ${error.detail}`);
  }
}

function checkMetadata(type: string, metadata: EventMetadata): void {
  const names = Object.keys(metadata.integrity);
  if (names.length !== 2 || !('prev' in metadata.integrity && 'hash' in metadata.integrity)) {
    throw new InvalidEventError(type, 'its link is not one');
  }
  if (Object.hasOwn(metadata, KEPT_NAME)) throw new InvalidEventError(type, 'its metadata holds a name that stores keep for themselves');
}

function checkFollows(last: RestorableEvent | undefined, next: RestorableEvent): void {
  const { stream, revision } = next;
  const { prev } = next.metadata.integrity;
  if (last === undefined) {
    // What the first of a call links to is in the store.
    if (revision === 0n && prev !== null) throw new StreamIntegrityError(stream, 'its first event names one before it');
    if (revision > 0n && prev === null) throw new StreamIntegrityError(stream, `revision ${String(revision)} names none before it`);
    return;
  }
  if (revision !== last.revision + 1n) throw new InvalidEventError('restore', 'revisions follow each other without a gap');
  if (prev !== last.hash) throw new StreamIntegrityError(stream, `revision ${String(revision)} does not follow from the one before it`);
}

/** As an append counts it. */
function bytesOf({ type, dataText, metadataText }: RestorableEvent): number {
  const bytes = Buffer.byteLength(dataText) + Buffer.byteLength(metadataText) + HASH_MEMBER_BYTES;
  if (bytes > EVENT_LIMIT_BYTES) {
    throw new EventTooLargeError(`an event ${type} has ${String(bytes)} bytes, over ${String(EVENT_LIMIT_BYTES)}`);
  }
  return bytes;
}

/**
 * How many of the events to be restored a stream holds already.
 *
 * @param standing the hashes that it holds from the first event's revision on, no more than there are events
 * @throws StreamIntegrityError where it holds another event
 */
export function sameUpTo({ stream, first, events }: PreparedRestore, standing: readonly string[]): number {
  for (const [n, hash] of standing.entries()) {
    if (hash === events[n]?.hash) continue;
    throw new StreamIntegrityError(stream, `revision ${String(first + BigInt(n))} is there already, with other content`);
  }
  return standing.length;
}

/** @throws StreamIntegrityError when the event before the first is another than the first one links to */
export function checkLink({ stream, first, prev }: PreparedRestore, before: string | null): void {
  if (prev !== before) throw new StreamIntegrityError(stream, `revision ${String(first)} does not follow from what is there`);
}
