import type { Feed } from './feed.js';

export type Verdict = 'silent' | 'complete' | 'stalled';

/** How long a subscription has, after it was seen to be behind, to bring what it lacks. */
const GRACE_MS = 1000;

/**
 * Looks after a subscription that is silent. Silence is no fault by itself, and neither is the distance to the end of `$all`: checkpoints
 * come only when others write, and nothing when nobody does (stack.md, EventStoreDB row 3). It stands still when an event of ours is
 * there that it doesn't bring.
 */
export class Watchdog {
  private lookedAt = Number.NEGATIVE_INFINITY;
  private missed: bigint | null = null;

  constructor(
    private readonly silenceMs: number,
    private readonly newest: () => Promise<bigint>,
  ) {}

  /** Milliseconds until the next look at this feed. */
  dueIn(feed: Feed): number {
    const now = performance.now();
    const patience = this.missed === null ? this.silenceMs : Math.min(GRACE_MS, this.silenceMs);
    return Math.max(feed.livedAt + this.silenceMs, this.lookedAt + patience) - now;
  }

  /** @param at position of the last event that the feed brought */
  async look(feed: Feed, at: bigint): Promise<Verdict> {
    if (this.dueIn(feed) > 0) return 'silent';
    if (this.missed !== null && at >= this.missed) this.missed = null;
    const newest = await this.newest().catch(() => null);
    this.lookedAt = performance.now();
    // The feed meets the same fault, and ends by itself.
    if (newest === null) return 'silent';
    if (newest <= at) {
      this.missed = null;
      return 'complete';
    }
    const isStalled = this.missed !== null;
    this.missed = isStalled ? null : newest;
    return isStalled ? 'stalled' : 'silent';
  }
}
