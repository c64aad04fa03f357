/** Runs tasks of one name one after another, and tasks of different names beside each other. Keeps nothing of a name that is idle. */
export class Serial {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Number of names with work under way. */
  get busy(): number {
    return this.tails.size;
  }

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(name) ?? Promise.resolve();
    // A failed task is its caller's matter; the next one runs all the same.
    const mine = before.then(task, task);
    this.tails.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.tails.get(name) === mine) this.tails.delete(name);
    }
  }
}
