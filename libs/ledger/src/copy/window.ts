import type { StoredEvent } from '@counterfoil/contracts';
import { weightOf } from '@counterfoil/event-store';

/** So much is held in memory of what was read and not yet written; twice that while one window is written and the next is read. */
const MOST_EVENTS = 2048;
const MOST_WEIGHT = 4 * 1024 * 1024;
/** Of one call to the target. Well under what a call may hold, since a character is up to six bytes there. */
const CALL_EVENTS = 128;
const CALL_WEIGHT = 128 * 1024;

/** What follows each other in one stream. */
export interface Group {
  readonly stream: string;
  /** At least one, in order of revision; together they fit into a call, as a rule. */
  readonly calls: readonly (readonly StoredEvent[])[];
}

/** Events in the order in which they were read, gathered by stream: a stream's own order stays, and it is written in few calls. */
export class Window {
  private readonly streams = new Map<string, StoredEvent[]>();
  private count = 0;
  private weight = 0;

  add(event: StoredEvent): void {
    const events = this.streams.get(event.stream);
    if (events === undefined) this.streams.set(event.stream, [event]);
    else events.push(event);
    this.count++;
    this.weight += weightOf(event.data);
  }

  get isFull(): boolean {
    return this.count >= MOST_EVENTS || this.weight >= MOST_WEIGHT;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** In order of first appearance. */
  groups(): readonly Group[] {
    return [...this.streams].map(([stream, events]) => ({ stream, calls: callsOf(events) }));
  }
}

function callsOf(events: readonly StoredEvent[]): StoredEvent[][] {
  const calls: StoredEvent[][] = [];
  let call: StoredEvent[] = [];
  let weight = 0;
  for (const event of events) {
    const own = weightOf(event.data);
    if (call.length > 0 && (call.length >= CALL_EVENTS || weight + own > CALL_WEIGHT)) {
      calls.push(call);
      [call, weight] = [[], 0];
    }
    call.push(event);
    weight += own;
  }
  return call.length === 0 ? calls : [...calls, call];
}
