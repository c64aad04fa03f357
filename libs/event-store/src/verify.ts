import { setImmediate as nextTurn } from 'node:timers/promises';
import { readableRaw } from './verify/event-content.js';
import { FaultLog } from './verify/faults.js';
import type { Fault, FaultKind } from './verify/faults.js';
import type { RawEvent, VerifiableStore } from './verify/raw-event.js';
import { StreamCheck } from './verify/stream-check.js';

export interface VerifyOptions {
  /** After each page: events per second so far, the position reached, the newest position of the store. */
  readonly onProgress?: (rate: number, position: bigint, total: bigint) => void;
  readonly signal?: AbortSignal;
  /** `position` of an earlier report: what comes after it is verified, against the chains as they stood there. */
  readonly resumeAfter?: bigint;
  /** How many faults are listed; all are counted. Default 1000. */
  readonly faultLimit?: number;
}

export interface VerifyReport {
  /** Events looked at. */
  readonly events: number;
  /** Streams met. */
  readonly streams: number;
  /** Everything was looked at and nothing was found. */
  readonly ok: boolean;
  /** False when the signal ended it early. */
  readonly complete: boolean;
  /** Everything up to here was looked at: `resumeAfter` of a later call. */
  readonly position: bigint;
  readonly faults: readonly Fault[];
  readonly faultCount: number;
  readonly faultsByKind: Readonly<Partial<Record<FaultKind, number>>>;
}

/**
 * Checks the hash chain of every stream in one pass in order of position (promise 29). What a chain can't show by itself: a cut tail
 * whose positions were never used again is seen only where the store knows the newest position it gave out (`tail_missing`), and a
 * chain that was recomputed from an edited event on is whole in itself. Signed checkpoints (design §3, promise 29) make both visible.
 *
 * @throws StoreUnavailableError when the store can't be read
 */
export async function verifyStore(store: VerifiableStore, options: VerifyOptions = {}): Promise<VerifyReport> {
  const run = new VerifyRun(store, options);
  await run.all();
  return run.report();
}

class VerifyRun {
  private readonly faults: FaultLog;
  private readonly streams: StreamCheck;
  private readonly started = performance.now();
  private position: bigint;
  private events = 0;
  private complete = false;

  constructor(
    private readonly store: VerifiableStore,
    private readonly options: VerifyOptions,
  ) {
    this.faults = new FaultLog(options.faultLimit ?? 1000);
    this.streams = new StreamCheck(this.faults);
    this.position = options.resumeAfter ?? 0n;
  }

  async all(): Promise<void> {
    const total = (await this.store.extent()).newest;
    for await (const page of this.store.readRaw(this.position === 0n ? null : this.position)) {
      for (const raw of page) await this.one(raw);
      const seconds = (performance.now() - this.started) / 1000;
      this.options.onProgress?.(seconds > 0 ? this.events / seconds : 0, this.position, total > this.position ? total : this.position);
      if (this.options.signal?.aborted === true) return;
      await nextTurn();
    }
    await this.checkTail();
    this.complete = true;
  }

  report(): VerifyReport {
    const faultCount = this.faults.total;
    return {
      events: this.events,
      streams: this.streams.links.size,
      ok: this.complete && faultCount === 0,
      complete: this.complete,
      position: this.position,
      faults: this.faults.list(),
      faultCount,
      faultsByKind: this.faults.byKind(),
    };
  }

  private async one(raw: RawEvent): Promise<void> {
    this.checkPosition(raw);
    this.position = raw.position;
    this.events++;
    await this.loadLink(raw.stream);
    const event = readableRaw(raw);
    if (event !== null) {
      this.streams.check(event);
      return;
    }
    this.faults.add({ kind: 'unparseable', ...placeOf(raw), detail: 'it can not be read as an event' });
    // The chain goes on from the stored hash, so that the next event isn't blamed for this one.
    if (typeof raw.stream === 'string' && typeof raw.revision === 'bigint') {
      this.streams.links.set(raw.stream, { revision: raw.revision, hash: typeof raw.hash === 'string' ? raw.hash : '' });
    }
  }

  private checkPosition(raw: RawEvent): void {
    const missing = this.position + 1n;
    if (!this.store.densePositions || raw.position === missing) return;
    const detail = `positions ${String(missing)} to ${String(raw.position - 1n)} are missing before it`;
    this.faults.add({ kind: 'position_gap', ...placeOf(raw), detail });
  }

  /** Only a resumed run meets streams whose beginning it hasn't seen. */
  private async loadLink(stream: unknown): Promise<void> {
    const { resumeAfter } = this.options;
    if (resumeAfter === undefined || typeof stream !== 'string' || this.streams.links.get(stream) !== null) return;
    const link = await this.store.linkAt(stream, resumeAfter);
    if (link !== null) this.streams.links.set(stream, link);
  }

  private async checkTail(): Promise<void> {
    const { newest, issued } = await this.store.extent();
    if (issued <= newest) return;
    const detail = `positions ${String(newest + 1n)} to ${String(issued)} were given out and their events are gone`;
    this.faults.add({ kind: 'tail_missing', stream: null, revision: null, position: newest + 1n, detail });
  }
}

function placeOf(raw: RawEvent): Pick<Fault, 'stream' | 'revision' | 'position'> {
  return {
    stream: typeof raw.stream === 'string' ? raw.stream : null,
    revision: typeof raw.revision === 'bigint' ? raw.revision : null,
    position: raw.position,
  };
}
