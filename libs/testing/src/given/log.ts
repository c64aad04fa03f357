import type { CounterfoilEvent, LedgerEvent } from '@counterfoil/contracts';

/** When the first event of a test log was recorded; each further position is a second later. */
export const LOG_BEGINS = Date.UTC(2027, 0, 1);

/** RFC 3339 time at which a test log recorded the event of a position. */
export const recordedAt = (position: number): string => new Date(LOG_BEGINS + (position - 1) * 1000).toISOString();

export interface EventFacts {
  readonly principal?: string;
  /** The client's time; null unless given. */
  readonly occurredAt?: string;
  /** How far our own clock was behind when the event was recorded. */
  readonly behindSeconds?: number;
}

/** A log of several streams, as a store would give it: positions 1, 2, …, revisions 0, 1, … in each stream. */
export interface TestLog {
  readonly events: readonly LedgerEvent[];
  has(stream: string): boolean;
  /** Appends one stored event each. */
  append(stream: string, ...events: readonly CounterfoilEvent[]): readonly LedgerEvent[];
  /** Appends one stored event that is upcast to several (they share position and revision). */
  appendParts(stream: string, parts: readonly CounterfoilEvent[], facts?: EventFacts): readonly LedgerEvent[];
}

/** @param facts of every event that says nothing else */
export function testLog(facts: EventFacts = {}): TestLog {
  const events: LedgerEvent[] = [];
  const revisions = new Map<string, bigint>();
  let position = 0n;

  const appendParts = (stream: string, parts: readonly CounterfoilEvent[], own: EventFacts = facts): readonly LedgerEvent[] => {
    const revision = (revisions.get(stream) ?? -1n) + 1n;
    revisions.set(stream, revision);
    position += 1n;
    const added = parts.map((event, part) => recorded(event, { stream, revision, position, part, parts: parts.length }, own));
    events.push(...added);
    return added;
  };
  return {
    events,
    has: (stream) => revisions.has(stream),
    appendParts,
    append: (stream, ...added) => added.flatMap((event) => appendParts(stream, [event])),
  };
}

/** The events of one stream, recorded one after the other from position 1. */
export function recordedIn(stream: string, ...events: readonly CounterfoilEvent[]): readonly LedgerEvent[] {
  return testLog().append(stream, ...events);
}

interface Place {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly part: number;
  readonly parts: number;
}

function recorded(event: CounterfoilEvent, place: Place, facts: EventFacts): LedgerEvent {
  const number = place.position.toString();
  const metadata = {
    recordedAt: recordedAt(Number(place.position) - (facts.behindSeconds ?? 0)),
    occurredAt: facts.occurredAt ?? null,
    actor: { principal: facts.principal ?? 'agent:tester', keyId: 'key1' },
    correlationId: null,
    causationId: null,
    traceparent: null,
    integrity: { prev: null, hash: `hash-${number}` },
  };
  const id = `00000000-0000-7000-8000-${number.padStart(12, '0')}`;
  return { id, version: 1, ...place, ...event, metadata };
}
