import type { ResolvedEvent } from '@eventstore/db-client';
import { canonicalize, CanonicalError, hashedMetadataText } from '@counterfoil/canonical';
import type { EventMetadata, StoredEvent } from '@counterfoil/contracts';
import { UpcastError } from '../errors.js';
import type { RestorableEvent } from '../restoring.js';
import type { ChainLink, RawEvent } from '../verify/raw-event.js';
import { exact, positionOf } from './positions.js';
import { weightOf } from './weight.js';

/** Holds what the ledger knows about itself; its events are no events of the ledger. */
export const LEDGER_STREAM = 'ledger';
/** The version of an event's schema, beside our metadata in the server's. */
const VERSION_KEY = 'schemaVersion';

/** An event of ours as it came over the wire: only its place is certain to be what it should. */
export interface WireEvent {
  /** Logical name. */
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  /** Undefined where what is stored is not JSON. */
  readonly data: unknown;
  readonly metadata: unknown;
  /** UTF-16 units of its texts, near enough to its bytes to bound what is held in memory. */
  readonly weight: number;
}

/** The recorded event of either kind of read. */
export type Recorded = NonNullable<ResolvedEvent['event']>;

/** What an append sends of an event. */
export interface ProposedEvent {
  readonly id: string;
  readonly contentType: 'application/json';
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/**
 * The client makes the text that is stored from these values. Its key order is JavaScript's, which differs from the canonical one where
 * a key looks like an index; the hash is over the canonical form of what comes back, so that the order doesn't matter.
 */
export function proposedOf(sealed: Pick<RestorableEvent, 'id' | 'type' | 'version' | 'dataText' | 'metadata'>): ProposedEvent {
  const { id, type, version, dataText, metadata } = sealed;
  const data = JSON.parse(dataText) as Record<string, unknown>;
  return { id, contentType: 'application/json', type, data, metadata: { [VERSION_KEY]: version, ...metadata } };
}

/** Null for what is not ours: another program's stream, a link or another system event, the ledger's own stream. */
export function wireEventOf(recorded: Recorded, prefix: string): WireEvent | null {
  const { streamId, type } = recorded;
  if (!streamId.startsWith(prefix) || type.startsWith('$')) return null;
  const stream = streamId.slice(prefix.length);
  return stream === LEDGER_STREAM ? null : rawWireEvent(recorded, stream);
}

export function rawWireEvent(recorded: Recorded, stream: string): WireEvent {
  const { id, type, isJson, data, metadata } = recorded;
  return {
    stream,
    revision: exact(recorded.revision, 'revision'),
    position: positionOf(recorded.position),
    id: id.toLowerCase(),
    type,
    data: isJson ? data : undefined,
    metadata,
    weight: weightOf(data),
  };
}

/** @throws UpcastError when what is stored is no event of ours: it names the place, never the data */
export function storedOf(event: WireEvent): StoredEvent {
  const parts = metadataOf(event);
  if (parts === null || event.data === undefined) {
    const place = `stream ${JSON.stringify(event.stream)}, revision ${String(event.revision)}, type ${JSON.stringify(event.type).slice(0, 80)}`;
    throw new UpcastError(`${place}: what is stored is not an event of ours`);
  }
  const { stream, revision, position, id, type, data } = event;
  return { stream, revision, position, id, type, version: parts.version, data, metadata: parts.metadata };
}

/** The end of the chain at this event; null when it has no hash. */
export function linkOf(event: WireEvent): ChainLink | null {
  const parts = metadataOf(event);
  return parts === null ? null : { revision: event.revision, hash: parts.metadata.integrity.hash };
}

/** In the canonical form of what came back: the text that is stored is not to be had. */
export function rawOf(event: WireEvent): RawEvent {
  const { position, stream, revision, id, type, data } = event;
  const parts = metadataOf(event);
  const place = { position, stream, revision, id, type };
  if (parts === null || data === undefined) return { ...place, version: null, data: null, metadata: null, hash: null };
  const metadata = hashedText(() => hashedMetadataText(parts.metadata));
  return { ...place, version: parts.version, data: hashedText(() => canonicalize(data)), metadata, hash: parts.metadata.integrity.hash };
}

/** Null for what has no canonical form, which no event of ours can be. */
function hashedText(text: () => string): string | null {
  try {
    return text();
  } catch (error) {
    if (error instanceof CanonicalError) return null;
    throw error;
  }
}

function metadataOf({ metadata }: WireEvent): { readonly version: unknown; readonly metadata: EventMetadata } | null {
  if (!isObject(metadata) || !isObject(metadata['integrity'])) return null;
  const { prev, hash } = metadata['integrity'];
  if (typeof hash !== 'string' || (prev !== null && typeof prev !== 'string')) return null;
  const { [VERSION_KEY]: version, ...ours } = metadata;
  return { version: version ?? null, metadata: ours as unknown as EventMetadata };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
