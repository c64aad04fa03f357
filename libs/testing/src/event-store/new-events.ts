import { canonicalize, uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { CounterfoilEvent, NewEvent, NewEventMetadata } from '@counterfoil/contracts';
import { toolCallRejected } from '../given/index.js';

export const METADATA: NewEventMetadata = {
  recordedAt: '2027-01-01T08:00:00.000Z',
  occurredAt: '2027-01-01T09:59:59.123456+02:00',
  actor: { principal: 'agent:tester', keyId: 'key1' },
  correlationId: 'request-1',
  causationId: null,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

/** An event to append, with an id of its own. */
export function newEvent(event: CounterfoilEvent, metadata: Partial<NewEventMetadata> = {}): NewEvent {
  const { type, data } = event;
  // A copy: some tests change what they have handed over.
  const own = structuredClone({ ...METADATA, ...metadata });
  return { id: uuidV7(Date.now()), type, version: CURRENT_VERSIONS[type], data, metadata: own };
}

/** An event that carries one text of any kind and length. */
export function textEvent(detail: string, metadata: Partial<NewEventMetadata> = {}): NewEvent {
  return newEvent(toolCallRejected({ detail }), metadata);
}

/** `count` events with the texts `<label> 0`, `<label> 1`, … */
export function textEvents(label: string, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => textEvent(`${label} ${index}`));
}

/** The text of a `textEvent`, read back. */
export function textOf(event: { readonly data: unknown }): string {
  const { data } = event;
  if (typeof data !== 'object' || data === null || !('detail' in data) || typeof data.detail !== 'string') return '(no text)';
  return data.detail;
}

const SOME_HASH = '0'.repeat(64);

/** Bytes that count against the limits of design §4: data and metadata in canonical form, with integrity. */
export function storedBytes(event: NewEvent): number {
  const metadata = { ...event.metadata, integrity: { prev: SOME_HASH, hash: SOME_HASH } };
  return Buffer.byteLength(canonicalize(event.data)) + Buffer.byteLength(canonicalize(metadata));
}

/** A `textEvent` of exactly so many bytes. */
export function eventOfBytes(bytes: number): NewEvent {
  return textEvent('x'.repeat(bytes - storedBytes(textEvent(''))));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a promise is rejected with; fails the test if it isn't. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}
