/**
 * Somebody who wants to hear of changes. What happens between two waits is remembered: begin to watch, read, then wait, and no change is
 * missed in between.
 */
export class Watch {
  private changed = false;
  private wake: (() => void) | null = null;

  /** @param onEnd leaves the list of those who are told */
  constructor(private readonly onEnd: () => void) {}

  tell(): void {
    this.changed = true;
    this.wake?.();
  }

  /** Resolves when something changed since the last wait ended, after `ms` milliseconds, or when the signal aborts. One wait at a time. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.changed && !signal.aborted) await this.wait(ms, signal);
    this.changed = false;
  }

  end(): void {
    this.onEnd();
    this.wake?.();
  }

  private wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      this.wake = wake;
    });
  }
}
