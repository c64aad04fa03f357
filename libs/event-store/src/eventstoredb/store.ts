import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import type { Listeners } from '../listeners.js';
import type { AppendRequest, AppendResult, EventBatch, EventStore, ReadStreamOptions, StreamHead, SubscribeOptions } from '../port.js';
import type { LedgerFactStore } from '../facts.js';
import { prepareRestore } from '../restoring.js';
import type { RestorableStore, RestoreResult } from '../restoring.js';
import type { SealableStore } from '../seal.js';
import { prepareAppend } from '../sealing.js';
import type { SealingRules } from '../sealing.js';
import { readOrTell } from '../upcasting/read-or-tell.js';
import type { ReadEvents } from '../upcasting/read-or-tell.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import type { ChainLink, RawEvent, VerifiableStore } from '../verify/raw-event.js';
import { AllSubscription } from './all-subscription.js';
import type { SubscriptionParts, WireBatch } from './all-subscription.js';
import type { Appender } from './appender.js';
import type { LedgerFacts } from './ledger-facts.js';
import type { NewestEvent } from './newest-event.js';
import type { Places, Start } from './places.js';
import type { Retrying } from './retrying.js';
import type { StreamHeads } from './stream-heads.js';
import type { StreamReader } from './stream-reader.js';
import { linkOf, rawOf, storedOf } from './wire-event.js';
import type { WireEvent } from './wire-event.js';

export interface StoreParts {
  readonly rules: SealingRules;
  readonly ledger: LedgerFacts;
  readonly appender: Appender;
  readonly streams: StreamReader;
  readonly heads: StreamHeads;
  readonly newest: NewestEvent;
  readonly places: Places;
  readonly retrying: Retrying;
  readonly listeners: Listeners;
  readonly subscription: SubscriptionParts;
  readonly sealGraceMs: number;
  /** Ends calls, waits and subscriptions, and gives the client back. */
  readonly shutDown: () => Promise<void>;
}

const BATCH_SIZE = 256;

/** The EventStore port over EventStoreDB or KurrentDB (design §5, Ports). */
export class EventStoreDbStore implements EventStore, VerifiableStore, RestorableStore, SealableStore, LedgerFactStore {
  readonly epoch: string;
  /** Positions are places in the log of the server, which holds other things too. */
  readonly densePositions = false;
  readonly sealGraceMs: number;
  private readonly registry: UpcastingRegistry;
  private closing: Promise<void> | null = null;

  constructor(private readonly parts: StoreParts) {
    this.epoch = parts.ledger.epoch;
    this.sealGraceMs = parts.sealGraceMs;
    this.registry = parts.rules.registry;
  }

  // An async function: what preparing throws is a rejection like any other, and it runs before the caller can change its events.
  async append(request: AppendRequest): Promise<AppendResult> {
    return this.parts.appender.append(prepareAppend(request, this.parts.rules));
  }

