/**
 * A read that many ask for: one at a time is made for all of them. Who asks while one is under way gets the next one, so that no answer is
 * older than its question.
 */
export class SharedRead {
  private current: Promise<void> | null = null;
  private next: Promise<void> | null = null;

  constructor(private readonly read: () => Promise<void>) {}

  now(): Promise<void> {
    if (this.current === null) return this.begin();
    this.next ??= this.current
      .catch(() => undefined)
      .then(() => {
        this.next = null;
        return this.begin();
      });
    return this.next;
  }

  private begin(): Promise<void> {
    this.current = this.read().finally(() => {
      this.current = null;
    });
    return this.current;
  }
}
