import { canonicalize, quote } from '../form/canonicalize.js';
import { sha256Hex } from './digest.js';

/** What is stored of an event. `metadata.integrity` holds `prev`, and `hash` where it is known already. */
export interface HashedEvent {
  /** The logical name, without the prefix of a store. */
  readonly stream: string;
  /** In decimal. */
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The same with data and metadata in RFC 8785 form; the metadata with `integrity.prev` and without `integrity.hash`. */
export interface HashedEventText extends Pick<HashedEvent, 'stream' | 'revision' | 'id' | 'type' | 'version'> {
  readonly dataText: string;
  readonly metadataText: string;
}

/**
 * As `eventHash`, for one who has the canonical texts at hand, and so writes each only once.
 *
 * @param event.dataText must be canonical: it is taken as it is
 * @param event.metadataText likewise; must hold no `integrity.hash`
 */
export function eventHashFromText(event: HashedEventText): string {
  return sha256Hex(
    `{"data":${event.dataText},"id":${quote(event.id)},"metadata":${event.metadataText},"revision":${quote(event.revision)},` +
      `"stream":${quote(event.stream)},"type":${quote(event.type)},"version":${canonicalize(event.version)}}`,
  );
}

/** The RFC 8785 form of the metadata as it is hashed: all of it, save `integrity.hash`. */
export function hashedMetadataText(metadata: Readonly<Record<string, unknown>>): string {
  const integrity = metadata.integrity;
  if (typeof integrity !== 'object' || integrity === null || !Object.hasOwn(integrity, 'hash')) return canonicalize(metadata);
  const kept = Object.fromEntries(Object.entries(integrity).filter(([name]) => name !== 'hash'));
  return canonicalize({ ...metadata, integrity: kept });
}

/**
 * The hash of an event in its chain (promise 29): SHA-256, in lower-case hex, over the RFC 8785 form of exactly
 * {data, id, metadata, revision, stream, type, version}. The metadata counts whole, save `integrity.hash`.
 *
 * @throws CanonicalError if data or metadata have no canonical form, for instance an undefined member
 */
export function eventHash(event: HashedEvent): string {
  return eventHashFromText({ ...event, dataText: canonicalize(event.data), metadataText: hashedMetadataText(event.metadata) });
}
