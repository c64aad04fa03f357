import { createHash } from 'node:crypto';
import type { NewEvent, RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import {
  InvalidEventError,
  LedgerSealedError,
  prepareAppend,
  prepareRestore,
  sealAppend,
  StoreUnavailableError,
  UpcastError,
  WrongExpectedRevisionError,
  type AppendRequest,
  type AppendResult,
  type EventBatch,
  type EventStore,
  type ReadStreamOptions,
  type RestorableStore,
  type RestoreResult,
  type SealableStore,
  type SealingRules,
  type StreamHead,
  type SubscribeOptions,
  type UnreadableEvent,
} from '@counterfoil/event-store';
import { MemoryLog } from './memory-log.js';
import { restoreInto } from './memory-restore.js';

type Part = Pick<RecordedEvent, 'type' | 'version' | 'data'>;

export interface MemoryEventStoreOptions {
  readonly epoch?: string;
  /** The parts of a stored event as readers see them; what it throws makes the event unreadable. Default: as stored. */
  readonly upcast?: (stored: StoredEvent) => readonly Part[];
  /** Distance to the next position, at least 1; by it a test makes gaps. Default 1. */
  readonly step?: (last: bigint) => bigint;
  /** Checks, seals and upcasts as the adapters do. Default: takes anything, with hashes over ids only. */
  readonly rules?: SealingRules;
  /** Another store's events, to be shared with it. Default: none. */
  readonly log?: MemoryLog;
}

const DEFAULT_BATCH_SIZE = 500;

/**
 * The event store port in memory, for pure tests: positions, expected revisions, idempotent retry and waking subscriptions as the
 * adapters have them. With `rules` it passes their conformance kit.
 */
export class MemoryEventStore implements EventStore, RestorableStore, SealableStore {
  readonly epoch: string;
  readonly sealGraceMs = 0;
  readonly log: MemoryLog;
  private closed = false;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: MemoryEventStoreOptions = {}) {
    this.log = options.log ?? new MemoryLog(options.epoch ?? 'memory', options.step ?? (() => 1n));
    this.epoch = this.log.epoch;
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    this.checkOpen();
    const { rules } = this.options;
    const prepared = rules === undefined ? null : prepareAppend(request, rules);
    const stream = this.log.stream(request.stream);
    const expected = request.expected === 'no_stream' ? -1n : request.expected;
    const actual = BigInt(stream.length) - 1n;
    const repeated = expected === actual ? null : repeatOf(stream, request.events, expected);
    if (repeated !== null) return this.answer(repeated, true);
    if (this.log.isSealed) throw new LedgerSealedError();
    if (expected !== actual) throw new WrongExpectedRevisionError(request.stream, actual < 0n ? null : actual);
    const taken = prepared === null ? undefined : request.events.find(({ id }) => this.log.holds(id));
    if (taken !== undefined) throw new InvalidEventError(taken.type, 'an event of another stream has its id');
    const prev = stream.at(-1)?.metadata.integrity.hash ?? null;
    const added =
      prepared === null
        ? request.events.map((event) => this.addAsItIs(request.stream, event))
        : [...sealAppend(prepared, prev)].map(({ sealed: { id, type, version, dataText, metadata } }) =>
            this.log.add(prepared.stream, (place) => ({ ...place, id, type, version, data: JSON.parse(dataText) as unknown, metadata })),
          );
    this.log.tell();
    return this.answer(added, false);
  }

  async restore(stream: string, events: readonly StoredEvent[]): Promise<RestoreResult> {
    this.checkOpen();
    const added = restoreInto(this.log, prepareRestore(stream, events));
    if (added > 0) this.log.tell();
    return { added };
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent, void, undefined> {
    this.checkOpen();
    const all = [...this.log.stream(stream)];
    const backwards = options.direction === 'backwards';
    if (backwards) all.reverse();
    const { from } = options;
    const wanted = from === undefined ? all : all.filter(({ revision }) => (backwards ? revision <= from : revision >= from));
    for (const event of wanted.slice(0, options.limit)) yield* this.parts(event);
  }

  async streamHead(stream: string): Promise<StreamHead | null> {
    this.checkOpen();
    const last = this.log.stream(stream).at(-1);
    return last === undefined ? null : { revision: last.revision, position: last.position, hash: last.metadata.integrity.hash };
  }

  async *readAll(after: bigint | null, options: { readonly batchSize?: number } = {}): AsyncGenerator<EventBatch, void, undefined> {
    this.checkOpen();
    for (let at = after ?? 0n; ;) {
      const batch = this.batch(at, options.batchSize ?? DEFAULT_BATCH_SIZE);
      if (batch === null) return;
      yield batch;
      if (batch.caughtUp) return;
      at = batch.position;
    }
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch, void, undefined> {
    let at = options.after ?? 0n;
    let toldCaughtUp = false;
    while (!options.signal.aborted) {
      this.checkOpen();
      const batch = this.batch(at, options.batchSize ?? DEFAULT_BATCH_SIZE);
      if (batch !== null) {
        yield batch;
        at = batch.position;
        toldCaughtUp = batch.caughtUp;
      } else if (!toldCaughtUp) {
        toldCaughtUp = true;
        yield { events: [], unreadable: [], position: at, caughtUp: true };
      } else {
        await this.appended(options.signal);
      }
    }
  }

  async *readStored(
    after: bigint | null,
    options: { readonly stream?: string; readonly limit?: number } = {},
  ): AsyncGenerator<StoredEvent, void, undefined> {
    this.checkOpen();
    const all = options.stream === undefined ? this.log.all : this.log.stream(options.stream);
    yield* all.filter(({ position }) => position > (after ?? 0n)).slice(0, options.limit);
  }

  async head(): Promise<bigint> {
    this.checkOpen();
    return this.lastPosition;
  }

  onAppended(listener: (position: bigint) => void): () => void {
    // A wrapper of its own, so that a function that is registered twice is called twice.
    const own = (position: bigint): void => {
      listener(position);
    };
    this.log.listeners.add(own);
    return () => {
      this.log.listeners.delete(own);
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const wake of [...this.waiting]) wake();
  }

  /** Position of the newest event, 0 for none. */
  get lastPosition(): bigint {
    return this.log.lastPosition;
  }

  /** Listeners that are still registered: what a stopped subscription must not leave behind. */
  get listenerCount(): number {
    return this.log.listeners.size;
  }

  private checkOpen(): void {
    if (this.closed) throw new StoreUnavailableError('the store is closed');
  }

  private addAsItIs(name: string, event: NewEvent): StoredEvent {
    const prev = this.log.stream(name).at(-1)?.metadata.integrity.hash ?? null;
    const hash = createHash('sha256')
      .update(`${prev ?? ''}/${event.id}`)
      .digest('hex');
    const { id, type, version, data, metadata } = event;
    return this.log.add(name, (place) => ({ ...place, id, type, version, data, metadata: { ...metadata, integrity: { prev, hash } } }));
  }

  private answer(events: readonly StoredEvent[], repeated: boolean): AppendResult {
    const last = events.at(-1);
    if (last === undefined) throw new Error('an append needs at least one event');
    return { revision: last.revision, position: last.position, repeated, events: events.flatMap((event) => this.parts(event)) };
  }

  private parts(stored: StoredEvent): readonly RecordedEvent[] {
    // A copy: what a reader does with it must not change what is stored.
    if (this.options.rules !== undefined) return this.options.rules.registry.read(structuredClone(stored));
    const asStored = { type: stored.type, version: Number(stored.version), data: stored.data };
    let parts: readonly Part[];
    try {
      parts = this.options.upcast?.(stored) ?? [asStored];
    } catch (error) {
      throw new UpcastError(`position ${stored.position.toString()}`, { cause: error });
    }
    const { stream, revision, position, id, metadata } = stored;
    return parts.map((part, n) => ({ stream, revision, position, id, metadata, ...part, part: n, parts: parts.length }));
  }

  private batch(after: bigint, size: number): EventBatch | null {
    const from = this.log.firstAfter(after);
    const found = this.log.all.slice(from, from + size);
    const last = found.at(-1);
    if (last === undefined) return null;
    const events: RecordedEvent[] = [];
    const unreadable: UnreadableEvent[] = [];
    for (const stored of found) {
      try {
        events.push(...this.parts(stored));
      } catch (error) {
        const { position, stream, revision, type } = stored;
        unreadable.push({ position, stream, revision, type, reason: this.reasonOf(error) });
      }
    }
    return { events, unreadable, position: last.position, caughtUp: from + found.length === this.log.all.length };
  }

  private reasonOf(error: unknown): string {
    if (!(error instanceof UpcastError)) return 'unreadable';
    return this.options.rules === undefined ? error.code : error.message;
  }

  private appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop();
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.onAppended(done);
      this.waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** The stored events when `events` stand where this append would put them. */
function repeatOf(stream: readonly StoredEvent[], events: readonly NewEvent[], expected: bigint): readonly StoredEvent[] | null {
  const from = Number(expected) + 1;
  const there = stream.slice(from, from + events.length);
  return there.length === events.length && there.every(({ id }, n) => id === events[n]?.id) ? there : null;
}
