/** How far an import has come. */
export interface ImportProgress {
  readonly bytes: number;
  /** Null for an input of unknown size. */
  readonly totalBytes: number | null;
  readonly records: number;
  readonly recordsPerSecond: number;
  /** Estimated by bytes; null while nothing is known. */
  readonly secondsLeft: number | null;
  /** True in the last call. */
  readonly done: boolean;
}

const INTERVAL_MS = 250;

/** Calls back at most every 250 ms, and once at the end. */
export class ProgressMeter {
  private toldAt: number;

  constructor(
    private readonly now: () => number,
    private readonly totalBytes: number | null,
    private readonly tell: (progress: ImportProgress) => void,
    private readonly startedAt = now(),
  ) {
    this.toldAt = startedAt;
  }

  /** The same for an input whose size has become known. */
  of(totalBytes: number | null): ProgressMeter {
    return new ProgressMeter(this.now, totalBytes, this.tell, this.startedAt);
  }

  get milliseconds(): number {
    // A clock may step back.
    return Math.max(0, this.now() - this.startedAt);
  }

  update(bytes: number, records: number): void {
    const now = this.now();
    if (now - this.toldAt < INTERVAL_MS && now >= this.toldAt) return;
    this.toldAt = now;
    this.tell(this.progress(bytes, records, false));
  }

  end(bytes: number, records: number): void {
    this.tell(this.progress(bytes, records, true));
  }

  private progress(bytes: number, records: number, done: boolean): ImportProgress {
    const seconds = this.milliseconds / 1000;
    const left = this.totalBytes === null || bytes === 0 ? null : (Math.max(0, this.totalBytes - bytes) * seconds) / bytes;
    return { bytes, totalBytes: this.totalBytes, records, recordsPerSecond: seconds > 0 ? records / seconds : 0, secondsLeft: left, done };
  }
}
