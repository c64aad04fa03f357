import { canonicalize, CanonicalError, eventHashFromText } from '@counterfoil/canonical';
import { storedVersion } from '../upcasting/stored-version.js';
import type { RawEvent } from './raw-event.js';

/** A raw event whose values are of the kinds that belong there, parsed. */
export interface ReadableRaw {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  readonly version: unknown;
  readonly hash: string;
  readonly prev: string | null;
  readonly data: unknown;
  /** Canonical texts of the parsed values. */
  readonly dataText: string;
  readonly metadataText: string;
  /** Whether the stored texts are those. */
  readonly canonical: boolean;
}

type Typed = Pick<ReadableRaw, 'stream' | 'revision' | 'position' | 'id' | 'type' | 'version' | 'hash'> & {
  readonly dataText: string;
  readonly metadataText: string;
};

/** Null when the event can't be read as one: wrong kinds of values, text that is not JSON or has no canonical form, no link. */
export function readableRaw(raw: RawEvent): ReadableRaw | null {
  const typed = typedRaw(raw);
  if (typed === null) return null;
  const data = parsed(typed.dataText);
  const metadata = parsed(typed.metadataText);
  const prev = metadata === null ? undefined : prevOf(metadata.value);
  if (data === null || metadata === null || prev === undefined) return null;
  const canonical = data.text === typed.dataText && metadata.text === typed.metadataText;
  return { ...typed, prev, data: data.value, dataText: data.text, metadataText: metadata.text, canonical };
}

function typedRaw(raw: RawEvent): Typed | null {
  const { stream, revision, position, id, type, version, hash, data, metadata } = raw;
  if (typeof stream !== 'string' || typeof revision !== 'bigint' || typeof id !== 'string' || typeof type !== 'string') return null;
  if (typeof data !== 'string' || typeof metadata !== 'string' || typeof hash !== 'string') return null;
  if (storedVersion(version) === null) return null;
  const exact = typeof version === 'bigint' ? Number(version) : (version ?? null);
  return { stream, revision, position, id, type, version: exact, hash, dataText: data, metadataText: metadata };
}

/** Whether the stored hash is that of the event at this place. */
export function hashFits(event: ReadableRaw, stream = event.stream, revision = event.revision): boolean {
  const { id, type, dataText, metadataText } = event;
  // A version that an old store wrote as null or text is hashed as it stands: the canonical form takes any JSON value.
  const version = event.version as number;
  try {
    return eventHashFromText({ stream, revision: String(revision), id, type, version, dataText, metadataText }) === event.hash;
  } catch (error) {
    if (error instanceof CanonicalError) return false;
    throw error;
  }
}

function parsed(text: string): { readonly value: unknown; readonly text: string } | null {
  try {
    const value: unknown = JSON.parse(text);
    return { value, text: canonicalize(value) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof CanonicalError) return null;
    throw error;
  }
}

/** `integrity.prev`, or undefined where there is none. */
function prevOf(metadata: unknown): string | null | undefined {
  const integrity = memberOf(metadata, 'integrity');
  const prev = memberOf(integrity, 'prev');
  return prev === null || typeof prev === 'string' ? prev : undefined;
}

/** An own member of a JSON object, else undefined. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