  async restore(stream: string, events: readonly StoredEvent[]): Promise<RestoreResult> {
    return this.parts.appender.restore(prepareRestore(stream, events));
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent, void, undefined> {
    for await (const page of this.pagesOf(stream, options)) {
      this.parts.heads.learn(page.at(-1));
      for (const event of page) yield* this.registry.read(storedOf(event));
    }
  }

  async streamHead(stream: string): Promise<StreamHead | null> {
    return this.parts.streams.head(stream);
  }

  async *readAll(after: bigint | null, options: { readonly batchSize?: number } = {}): AsyncGenerator<EventBatch, void, undefined> {
    for await (const batch of this.batches(after, options.batchSize ?? BATCH_SIZE)) yield this.recorded(batch);
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch, void, undefined> {
    const { signal, batchSize = BATCH_SIZE } = options;
    this.parts.retrying.checkOpen();
    const start = signal.aborted ? null : await this.startOf(options);
    if (start === null) return;
    const subscription = new AllSubscription(this.parts.subscription, { start, batchSize, signal, until: null });
    for await (const batch of handedOver(subscription)) yield this.recorded(batch);
  }

  async *readStored(
    after: bigint | null,
    options: { readonly stream?: string; readonly limit?: number } = {},
  ): AsyncGenerator<StoredEvent, void, undefined> {
    const { stream, limit = Number.POSITIVE_INFINITY } = options;
    const events = stream === undefined ? this.eventsAfter(after, limit) : this.eventsOf(stream, after ?? 0n, limit);
    for await (const event of events) yield storedOf(event);
  }

  head(): Promise<bigint> {
    return this.parts.newest.head();
  }

  onAppended(listener: (position: bigint) => void): () => void {
    return this.parts.listeners.add(listener);
  }

  async *readRaw(after: bigint | null): AsyncGenerator<readonly RawEvent[], void, undefined> {
    for await (const { events } of this.batches(after, BATCH_SIZE)) yield events.map(rawOf);
  }

  async linkAt(stream: string, position: bigint): Promise<ChainLink | null> {
    for await (const page of this.pagesOf(stream, { direction: 'backwards' })) {
      const event = page.find((one) => one.position <= position);
      if (event !== undefined) return linkOf(event) ?? { revision: event.revision, hash: '' };
    }
    return null;
  }

  /** What was given out and is gone isn't known to the server either. */
  async extent(): Promise<{ readonly newest: bigint; readonly issued: bigint }> {
    const newest = await this.parts.newest.head();
    return { newest, issued: newest };
  }

  /** A fact about this ledger that is written once; null if it was not set when this store was opened, or by this store since. */
  meta(key: string): string | null {
    this.parts.retrying.checkOpen();
    return this.parts.ledger.get(key);
  }

  /**
   * Sets a fact if nobody has, also in a race of processes.
   *
   * @returns the value that stands: the given one, or the one that was there
   * @throws StoreUnavailableError, OutcomeUnknownError
   */
  async setMetaOnce(key: string, value: string): Promise<string> {
    this.parts.retrying.checkOpen();
    return this.parts.ledger.setOnce(key, value);
  }

  async facts(): Promise<ReadonlyMap<string, string>> {
    this.parts.retrying.checkOpen();
    return this.parts.ledger.all();
  }

  /** Stores what was appended before, ends subscriptions and reads with an error. Can be called again. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    await this.parts.appender.close();
    this.parts.listeners.clear();
    await this.parts.shutDown();
  }

  /** Null when the signal aborted meanwhile. */
  private async startOf({ after, signal }: SubscribeOptions): Promise<Start | null> {
    const { places } = this.parts;
    if (after === null || after <= 0n) return places.beginning;
    try {
      return await places.afterRemembered({ position: after, id: null }, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Everything of ours after a position, up to the head as it is now: a store that grows as fast as it is read would never end. */
  private async *batches(after: bigint | null, batchSize: number): AsyncGenerator<WireBatch, void, undefined> {
    const until = await this.parts.newest.head();
    if (until <= (after ?? 0n)) return;
    const start = await this.parts.places.after(after ?? 0n);
    if (start === null) return;
    const { signal } = new AbortController();
    yield* handedOver(new AllSubscription(this.parts.subscription, { start, batchSize, signal, until }));
  }

  private async *eventsAfter(after: bigint | null, limit: number): AsyncGenerator<WireEvent, void, undefined> {
    let left = limit;
    if (left <= 0) return;
    for await (const { events } of this.batches(after, Math.min(BATCH_SIZE, limit))) {
      yield* events.slice(0, left);
      left -= events.length;
      if (left <= 0) return;
    }
  }

  private async *eventsOf(stream: string, after: bigint, limit: number): AsyncGenerator<WireEvent, void, undefined> {
    let left = limit;
    if (left <= 0) return;
    for await (const page of this.pagesOf(stream, {})) {
      for (const event of page) {
        if (event.position <= after) continue;
        yield event;
        if (--left <= 0) return;
      }
    }
  }

  private pagesOf(stream: string, options: ReadStreamOptions): AsyncGenerator<readonly WireEvent[], void, undefined> {
    const { from, direction = 'forwards', limit = Number.POSITIVE_INFINITY } = options;
    return this.parts.streams.pages(stream, { direction, limit, ...(from === undefined ? {} : { from }) });
  }

  private recorded({ events, position, caughtUp }: WireBatch): EventBatch {
    const batch: ReadEvents = { events: [], unreadable: [] };
    for (const event of events) readOrTell(batch, this.registry, event, () => storedOf(event));
    // Before the first event of ours stands only that of the ledger itself, which is none.
    return { ...batch, position: position <= this.parts.ledger.position ? 0n : position, caughtUp };
  }
}

/** Ends the subscription however its reader leaves, and gives the event loop a turn after each batch. */
async function* handedOver(subscription: AllSubscription): AsyncGenerator<WireBatch, void, undefined> {
  try {
    for (let batch = await subscription.next(); batch !== null; batch = await subscription.next()) {
      yield batch;
      await nextTurn();
    }
  } finally {
    subscription.end();
  }
}
