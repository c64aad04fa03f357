import { isLedgerEvent, type LedgerEvent, type RecordedEvent } from '@counterfoil/contracts';
import type { EventBatch, UnreadableEvent } from '@counterfoil/event-store';
import { isDocumentId, touchedIds, type ProjectionSet } from '@counterfoil/read-models';
import { reasonOf, type Poison } from './errors.js';

/** One document that one event touches: an event may touch several of one projection. */
export interface Touch {
  /** Index of the projection in its set. */
  readonly projection: number;
  readonly id: string;
  readonly event: LedgerEvent;
}

/** One stored event with all its parts: it is applied as a whole or not at all. */
export interface Step {
  readonly stream: string;
  readonly position: bigint;
  readonly type: string;
  readonly touches: readonly Touch[];
  /** Set when it is known without folding that the event can't be projected. */
  readonly poison: Poison | null;
}

/** Routes a batch: its events by position, each with the documents that it touches. Events that touch none are left out. */
export function planBatch(set: ProjectionSet, batch: Pick<EventBatch, 'events' | 'unreadable'>): readonly Step[] {
  const readable = stepsOf(set, batch.events);
  if (batch.unreadable.length === 0) return readable;
  return [...readable, ...batch.unreadable.map(unreadableStep)].sort((a, b) => (a.position < b.position ? -1 : 1));
}

function unreadableStep({ stream, position, type, reason }: UnreadableEvent): Step {
  const poison = { stream, position, type, reason: 'unreadable', projection: null, detail: reason.slice(0, 300) };
  return { stream, position, type, touches: [], poison };
}

function stepsOf(set: ProjectionSet, events: readonly RecordedEvent[]): Step[] {
  const steps: Step[] = [];
  for (const [at, first] of events.entries()) {
    // The parts of one stored event stand side by side.
    if (events[at - 1]?.position === first.position) continue;
    let end = at + 1;
    while (events[end]?.position === first.position) end++;
    const step = stepOf(set, first, events.slice(at, end));
    if (step.touches.length > 0 || step.poison !== null) steps.push(step);
  }
  return steps;
}

function stepOf(set: ProjectionSet, { stream, position, type }: RecordedEvent, parts: readonly RecordedEvent[]): Step {
  const touches: Touch[] = [];
  const poisoned = (projection: string, reason: string): Step => {
    const poison = { stream, position, type, reason, projection, detail: null };
    return { stream, position, type, touches: [], poison };
  };
  for (const event of parts) {
    // A type that this version doesn't know can't concern its projections.
    if (!isLedgerEvent(event)) continue;
    for (const [index, projection] of set.projections.entries()) {
      try {
        const ids = touchedIds(projection, event);
        if (!ids.every(isDocumentId)) return poisoned(projection.name, 'invalid_id');
        for (const id of ids) touches.push({ projection: index, id, event });
      } catch (error) {
        return poisoned(projection.name, reasonOf(error));
      }
    }
  }
  return { stream, position, type, touches, poison: null };
}
