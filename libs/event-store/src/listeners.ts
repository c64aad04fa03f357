/** Who wants to hear of commits. A listener that throws disturbs nobody: the append is stored, and its caller must not suffer for it. */
export class Listeners {
  private readonly listeners = new Set<(position: bigint) => void>();

  get size(): number {
    return this.listeners.size;
  }

  /** @returns ends it; a function that is registered twice is called twice, and each registration ends by itself */
  add(listener: (position: bigint) => void): () => void {
    const own = (position: bigint): void => {
      listener(position);
    };
    this.listeners.add(own);
    return () => {
      this.listeners.delete(own);
    };
  }

  tell(position: bigint): void {
    for (const listener of [...this.listeners]) this.call(listener, position);
  }

  clear(): void {
    this.listeners.clear();
  }

  private call(listener: (position: bigint) => void, position: bigint): void {
    try {
      listener(position);
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      process.emitWarning(`a listener of the event store threw ${name}`, 'EventStoreListenerWarning');
    }
  }
}
