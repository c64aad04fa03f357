/** How much may be on its way at once. */
export interface FlightLimits {
  readonly tasks: number;
  /** Bytes that the waiting tasks hold in memory; one task alone may be over it. */
  readonly bytes: number;
}

/**
 * Runs so many tasks at once and no more, so that the store can commit them together and memory stays bounded. Tasks with the same key
 * run one after the other, in the order in which they came: of two records with one key the first is always the earlier line.
 */
export class InFlight {
  private readonly running = new Set<Promise<void>>();
  private readonly lastOfKey = new Map<string, Promise<void>>();
  private bytes = 0;
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly limits: FlightLimits) {}

  /**
   * Starts a task, and resolves when there is room for another.
   *
   * @throws what any task has thrown so far
   */
  async run(key: string, bytes: number, task: () => Promise<void>): Promise<void> {
    const run = this.guarded(this.lastOfKey.get(key) ?? Promise.resolve(), task);
    this.bytes += bytes;
    this.running.add(run);
    this.lastOfKey.set(key, run);
    void run.then(() => {
      this.bytes -= bytes;
      this.running.delete(run);
      if (this.lastOfKey.get(key) === run) this.lastOfKey.delete(key);
    });
    while (this.running.size >= this.limits.tasks || (this.bytes >= this.limits.bytes && this.running.size > 0))
      await Promise.race(this.running);
    this.throwFailure();
  }

  /** Waits for all tasks, those that fail too. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @throws the first error that a task has thrown */
  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  private async guarded(before: Promise<void>, task: () => Promise<void>): Promise<void> {
    await before;
    // After a failure nothing new is begun: what isn't known to be stored is not counted either.
    if (this.failure !== null) return;
    try {
      await task();
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
