export type CopyStep = 'checking' | 'copying' | 'sealing' | 'verifying';

export interface CopyProgress {
  readonly step: CopyStep;
  readonly eventsPerSecond: number;
  /** Position reached, of the source's while it is copied, of the copy's while that is verified; and the newest there. */
  readonly position: bigint;
  readonly total: bigint;
  /** Null where it can't be told. */
  readonly secondsLeft: number | null;
}

/** Tells how far a step is. Positions may have gaps, but what is left is as sparse as what was done. */
export class Meter {
  private readonly started = performance.now();

  constructor(
    private readonly step: CopyStep,
    private readonly onProgress: (progress: CopyProgress) => void,
  ) {}

  /** @param events so far */
  at(events: number, position: bigint, total: bigint): void {
    const seconds = this.seconds();
    this.tell(seconds > 0 ? events / seconds : 0, position, total);
  }

  tell(eventsPerSecond: number, position: bigint, total: bigint): void {
    const newest = total > position ? total : position;
    const secondsLeft = position > 0n ? (this.seconds() * Number(newest - position)) / Number(position) : null;
    this.onProgress({ step: this.step, eventsPerSecond, position, total: newest, secondsLeft });
  }

  private seconds(): number {
    return (performance.now() - this.started) / 1000;
  }
}
