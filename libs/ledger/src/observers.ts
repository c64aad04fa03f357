/** Hears what this process decides and appends; for metrics. It is told words of ours only: no ids, no payloads. */
export interface LedgerObserver {
  /** Types of the events that one append added. */
  appended(types: readonly string[]): void;
  /** @param code `accepted` (events were added), `same` (nothing to add), or the code of the problem that it was refused with */
  decided(command: string, code: string): void;
}

/** All who listen to one ledger. What is decided stands, whatever an observer makes of it. */
export class Observers implements LedgerObserver {
  private readonly listeners = new Set<LedgerObserver>();

  /** @param onFault hears of what an observer throws */
  constructor(private readonly onFault: (error: unknown) => void = () => undefined) {}

  /** @returns ends it */
  add(observer: LedgerObserver): () => void {
    this.listeners.add(observer);
    return () => {
      this.listeners.delete(observer);
    };
  }

  appended(types: readonly string[]): void {
    this.tell((listener) => {
      listener.appended(types);
    });
  }

  decided(command: string, code: string): void {
    this.tell((listener) => {
      listener.decided(command, code);
    });
  }

  private tell(what: (listener: LedgerObserver) => void): void {
    for (const listener of this.listeners) {
      try {
        what(listener);
      } catch (error) {
        this.onFault(error);
      }
    }
  }
}
