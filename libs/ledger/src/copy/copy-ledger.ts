import { setTimeout as sleep } from 'node:timers/promises';
import type { VerifyReport } from '@counterfoil/event-store';
import type { LedgerStore } from '../stores/open-stores.js';
import { compareWithSource } from './compare.js';
import { Copier } from './copier.js';
import { CopyError } from './copy-error.js';
import { checkTarget } from './check-target.js';
import { claimTarget, copyFacts, CopyMarks, wasVerified } from './facts.js';
import { KnownHeads } from './known-heads.js';
import { Meter, type CopyProgress, type CopyStep } from './meter.js';
import { checkSealedFor, sealedFor, sealLedger } from './sealing.js';
import type { StreamDifference } from './tally.js';

export interface CopyOptions {
  /** Whether the source ends with this copy. Default false. */
  readonly seal?: boolean;
  /** How long is waited after sealing; default what the source's store needs. */
  readonly sealGraceMs?: number;
  /** Ends it between two windows. What is on its way is finished. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface CopyReport {
  /** Epochs. */
  readonly source: string;
  readonly target: string;
  /** Events of the source up to `position`, and its streams; the event that ends a ledger isn't counted. */
  readonly events: number;
  readonly streams: number;
  readonly byType: Readonly<Record<string, number>>;
  /** Sum of all hashes, in hex. */
  readonly totalHash: string;
  /** Those that the target didn't hold before this run. */
  readonly added: number;
  /** Of the source: everything up to here was copied. */
  readonly position: bigint;
  /** Whether the source has ended for this copy. */
  readonly sealed: boolean;
  /** Whether the source has grown beyond `position` meanwhile. After sealing it must not. */
  readonly sourceGrew: boolean;
  /** False when the signal ended it early: the same call goes on from there. */
  readonly complete: boolean;
  /** Null when it came not so far. */
  readonly verification: VerifyReport | null;
  readonly differences: readonly StreamDifference[];
  /** The copy is whole and equal to the source up to `position`, and a source that was sealed holds no more than that. */
  readonly ok: boolean;
  readonly seconds: number;
}

/**
 * A source under load is followed so many times before it is taken as it is; a pass that found so few events was the last, and so was one that
 * found hardly fewer than the one before: its writers are as fast as we are.
 */
const PASSES = 8;
const FEW_EVENTS = 256;

/**
 * Copies a ledger into another store, as its events stand: ids, times, revisions, links and hashes. The copy has an epoch and positions
 * of its own. A run that was cut off at any instant is taken up by the next one: what the target holds is compared and left out.
 *
 * @throws CopyError; StreamIntegrityError, UpcastError for a damaged source; StoreUnavailableError, OutcomeUnknownError
 */
export async function copyLedger(source: LedgerStore, target: LedgerStore, options: CopyOptions = {}): Promise<CopyReport> {
  return new CopyRun(source, target, options).all();
}

class CopyRun {
  private readonly started = performance.now();
  private readonly signal: AbortSignal;
  private readonly marks: CopyMarks;
  private sealed = false;
  /** Newest position of the source, as it was looked at last. */
  private newest = 0n;

  constructor(
    private readonly source: LedgerStore,
    private readonly target: LedgerStore,
    private readonly options: CopyOptions,
  ) {
    this.signal = options.signal ?? new AbortController().signal;
    this.marks = new CopyMarks(target);
  }

  async all(): Promise<CopyReport> {
    const { source, target, options } = this;
    await claimTarget(source, target);
    if ((await sealedFor(target)) !== null) throw new CopyError('copy_target_sealed', 'The target has ended itself: name an empty place.');
    const sealed = await sealedFor(source);
    if (options.seal === true) checkSealedFor(sealed, target.epoch);
    this.sealed = sealed === target.epoch;
    if (await wasVerified(target)) await this.check();
    const known = new KnownHeads(target, (await target.head()) === 0n);
    const copier = this.copierOver(known);
    await this.follow(copier);
    if (this.isStopped()) return this.report(copier);
    known.checkEnd();
    if (options.seal === true) {
      // While it can still go on: a source that has ended for a copy which nobody can use would be a ledger lost.
      const before = await this.compared(copier, 'checking');
      if (!before.isEqual) return before.report;
      // What came meanwhile is copied while commands are still taken.
      await this.follow(copier);
      if (this.isStopped()) return this.report(copier);
      await this.end(copier);
      if (this.isStopped()) return this.report(copier);
      known.checkEnd();
    }
    const { report } = await this.compared(copier, 'verifying');
    if (report.ok) await this.marks.markVerified(report.position);
    return report;
  }

