/** Wakes those who wait for a session to change, by stream name. */
export class SessionChanges {
  private readonly waiting = new Map<string, Set<() => void>>();

  tell(stream: string): void {
    for (const wake of this.waiting.get(stream) ?? []) wake();
  }

  /** Resolves at the next `tell`, after `ms` milliseconds, or when the signal aborts: whichever comes first. */
  async wait(stream: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiting.get(stream) ?? new Set();
      this.waiting.set(stream, waiters);
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0 && this.waiting.get(stream) === waiters) this.waiting.delete(stream);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      waiters.add(wake);
    });
  }
}
