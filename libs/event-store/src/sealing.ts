import { canonicalize, CanonicalError, eventHashFromText, sha256Hex } from '@counterfoil/canonical';
import { APPEND_LIMIT_BYTES, EVENT_LIMIT_BYTES, NewEventMetadata, STORED_EVENTS } from '@counterfoil/contracts';
import type { EventMetadata, NewEvent } from '@counterfoil/contracts';
import type { ZodError, ZodType } from 'zod';
import { EventTooLargeError, InvalidEventError, UpcastError } from './errors.js';
import type { AppendRequest, ExpectedRevision } from './port.js';
import { sameShape, withoutProtoKeys } from './same-shape.js';
import type { UpcastingRegistry } from './upcasting/registry.js';
import type { UpcastEvent, UpcastSource } from './upcasting/upcast-step.js';

/** The schema of each type that may be appended, at its current version. */
export type EventSchemas = Readonly<Record<string, ZodType>>;

export interface SealingRules {
  readonly registry: UpcastingRegistry;
  /** Default: STORED_EVENTS of the contracts. */
  readonly schemas?: EventSchemas;
}

/** An event that was checked and copied: nothing that the caller holds can change it any more (promise 6). */
export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** RFC 8785 form of the data. */
  readonly dataText: string;
  readonly metadata: NewEventMetadata;
  /** RFC 8785 form of the metadata, with ANY_LINK where `integrity` comes. */
  readonly metadataText: string;
  /** UTF-8 bytes of data and metadata as stored. */
  readonly bytes: number;
  /** What readers will see of it. */
  readonly parts: readonly UpcastEvent[];
}

export interface PreparedAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly PreparedEvent[];
  readonly bytes: number;
}

/** An event in the form in which it is stored: position aside, everything that `verify` reads. */
export interface SealedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly dataText: string;
  /** RFC 8785 form of the metadata with `integrity.prev` and without `integrity.hash`: exactly what is hashed. */
  readonly metadataText: string;
  readonly metadata: EventMetadata;
  readonly hash: string;
}

/** A sealed event, and what readers will see of it. */
export interface SealedPart {
  readonly sealed: SealedEvent;
  readonly parts: readonly UpcastEvent[];
}

const STREAM_LIMIT = 512;
const CONTROL = /\p{Cc}/u;
/** A lower-case UUID of any version. */
export const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Stands in for the link to the event before, which is known only in the transaction. As long as a real one. */
const ANY_PREV = '0'.repeat(64);
/** Stands once in a metadata text: inside a JSON string its quotes would be escaped. */
const ANY_LINK = `"integrity":{"prev":"${ANY_PREV}"}`;
/** What `"hash":"…",` adds in a store that keeps the hash inside the metadata: counted everywhere, so that all stores take the same events. */
export const HASH_MEMBER_BYTES = 74;

/**
 * Checks an append and copies what it holds. Reads nothing from the store.
 *
 * @throws InvalidEventError for what is a fault of ours: no event, an odd stream name or id, an id given twice, an unknown type, another
 *   than the current version, data or metadata that the schema refuses or doesn't know whole, an event that has no canonical form
 * @throws EventTooLargeError over 256 KiB for an event, or 768 KiB for the append
 */
export function prepareAppend(request: AppendRequest, rules: SealingRules): PreparedAppend {
  const { stream, expected } = request;
  checkStreamName(stream);
  if (expected !== 'no_stream' && expected < 0n) throw new InvalidEventError('append', 'a revision is not negative');
  if (request.events.length === 0) throw new InvalidEventError('append', 'an append holds at least one event');
  const events = request.events.map((event) => prepareEvent(stream, event, rules));
  if (new Set(events.map((event) => event.id)).size !== events.length) {
    throw new InvalidEventError('append', 'an event id stands twice in one append');
  }
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
  if (bytes > APPEND_LIMIT_BYTES) {
    throw new EventTooLargeError(`the append has ${String(bytes)} bytes, over ${String(APPEND_LIMIT_BYTES)}`);
  }
  return { stream, expected, events, bytes };
}

/**
 * The stored form of a prepared event at its place in the chain (design §4): hash over stream, revision, id, type, version, data and
 * all metadata with `prev`.
 *
 * @param prev hash of the event before in the stream, null for the first
 */
export function sealEvent(event: PreparedEvent, stream: string, revision: bigint, prev: string | null): SealedEvent {
  const { id, type, version, dataText } = event;
  // A function, so that no `$` in the replacement means anything.
  const metadataText = event.metadataText.replace(ANY_LINK, () => `"integrity":{"prev":${prev === null ? 'null' : `"${prev}"`}}`);
  const hash = eventHashFromText({ stream, revision: String(revision), id, type, version, dataText, metadataText });
  const metadata = { ...event.metadata, integrity: { prev, hash } };
  return { stream, revision, id, type, version, dataText, metadataText, metadata, hash };
}

