/** Runs work in lanes: one after the other in a lane, side by side over the lanes. */
export class Lanes {
  private readonly ends = new Map<string, Promise<void>>();

  run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const result = (this.ends.get(lane) ?? Promise.resolve()).then(work);
    const end = result.then(
      () => undefined,
      () => undefined,
    );
    this.ends.set(lane, end);
    void end.then(() => {
      if (this.ends.get(lane) === end) this.ends.delete(lane);
    });
    return result;
  }

  /** When everything that runs or waits now has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.ends.values());
  }
}
