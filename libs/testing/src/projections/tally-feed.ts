import type { CounterfoilEvent, NewEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import { leaseExtended, sessionOpened } from '../given/events.js';
import { receiptNamed } from '../given/values.js';

const METADATA = {
  recordedAt: '2027-01-01T00:00:00.000Z',
  occurredAt: null,
  actor: { principal: 'agent:tester', keyId: 'key1' },
  correlationId: null,
  causationId: null,
  traceparent: null,
};

const APPEND_SIZE = 50;

/** Appends valid events to any event store, the same ones each time. */
export class TallyFeed {
  private readonly revisions = new Map<string, bigint>();
  private drawn = 1;

  /** @param name part of the event ids: two feeds into one store need two */
  constructor(
    private readonly store: EventStore,
    private readonly name = 0,
  ) {}

  /** Appends one event for each number of seconds, after an opening one in a new stream. Answers the last position. */
  async append(stream: string, ...seconds: readonly number[]): Promise<bigint> {
    const before = this.revisions.get(stream) ?? (await this.store.streamHead(stream))?.revision ?? null;
    const events = seconds.map((leaseSeconds) => leaseExtended({ leaseSeconds, receiptId: receiptNamed(`call-${leaseSeconds % 5}`) }));
    const added: readonly CounterfoilEvent[] = before === null ? [sessionOpened(), ...events] : events;
    const result = await this.store.append({
      stream,
      expected: before ?? 'no_stream',
      events: added.map((event, n) => this.stored(stream, (before ?? -1n) + 1n + BigInt(n), event)),
    });
    this.revisions.set(stream, result.revision);
    return result.position;
  }

  /** Appends about so many events over so many streams, in turn. Answers the last position. */
  async fill(events: number, streams: number): Promise<bigint> {
    let last = 0n;
    for (let done = 0; done < events;) {
      const size = Math.max(1, Math.min(APPEND_SIZE, Math.ceil((events - done) / streams)));
      const appends = Array.from({ length: streams }, (_, n) => this.append(`session-w1/s${n}`, ...this.draw(size)));
      for (const position of await Promise.all(appends)) if (position > last) last = position;
      done += size * streams;
    }
    return last;
  }

  /** Seconds that look random and are the same each time. */
  private draw(count: number): number[] {
    return Array.from({ length: count }, () => {
      this.drawn = (this.drawn * 48_271) % 2_147_483_647;
      return 1 + (this.drawn % 600);
    });
  }

  private stored(stream: string, revision: bigint, { type, data }: CounterfoilEvent): NewEvent {
    return { id: eventId(this.name, stream, revision), type, version: 1, data, metadata: METADATA };
  }
}

/** A UUID of feed, stream and revision. */
function eventId(feed: number, stream: string, revision: bigint): string {
  let sum = 0n;
  for (const unit of Buffer.from(stream)) sum = (sum * 257n + BigInt(unit)) % (1n << 58n);
  const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');
  const place = hex(sum, 15);
  return `${hex(BigInt(feed), 8)}-${hex(revision >> 12n, 4)}-7${hex(revision & 0xfffn, 3)}-8${place.slice(0, 3)}-${place.slice(3)}`;
}
