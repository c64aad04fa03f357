import type { AllPage, AnyRecord, Calls } from './calls.js';
import type { Retrying } from './retrying.js';

/** How many records are read at once on the way back from the end: the first time few, since mostly nothing is new. */
const PAGES = [4, 64, 512] as const;

/**
 * Where the newest event of ours stands. This client can't filter a read of `$all`, so it is looked for from the end backwards, in pages
 * (stack.md, EventStoreDB row 4); what was looked at once is not looked at again. From the leader: checkpoints are judged by it.
 */
export class NewestEvent {
  private newest: bigint;
  /** Between `newest` and here nothing is ours. */
  private scannedTo: bigint;
  /** Highest position of any record met: what is appended from now on stands after it. */
  private highest: bigint;
  private running: Promise<unknown> = Promise.resolve();
  /** A look that was asked for and hasn't begun: whoever asks now may have it too. */
  private queued: Promise<bigint> | null = null;
  private doubtful = false;

  /** @param floor position of the first event under our prefix, that of the ledger itself: none of ours is before it */
  constructor(
    private readonly calls: Calls,
    private readonly retrying: Retrying,
    private readonly floor: bigint,
  ) {
    this.newest = floor;
    this.scannedTo = floor;
    this.highest = floor;
  }

  get seen(): bigint {
    return this.highest;
  }

  /** An event of ours was stored or read. */
  observe(position: bigint): void {
    if (position > this.newest) this.newest = position;
    this.passed(position);
  }

  /** A subscription handed over everything of ours up to here. */
  passed(position: bigint): void {
    if (position > this.scannedTo) this.scannedTo = position;
    if (position > this.highest) this.highest = position;
  }

  /** The connection broke: when it is back, the store may be another (restored, cut). */
  doubt(): void {
    this.doubtful = true;
  }

  /** Position of the newest event of ours, 0n for none. One look at a time, so that each builds on the one before. */
  head(): Promise<bigint> {
    if (this.queued !== null) return this.queued;
    const look = this.running.then(() => {
      this.queued = null;
      return this.look();
    });
    this.queued = look;
    this.running = look.catch(() => undefined);
    return look;
  }

  private async look(): Promise<bigint> {
    if (this.doubtful && this.newest > this.floor && !(await this.isThere(this.newest))) this.forget();
    this.doubtful = false;
    await this.scan();
    return this.newest > this.floor ? this.newest : 0n;
  }

  private async scan(): Promise<void> {
    let from: AllPage['from'] = 'end';
    let end: bigint | null = null;
    for (let n = 0; ; n++) {
      const page: readonly AnyRecord[] = await this.page(from, PAGES[Math.min(n, PAGES.length - 1)] ?? 1);
      const first = page[0];
      if (first === undefined) return;
      end ??= this.begin(first.position);
      const found = page.find((record) => this.isLast(record));
      if (found !== undefined) {
        if (found.position > this.scannedTo) this.observe(found.position);
        this.passed(end);
        return;
      }
      from = (page.at(-1) ?? first).place;
    }
  }

  /** Ours, or one from which on all is known. */
  private isLast({ position, ours }: AnyRecord): boolean {
    return position <= this.scannedTo || ours !== null;
  }

  /** A log that ends before what was seen in it was cut: what is known of it is worth nothing any more. */
  private begin(end: bigint): bigint {
    if (end < this.newest) this.forget();
    return end;
  }

  private forget(): void {
    this.newest = this.floor;
    this.scannedTo = this.floor;
  }

  private page(from: AllPage['from'], count: number): Promise<readonly AnyRecord[]> {
    const until = (record: AnyRecord): boolean => this.isLast(record);
    return this.retrying.read((signal) => this.calls.allPage({ from, direction: 'backwards', count, until }, signal));
  }

  private async isThere(position: bigint): Promise<boolean> {
    const [record] = await this.retrying.read((signal) => this.calls.allPage({ from: position, direction: 'forwards', count: 1 }, signal));
    return record?.position === position && record.ours !== null;
  }
}
