import { createHash } from 'node:crypto';
import type { NewEvent, RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import {
  UpcastError,
  WrongExpectedRevisionError,
  type AppendRequest,
  type AppendResult,
  type EventBatch,
  type EventStore,
  type ReadStreamOptions,
  type StreamHead,
  type SubscribeOptions,
  type UnreadableEvent,
} from '@counterfoil/event-store';

export interface MemoryEventStoreOptions {
  readonly epoch?: string;
  /** The parts of a stored event as readers see them; what it throws makes the event unreadable. Default: as stored. */
  readonly upcast?: (stored: StoredEvent) => readonly Pick<RecordedEvent, 'type' | 'version' | 'data'>[];
  /** Distance to the next position, at least 1; by it a test makes gaps. Default 1. */
  readonly step?: (last: bigint) => bigint;
}

const DEFAULT_BATCH_SIZE = 500;

/**
 * The event store port in memory, for pure tests: positions, expected revisions, idempotent retry and waking subscriptions as the
 * adapters have them; no schemas, no limits, and hashes over ids only.
 */
export class MemoryEventStore implements EventStore {
  readonly epoch: string;
  private readonly stored: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly listeners = new Set<(position: bigint) => void>();

  constructor(private readonly options: MemoryEventStoreOptions = {}) {
    this.epoch = options.epoch ?? 'memory';
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    const stream = this.streams.get(request.stream) ?? [];
    const expected = request.expected === 'no_stream' ? -1n : request.expected;
    const repeated = this.repeatOf(stream, request.events, expected);
    if (repeated !== null) return this.answer(repeated, true);
    const actual = BigInt(stream.length) - 1n;
    if (expected !== actual) throw new WrongExpectedRevisionError(request.stream, actual < 0n ? null : actual);
    const added = request.events.map((event) => this.add(request.stream, stream, event));
    this.streams.set(request.stream, stream);
    this.listeners.forEach((listener) => listener(this.lastPosition));
    return this.answer(added, false);
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    const all = [...(this.streams.get(stream) ?? [])];
    const backwards = options.direction === 'backwards';
    if (backwards) all.reverse();
    const { from } = options;
    const wanted = from === undefined ? all : all.filter(({ revision }) => (backwards ? revision <= from : revision >= from));
    for (const event of wanted.slice(0, options.limit)) yield* this.parts(event);
  }

  async streamHead(stream: string): Promise<StreamHead | null> {
    const last = this.streams.get(stream)?.at(-1);
    return last === undefined ? null : { revision: last.revision, position: last.position, hash: last.metadata.integrity.hash };
  }

  async *readAll(after: bigint | null, options: { readonly batchSize?: number } = {}): AsyncIterable<EventBatch> {
    for (let at = after ?? 0n; ;) {
      const batch = this.batch(at, options.batchSize ?? DEFAULT_BATCH_SIZE);
      if (batch === null) return;
      yield batch;
      if (batch.caughtUp) return;
      at = batch.position;
    }
  }

  async *subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch> {
    let at = options.after ?? 0n;
    while (!options.signal.aborted) {
      const batch = this.batch(at, options.batchSize ?? DEFAULT_BATCH_SIZE);
      if (batch === null) {
        await this.appended(options.signal);
      } else {
        yield batch;
        at = batch.position;
      }
    }
  }

  async *readStored(after: bigint | null, options: { readonly stream?: string; readonly limit?: number } = {}): AsyncIterable<StoredEvent> {
    const all = options.stream === undefined ? this.stored : (this.streams.get(options.stream) ?? []);
    yield* all.filter(({ position }) => position > (after ?? 0n)).slice(0, options.limit);
  }

  async head(): Promise<bigint> {
    return this.lastPosition;
  }

  onAppended(listener: (position: bigint) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Position of the newest event, 0 for none. */
  get lastPosition(): bigint {
    return this.stored.at(-1)?.position ?? 0n;
  }

  /** Listeners that are still registered: what a stopped subscription must not leave behind. */
  get listenerCount(): number {
    return this.listeners.size;
  }

  /** The stored events when `events` stand where this append would put them. */
  private repeatOf(stream: readonly StoredEvent[], events: readonly NewEvent[], expected: bigint): readonly StoredEvent[] | null {
    const there = stream.slice(Number(expected) + 1, Number(expected) + 1 + events.length);
    return there.length === events.length && there.every(({ id }, n) => id === events[n]?.id) ? there : null;
  }

  private add(name: string, stream: StoredEvent[], event: NewEvent): StoredEvent {
    const last = this.lastPosition;
    const prev = stream.at(-1)?.metadata.integrity.hash ?? null;
    const hash = createHash('sha256')
      .update(`${prev ?? ''}/${event.id}`)
      .digest('hex');
    const { id, type, version, data } = event;
    const added: StoredEvent = {
      stream: name,
      revision: BigInt(stream.length),
      position: last + (this.options.step?.(last) ?? 1n),
      id,
      type,
      version,
      data,
      metadata: { ...event.metadata, integrity: { prev, hash } },
    };
    stream.push(added);
    this.stored.push(added);
    return added;
  }

  private answer(events: readonly StoredEvent[], repeated: boolean): AppendResult {
    const last = events.at(-1);
    if (last === undefined) throw new Error('an append needs at least one event');
    return { revision: last.revision, position: last.position, repeated, events: events.flatMap((event) => this.parts(event)) };
  }

  private parts(stored: StoredEvent): readonly RecordedEvent[] {
    const asStored = { type: stored.type, version: Number(stored.version), data: stored.data };
    let parts: readonly Pick<RecordedEvent, 'type' | 'version' | 'data'>[];
    try {
      parts = this.options.upcast?.(stored) ?? [asStored];
    } catch (error) {
      throw new UpcastError(`position ${stored.position.toString()}`, { cause: error });
    }
    const { stream, revision, position, id, metadata } = stored;
    return parts.map((part, n) => ({ stream, revision, position, id, metadata, ...part, part: n, parts: parts.length }));
  }

  private batch(after: bigint, size: number): EventBatch | null {
    const from = this.firstAfter(after);
    const found = this.stored.slice(from, from + size);
    const last = found.at(-1);
    if (last === undefined) return null;
    const events: RecordedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    for (const stored of found) {
      try {
        events.push(...this.parts(stored));
      } catch (error) {
        const { position, stream, revision, type } = stored;
        unreadable.push({ position, stream, revision, type, reason: error instanceof UpcastError ? error.code : 'unreadable' });
      }
    }
    return { events, unreadable, position: last.position, caughtUp: from + found.length === this.stored.length };
  }

  /** Index of the first event after a position, by halving: a long store must not be walked for each batch. */
  private firstAfter(position: bigint): number {
    let [low, high] = [0, this.stored.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.stored[middle]?.position ?? 0n) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.onAppended(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
