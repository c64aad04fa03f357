import { dropRetired } from './generations.js';
import type { Settings } from './settings.js';

/** How often old generations are looked for. */
const SWEEP_MS = 5000;

/** Drops old generations every so often: beside the beat, since to drop a large one takes longer than a lease. */
export class GenerationSweep {
  /** Infinite while a sweep runs, and at the end. */
  private sweptAt = Number.NEGATIVE_INFINITY;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(private readonly settings: Settings) {}

  /** Begins one if it is time. */
  beginIfTime(signal: AbortSignal): void {
    const { docs, set, graceMs, now, clock } = this.settings;
    if (clock() - this.sweptAt < Math.min(SWEEP_MS, graceMs)) return;
    this.sweptAt = Number.POSITIVE_INFINITY;
    this.sweeping = dropRetired(docs, set, graceMs, now(), signal)
      // What could not be dropped now is found again.
      .catch(() => undefined)
      .then(() => {
        this.sweptAt = clock();
      });
  }

  /** Waits for one that runs, and begins no other. */
  async end(): Promise<void> {
    this.sweptAt = Number.POSITIVE_INFINITY;
    await this.sweeping;
  }
}
