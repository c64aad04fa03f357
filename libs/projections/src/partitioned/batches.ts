import type { EventBatch } from '@counterfoil/event-store';
import { pause } from '../timing.js';

/** What a subscription gives: a batch, that none came in time, or its end. */
export type Next = EventBatch | 'nothing_yet' | 'ended';

/** A subscription that can also be waited for a while only, since between two batches its reader may have other things to do. */
export class Batches {
  private readonly iterator: AsyncIterator<EventBatch>;
  private pending: Promise<Next> | null = null;

  constructor(subscription: AsyncIterable<EventBatch>) {
    this.iterator = subscription[Symbol.asyncIterator]();
  }

  /**
   * @param ms null to wait for however long it takes
   * @throws what the subscription throws
   */
  async next(ms: number | null): Promise<Next> {
    this.pending ??= this.iterator.next().then((result) => (result.done === true ? 'ended' : result.value));
    const next = ms === null ? await this.pending : await this.within(this.pending, ms);
    if (next !== 'nothing_yet') this.pending = null;
    return next;
  }

  /** Closes it; its signal must have been aborted before, so that what is waited for comes to its end. */
  async end(): Promise<void> {
    await this.pending?.catch(() => undefined);
    await this.iterator.return?.();
  }

  private async within(pending: Promise<Next>, ms: number): Promise<Next> {
    const enough = new AbortController();
    try {
      return await Promise.race([pending, pause(ms, enough.signal).then(() => 'nothing_yet' as const)]);
    } finally {
      enough.abort();
    }
  }
}
