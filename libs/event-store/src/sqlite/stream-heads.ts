import type { StreamHead } from '../port.js';

const KEPT = 10_000;

/**
 * The heads of the streams that this process appended to last, so that an append needn't look for them. They hold as long as nobody
 * else appended: that is so if the newest position in the store is the one that this process stored.
 */
export class StreamHeads {
  private readonly heads = new Map<string, StreamHead>();
  private newest = 0n;

  /** At the begin of a transaction, under its lock: the newest position in the store. */
  begin(newest: bigint): void {
    if (newest !== this.newest) this.heads.clear();
    this.newest = newest;
  }

  get(stream: string): StreamHead | undefined {
    return this.heads.get(stream);
  }

  /** After an append of this process, within the transaction. */
  set(stream: string, head: StreamHead): void {
    this.heads.delete(stream);
    if (this.heads.size >= KEPT) this.forgetOldest();
    this.heads.set(stream, head);
    this.newest = head.position;
  }

  /** After a transaction that failed: what was set in it never came to be. */
  forget(): void {
    this.heads.clear();
    this.newest = 0n;
  }

  private forgetOldest(): void {
    for (const stream of this.heads.keys()) {
      this.heads.delete(stream);
      return;
    }
  }
}