/**
 * The stored forms of an append's events, in order, each linked to the one before.
 *
 * @param prev hash of the event at the expected revision, null where the stream begins
 */
export function* sealAppend(append: PreparedAppend, prev: string | null): Generator<SealedPart, void, undefined> {
  let revision = append.expected === 'no_stream' ? -1n : append.expected;
  let link = prev;
  for (const event of append.events) {
    revision++;
    const sealed = sealEvent(event, append.stream, revision, link);
    link = sealed.hash;
    yield { sealed, parts: event.parts };
  }
}

/** @throws InvalidEventError */
export function checkStreamName(stream: string): void {
  // Control characters would make a name that looks like another one in a log or a shell.
  const plain = stream.length > 0 && stream.length <= STREAM_LIMIT && stream.isWellFormed() && !CONTROL.test(stream);
  if (!plain)
    throw new InvalidEventError('append', `a stream name has 1 to ${String(STREAM_LIMIT)} characters, none of them a control character`);
}

function prepareEvent(stream: string, event: NewEvent, rules: SealingRules): PreparedEvent {
  const { id, type, version } = event;
  if (!EVENT_ID.test(id)) throw new InvalidEventError(type, 'the event id is not a lower-case UUID');
  const schemas: EventSchemas = rules.schemas ?? STORED_EVENTS;
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (schema === undefined) throw new InvalidEventError('unknown type', 'no schema takes this type');
  if (version !== rules.registry.currentVersion(type)) throw new InvalidEventError(type, 'not in the current version');
  const dataText = canonicalOf(type, 'data', event.data);
  const data = checkedData(type, schema, event.data, dataText);
  const metadata = checkedMetadata(type, event.metadata);
  const metadataText = canonicalOf(type, 'metadata', { ...metadata, integrity: { prev: ANY_PREV } });
  const bytes = Buffer.byteLength(dataText) + Buffer.byteLength(metadataText) + HASH_MEMBER_BYTES;
  if (bytes > EVENT_LIMIT_BYTES) {
    throw new EventTooLargeError(`an event ${type} has ${String(bytes)} bytes, over ${String(EVENT_LIMIT_BYTES)}`);
  }
  const parts = readableParts(rules.registry, { type, version, data }, { stream, id, metadata });
  return { id, type, version, dataText, metadata, metadataText, bytes, parts };
}

function canonicalOf(type: string, what: string, value: unknown): string {
  try {
    return canonicalize(value);
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    throw new InvalidEventError(type, `the ${what} has no canonical form: ${error.detail}`);
  }
}

/**
 * @returns a copy of the data, equal to what a later read gives
 */
function checkedData(type: string, schema: ZodType, data: unknown, dataText: string): unknown {
  // zod's records drop a key named `__proto__`. It is looked for in the text, where it is seen at any depth, and checked under an alias;
  // that is a hash of the text, so it stands nowhere in it.
  const hidden = dataText.includes('"__proto__":');
  const checked = hidden ? withoutProtoKeys(data, sha256Hex(dataText)) : data;
  const result = schema.safeParse(checked);
  if (!result.success) throw new InvalidEventError(type, `the schema refuses data${issueOf(result.error)}`);
  if (!hidden && sameShape(checked, result.data)) return result.data;
  if (canonicalOf(type, 'checked data', result.data) === canonicalOf(type, 'data', checked)) return JSON.parse(dataText) as unknown;
  throw new InvalidEventError(type, 'the data holds what its schema does not');
}

/** Where and what kind; zod's message may quote a value, and a key may come from outside. */
function issueOf(error: ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return '';
  const path = issue.path.map((part) => (typeof part === 'number' || /^[A-Za-z0-9_]{1,40}$/.test(String(part)) ? String(part) : '…'));
  return ` at /${path.slice(0, 8).join('/')} (${issue.code})`;
}

function checkedMetadata(type: string, metadata: NewEventMetadata): NewEventMetadata {
  const result = NewEventMetadata.safeParse(metadata);
  if (!result.success || !sameShape(metadata, result.data)) throw new InvalidEventError(type, 'its schema refuses the metadata');
  return result.data;
}

/** Upcast before anything is stored: an append never succeeds with events that nobody could read. */
function readableParts(registry: UpcastingRegistry, event: UpcastEvent, source: UpcastSource): readonly UpcastEvent[] {
  try {
    return registry.upcast(event, source);
  } catch (error) {
    if (!(error instanceof UpcastError)) throw error;
    throw new InvalidEventError(event.type, `it could not be read again: ${error.message}`);
  }
}
