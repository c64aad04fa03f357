import type { RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import { UpcastError } from '../errors.js';
import type { UnreadableEvent } from '../port.js';
import type { UpcastingRegistry } from './registry.js';

/** Where an event stands, which is known also of one that can't be read. */
export type EventPlace = Omit<UnreadableEvent, 'reason'>;

/** Events of a batch, and what is told of those that can't be read. */
export interface ReadEvents {
  readonly events: RecordedEvent[];
  readonly unreadable: UnreadableEvent[];
}

/**
 * Adds a stored event to a batch in its current form, or says beside the others why it can't be read (promise 27).
 *
 * @param stored throws an UpcastError when what is stored is no event of ours
 */
export function readOrTell(batch: ReadEvents, registry: UpcastingRegistry, place: EventPlace, stored: () => StoredEvent): void {
  try {
    batch.events.push(...registry.read(stored()));
  } catch (error) {
    if (!(error instanceof UpcastError)) throw error;
    const { position, stream, revision, type } = place;
    batch.unreadable.push({ position, stream, revision, type, reason: error.message });
  }
}