  /** Asked anew each time: it may be stopped during any wait. */
  private isStopped(): boolean {
    return this.signal.aborted;
  }

  /** What may have been opened as a ledger may have gone on. */
  private async check(): Promise<void> {
    const { source, target, signal } = this;
    const total = await source.head();
    const meter = this.meter('checking');
    await checkTarget(source, target, { signal, onRead: (events, position) => meter.at(events, position, total) });
  }

  private copierOver(known: KnownHeads): Copier {
    const { source, target, signal } = this;
    const meter = this.meter('copying');
    const onWritten = ({ tally, written }: Copier): void => {
      meter.at(tally.events, written, this.newest);
    };
    return new Copier({ source, target, known, signal, onWritten, onWrite: () => this.marks.begin() });
  }

  /** Copies up to the head, again while much has come meanwhile, and less each time. */
  private async follow(copier: Copier): Promise<void> {
    let most = Infinity;
    for (let pass = 0; pass < PASSES && !this.signal.aborted; pass++) {
      const before = copier.tally.events;
      if (!(await this.pass(copier))) return;
      const found = copier.tally.events - before;
      if (found < FEW_EVENTS || found > most / 2) return;
      most = found;
    }
  }

  /** @returns false when there was nothing */
  private async pass(copier: Copier): Promise<boolean> {
    this.newest = await this.source.head();
    // After the head: whatever keys the events up to it were made with are known by then.
    await copyFacts(this.source, this.target);
    if (this.newest <= copier.position) return false;
    await copier.upTo(this.newest);
    return true;
  }

  /** Ends the source, waits until nothing more can land there, and copies what has landed. */
  private async end(copier: Copier): Promise<void> {
    const { source, target, options } = this;
    this.meter('sealing').at(copier.tally.events, copier.position, this.newest);
    await sealLedger(source, target.epoch, options.now ?? Date.now);
    this.sealed = true;
    await this.wait(options.sealGraceMs ?? source.sealGraceMs);
    let found = true;
    while (found && !this.signal.aborted) found = await this.pass(copier);
  }

  private async wait(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.signal });
    } catch (error) {
      if (!this.signal.aborted) throw error;
    }
  }

  private async compared(copier: Copier, step: CopyStep): Promise<{ readonly report: CopyReport; readonly isEqual: boolean }> {
    const meter = this.meter(step);
    const { signal } = this;
    const onProgress = (rate: number, position: bigint, total: bigint): void => {
      meter.tell(rate, position, total);
    };
    const { verification, differences, isEqual } = await compareWithSource(copier.tally, this.target, { signal, onProgress });
    const sourceGrew = (await this.source.head()) > copier.position;
    const ok = isEqual && !(this.sealed && sourceGrew);
    const report = { ...this.report(copier), complete: verification.complete, verification, differences, sourceGrew, ok };
    return { report, isEqual };
  }

  private meter(step: CopyStep): Meter {
    return new Meter(step, (progress) => {
      this.options.onProgress?.(progress);
    });
  }

  private report({ tally, added, position }: Copier): CopyReport {
    return {
      source: this.source.epoch,
      target: this.target.epoch,
      events: tally.events,
      streams: tally.streams,
      byType: Object.fromEntries([...tally.byType].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      totalHash: tally.totalHash,
      added,
      position,
      sealed: this.sealed,
      sourceGrew: false,
      complete: false,
      verification: null,
      differences: [],
      ok: false,
      seconds: (performance.now() - this.started) / 1000,
    };
  }
}
