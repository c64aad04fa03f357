import type Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import { StoreUnavailableError } from '../errors.js';
import type { AppendRequest, AppendResult, EventBatch, EventStore, ReadStreamOptions, StreamHead, SubscribeOptions } from '../port.js';
import type { LedgerFactStore } from '../facts.js';
import { prepareRestore } from '../restoring.js';
import type { RestorableStore, RestoreResult } from '../restoring.js';
import type { SealableStore } from '../seal.js';
import { prepareAppend } from '../sealing.js';
import type { EventSchemas, SealingRules } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import type { ChainLink, RawEvent, VerifiableStore } from '../verify/raw-event.js';
import { AppendQueue } from './append-queue.js';
import type { QueueStats } from './append-queue.js';
import { AppendTransaction } from './append-transaction.js';
import { whenFree } from './busy.js';
import { LedgerMeta } from './ledger-meta.js';
import { EPOCH_KEY, openDatabase } from './open.js';
import { Reader } from './reader.js';
import { StoreFileError } from './store-file-error.js';
import { Wakeups } from './wakeups.js';

export interface SqliteEventStoreOptions {
  /** Path of the database; its directory must exist. Any number of processes may have it open. */
  readonly file: string;
  readonly registry: UpcastingRegistry;
  /** Default: STORED_EVENTS of the contracts. */
  readonly schemas?: EventSchemas;
  /** False: there must be a ledger already. Default true. */
  readonly create?: boolean;
  /** Draws the epoch of a store that is made now: `[a-z0-9]{1,32}`. Default: random. */
  readonly createEpoch?: () => string;
  /** How often other processes' commits are looked for while somebody waits; default 250. */
  readonly pollMs?: number;
  /** How long SQLite itself waits for a lock, with the event loop standing still; default 5. */
  readonly busyTimeoutMs?: number;
  /** How long an append or a read waits for a lock in all; default 5000. */
  readonly maxWaitMs?: number;
  /** Events, and bytes, of one transaction; defaults 512 and 4 MiB. */
  readonly batchEvents?: number;
  readonly batchBytes?: number;
  /** Bytes of appends that may wait in memory; default 64 MiB. */
  readonly queuedBytes?: number;
}

const DEFAULT_BATCH_SIZE = 256;
const MIB = 1024 * 1024;

/**
 * Opens an event store in an SQLite file, and makes it if there is none.
 *
 * @throws StoreFileError when the file can't serve, StoreUnavailableError when it stays locked, LedgerMissingError
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
  const { file, create = true, busyTimeoutMs = 5, maxWaitMs = 5000 } = options;
  const createEpoch = options.createEpoch ?? (() => randomBytes(8).toString('hex'));
  const db = await openDatabase({ file, create, busyTimeoutMs, maxWaitMs, createEpoch });
  try {
    return new SqliteEventStore(db, options, maxWaitMs);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The EventStore port over one SQLite file (design §5, Ports). */
