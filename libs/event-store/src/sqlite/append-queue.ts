import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.js';
import type { AppendResult } from '../port.js';
import type { PreparedRestore, RestoreResult } from '../restoring.js';
import type { PreparedAppend } from '../sealing.js';
import type { AppendTransaction, PreparedWrite } from './append-transaction.js';
import { lockBackoff } from './busy.js';
import { asStoreFailure, isBusy } from './failures.js';
import type { WriteOutcome, Written } from './write-outcome.js';

export interface QueueLimits {
  /** Of one transaction: it blocks the event loop and every other writer of the file. */
  readonly batchEvents: number;
  readonly batchBytes: number;
  /** Waiting in memory; beyond it appends are refused. */
  readonly queuedBytes: number;
  /** How long an append waits for a lock that another process holds. */
  readonly maxWaitMs: number;
}

export interface QueueStats {
  /** Appends answered as stored now or as repeated. */
  readonly appends: number;
  readonly repeated: number;
  /** Appends refused for themselves: wrong revision, taken id, a ledger that has ended. */
  readonly refused: number;
  /** Events stored. */
  readonly events: number;
  /** Transactions committed. */
  readonly commits: number;
  /** Times that another process held the lock. */
  readonly busy: number;
}

interface Waiting {
  readonly write: PreparedWrite;
  readonly deadline: number;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: appends that come in one turn of the event loop are stored in one transaction with one sync, in the order in which
 * they came. That is what makes a durable store quick: one sync costs as much as dozens of inserts.
 */
export class AppendQueue {
  private waiting: Waiting[] = [];
  private queuedBytes = 0;
  private draining: Promise<void> | null = null;
  private closed = false;
  private readonly counts = { appends: 0, repeated: 0, refused: 0, events: 0, commits: 0, busy: 0 };

  constructor(
    private readonly transaction: AppendTransaction,
    private readonly limits: QueueLimits,
    private readonly onCommit: (position: bigint) => void,
  ) {}

  stats(): QueueStats {
    return { ...this.counts };
  }

  /** @throws StoreUnavailableError (as a rejection) after `close`, or when too much waits already */
  async append(append: PreparedAppend): Promise<AppendResult> {
    const { revision, position, repeated, events } = await this.add(append);
    return { revision, position, repeated, events };
  }

  /** @throws as `append` */
  async restore(restore: PreparedRestore): Promise<RestoreResult> {
    const { added } = await this.add(restore);
    return { added };
  }

  /** Stores what is waiting, then takes no more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.draining;
  }

  private add(write: PreparedWrite): Promise<Written> {
    if (this.closed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    if (this.queuedBytes + write.bytes > this.limits.queuedBytes) {
      return Promise.reject(new StoreUnavailableError('too many appends are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.queuedBytes += write.bytes;
      this.waiting.push({ write, deadline: performance.now() + this.limits.maxWaitMs, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  private async drain(): Promise<void> {
    const backoff = lockBackoff();
    await nextTurn();
    while (this.waiting.length > 0) {
      if (this.storeNext()) {
        backoff.reset();
        await nextTurn();
      } else {
        this.giveUpOnLate();
        await backoff.pause();
      }
    }
    this.draining = null;
  }

  /** @returns false when another process holds the lock: the batch waits on */
  private storeNext(): boolean {
    const batch = this.nextBatch();
    let outcomes: readonly WriteOutcome[];
    try {
      outcomes = this.transaction.run(batch.map((item) => item.write));
    } catch (error) {
      if (isBusy(error)) {
        this.counts.busy++;
        return false;
      }
      this.remove(batch.length);
      for (const item of batch) item.reject(error);
      return true;
    }
    this.remove(batch.length);
    this.answer(batch, outcomes);
    return true;
  }

  private nextBatch(): readonly Waiting[] {
    let events = 0;
    let bytes = 0;
    let count = 0;
    for (const { write } of this.waiting) {
      events += write.events.length;
      bytes += write.bytes;
      // The first is always taken, whatever its size.
      if (count > 0 && (events > this.limits.batchEvents || bytes > this.limits.batchBytes)) break;
      count++;
    }
    return this.waiting.slice(0, count);
  }

  private remove(count: number): void {
    for (const { write } of this.waiting.slice(0, count)) this.queuedBytes -= write.bytes;
    this.waiting = this.waiting.slice(count);
  }

  private answer(batch: readonly Waiting[], outcomes: readonly WriteOutcome[]): void {
    this.counts.commits++;
    const stored = batch.map((item, index) => this.answerOne(item, outcomes[index]));
    const newest = stored.findLast((position) => position !== null) ?? null;
    if (newest !== null) this.onCommit(newest);
  }

  /** @returns the position of the last event that this write added, if it added any */
  private answerOne(item: Waiting, outcome: WriteOutcome | undefined): bigint | null {
    if (outcome === undefined || outcome instanceof Error) {
      this.counts.refused++;
      item.reject(outcome);
      return null;
    }
    this.counts.appends++;
    item.resolve(outcome);
    if (outcome.repeated) {
      this.counts.repeated++;
      return null;
    }
    this.counts.events += outcome.added;
    return outcome.position;
  }

  private giveUpOnLate(): void {
    const now = performance.now();
    const late = this.waiting.filter((item) => item.deadline <= now);
    if (late.length === 0) return;
    this.waiting = this.waiting.filter((item) => item.deadline > now);
    for (const item of late) {
      this.queuedBytes -= item.write.bytes;
      item.reject(asStoreFailure(new StoreUnavailableError('another process kept the store locked')));
    }
  }
}
