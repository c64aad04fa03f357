import { z } from 'zod';
import { Timestamp, wellFormed } from './text.js';

/** Who acted: the principal and the key it used. */
export const Actor = z.object({ principal: z.string(), keyId: z.string() });
export type Actor = z.infer<typeof Actor>;

/** Metadata of every event but for its integrity, which the event store adds (design §4, Events). */
export const NewEventMetadata = z.object({
  /** Ours, never the store's. */
  recordedAt: Timestamp,
  /** The client's clock, kept apart; order is never by time (case 29). */
  occurredAt: Timestamp.nullable(),
  actor: Actor,
  correlationId: wellFormed(1, 256).nullable(),
  causationId: wellFormed(1, 256).nullable(),
  traceparent: z
    .string()
    .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .nullable(),
});
export type NewEventMetadata = z.infer<typeof NewEventMetadata>;

/** `prev` is the hash of the event before in the same stream, null for the first. */
export const Integrity = z.object({ prev: z.string().nullable(), hash: z.string() });
export type Integrity = z.infer<typeof Integrity>;

export type EventMetadata = NewEventMetadata & { readonly integrity: Integrity };

/** An event on its way into a stream. `data` must be what the schema of (type, version) takes. */
export interface NewEvent<T extends string = string, D = unknown> {
  readonly id: string;
  readonly type: T;
  readonly version: number;
  readonly data: D;
  readonly metadata: NewEventMetadata;
}

/** An event as it stands in the store: not upcast. */
export interface StoredEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  /** As stored: old events may hold null, "", "0" or nothing (case 51). */
  readonly version: unknown;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as everything but `verify` reads it: upcast to its current version. One stored event may become several parts. */
export interface RecordedEvent<T extends string = string, D = unknown> {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: T;
  readonly version: number;
  readonly data: D;
  readonly metadata: EventMetadata;
  /** Index among the events that one stored event upcasts to; 0 for nearly all. Parts of one event share position and revision. */
  readonly part: number;
  /** Number of parts of the stored event. */
  readonly parts: number;
}
