import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses between tries: doubling, with jitter, so that waiting processes don't come back together. */
export class Backoff {
  private pauseMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.pauseMs = firstMs;
  }

  /** How long the next pause is, in milliseconds; each is longer than the one before. */
  next(): number {
    const pauseMs = this.pauseMs * (0.5 + Math.random() / 2);
    this.pauseMs = Math.min(this.pauseMs * 2, this.longestMs);
    return pauseMs;
  }

  /** Pauses, or until the signal aborts: then it returns at once. */
  async pause(signal?: AbortSignal): Promise<void> {
    await sleep(this.next(), undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    });
  }

  /** After a success the next pause is the first again. */
  reset(): void {
    this.pauseMs = this.firstMs;
  }
}
