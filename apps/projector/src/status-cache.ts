import type { ProjectionStatus } from '@counterfoil/projections';

/** A question more often than this is answered from the last answer. */
const FRESH_FOR_MS = 1000;

/** Keeps the last status for a moment, and reads it once for all that ask at the same time: whoever watches can't load the stores. */
export class StatusCache {
  private last: { readonly at: number; readonly status: ProjectionStatus | null } | null = null;
  private reading: Promise<ProjectionStatus | null> | null = null;

  /** @param clock milliseconds of a clock that never steps back */
  constructor(
    private readonly read: () => Promise<ProjectionStatus>,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Null when it could not be read; that too is kept for a moment. */
  async get(): Promise<ProjectionStatus | null> {
    if (this.last !== null && this.clock() - this.last.at < FRESH_FOR_MS) return this.last.status;
    this.reading ??= this.readNow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(): Promise<ProjectionStatus | null> {
    const status = await this.read().catch(() => null);
    this.last = { at: this.clock(), status };
    return status;
  }
}