export class SqliteEventStore implements EventStore, VerifiableStore, RestorableStore, SealableStore, LedgerFactStore {
  readonly epoch: string;
  /** A transaction that is rolled back gives its positions back, so every position from 1 on has an event. */
  readonly densePositions = true;
  /** An append looks for the end of the ledger in the transaction that stores it. */
  readonly sealGraceMs = 0;
  private readonly rules: SealingRules;
  private readonly ledgerMeta: LedgerMeta;
  private readonly reader: Reader;
  private readonly queue: AppendQueue;
  private readonly wakeups: Wakeups;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly db: Database.Database,
    options: SqliteEventStoreOptions,
    private readonly maxWaitMs: number,
  ) {
    const { registry, pollMs = 250, batchEvents = 512, batchBytes = 4 * MIB, queuedBytes = 64 * MIB } = options;
    this.rules = options.schemas === undefined ? { registry } : { registry, schemas: options.schemas };
    this.ledgerMeta = new LedgerMeta(db);
    const epoch = this.ledgerMeta.get(EPOCH_KEY);
    if (epoch === null) throw new StoreFileError(options.file, 'it has no epoch');
    this.epoch = epoch;
    this.reader = new Reader(db, registry, (work) => this.whenOpen(work));
    this.wakeups = new Wakeups(pollMs, () => this.reader.headNow());
    const limits = { batchEvents, batchBytes, queuedBytes, maxWaitMs };
    this.queue = new AppendQueue(new AppendTransaction(db, registry), limits, (position) => {
      this.wakeups.committed(position);
    });
  }

  // An async function: what preparing throws is a rejection like any other, and it runs before the caller can change its events.
  async append(request: AppendRequest): Promise<AppendResult> {
    return this.queue.append(prepareAppend(request, this.rules));
  }

  async restore(stream: string, events: readonly StoredEvent[]): Promise<RestoreResult> {
    return this.queue.restore(prepareRestore(stream, events));
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    return this.reader.stream(stream, options);
  }

  streamHead(stream: string): Promise<StreamHead | null> {
    return this.reader.streamHead(stream);
  }

  async *readAll(after: bigint | null, options: { readonly batchSize?: number } = {}): AsyncGenerator<EventBatch, void, undefined> {
    // The head as it is now: a store that grows as fast as it is read would otherwise never end.
    const end = await this.reader.head();
    let position = after ?? 0n;
    while (position < end) {
      const batch = await this.reader.batch(position, options.batchSize ?? DEFAULT_BATCH_SIZE);
      if (batch.position === position) return;
      position = batch.position;
      yield batch;
      await nextTurn();
    }
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch, void, undefined> {
    const { signal, batchSize = DEFAULT_BATCH_SIZE } = options;
    let position = options.after ?? 0n;
    // Who subscribes at the head must hear that it is there, or it would wait for ever on an empty store (case 59).
    let toldCaughtUp = false;
    while (!signal.aborted) {
      const batch = await this.reader.batch(position, batchSize);
      if (batch.position > position || !toldCaughtUp) {
        position = batch.position;
        toldCaughtUp = batch.caughtUp;
        yield batch;
        await nextTurn();
      } else {
        await this.wakeups.beyond(position, signal);
      }
    }
  }

  readStored(
    after: bigint | null,
    options: { readonly stream?: string; readonly limit?: number } = {},
  ): AsyncGenerator<StoredEvent, void, undefined> {
    const { stream, limit = Infinity } = options;
    return stream === undefined ? this.reader.stored(after ?? 0n, limit) : this.reader.storedOfStream(stream, after ?? 0n, limit);
  }

  head(): Promise<bigint> {
    return this.reader.head();
  }

  onAppended(listener: (position: bigint) => void): () => void {
    return this.wakeups.listen(listener);
  }

  readRaw(after: bigint | null): AsyncGenerator<readonly RawEvent[], void, undefined> {
    return this.reader.raw(after ?? 0n);
  }

  linkAt(stream: string, position: bigint): Promise<ChainLink | null> {
    return this.reader.linkAt(stream, position);
  }

  extent(): Promise<{ readonly newest: bigint; readonly issued: bigint }> {
    return this.reader.extent();
  }

  /** A fact about this ledger that is written once, such as its epoch; null if it was never set. */
  meta(key: string): string | null {
    this.checkOpen();
    return this.ledgerMeta.get(key);
  }

  /**
   * Sets a fact if nobody has, also in a race of processes.
   *
   * @returns the value that stands: the given one, or the one that was there
   * @throws StoreUnavailableError when the store stays locked
   */
  setMetaOnce(key: string, value: string): string {
    this.checkOpen();
    return this.ledgerMeta.setOnce(key, value);
  }

  facts(): Promise<ReadonlyMap<string, string>> {
    return this.whenOpen(() => this.ledgerMeta.all());
  }

  /** What the append queue has done since the store was opened. */
  stats(): QueueStats {
    return this.queue.stats();
  }

  /** Stores what was appended before, ends subscriptions with an error, and closes the file. Can be called again. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    await this.queue.close();
    this.wakeups.close();
    this.db.close();
  }

  private checkOpen(): void {
    if (!this.db.open) throw new StoreUnavailableError('the store is closed');
  }

  private whenOpen<T>(work: () => T): Promise<T> {
    return whenFree(this.maxWaitMs, () => {
      this.checkOpen();
      return work();
    });
  }
}
