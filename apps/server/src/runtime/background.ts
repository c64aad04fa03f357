import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@counterfoil/runtime';

/** Work that runs until the server stops: a failure is logged and the work begun again, never the end of the process (case 61). */
export class Background {
  private running: Promise<void> = Promise.resolve();

  /** @param pauseMs between two rounds, and after a failure */
  constructor(
    private readonly name: string,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
    private readonly pauseMs: number,
  ) {}

  start(round: () => Promise<unknown>): void {
    this.running = this.loop(round);
  }

  /** Resolves when the signal has aborted and the last round is over. */
  async stopped(): Promise<void> {
    await this.running;
  }

  private async loop(round: () => Promise<unknown>): Promise<void> {
    while (!this.isOver()) {
      try {
        await round();
      } catch (error) {
        if (!this.isOver()) this.logger.error('background work failed and begins again', { work: this.name, error });
      }
      await this.pause();
    }
  }

  /** Asked anew each time: the signal may abort while a round runs. */
  private isOver(): boolean {
    return this.signal.aborted;
  }

  private async pause(): Promise<void> {
    try {
      await sleep(this.pauseMs, undefined, { signal: this.signal });
    } catch (error) {
      if (!this.signal.aborted) throw error;
    }
  }
}
