import { ACCESS_STREAM, LEDGER_SEALED } from '../seal.js';
import type { StreamReader } from './stream-reader.js';

/**
 * Whether the ledger has ended. A server of this kind can't refuse an append to one stream for what stands in another, so the end of
 * `access` is read from the leader before an append, at most so often; whoever seals a ledger waits longer than that before the last
 * look at what was stored.
 */
export class SealWatch {
  private sealed = false;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;

  constructor(
    private readonly streams: StreamReader,
    private readonly freshForMs: number,
  ) {}

  /**
   * @param stream to which something is to be appended. For `access` there is a look each time: an event behind the ledger's last one
   *   would open the ledger again
   * @throws StoreUnavailableError
   */
  async isSealed(stream: string): Promise<boolean> {
    if (this.sealed) return true;
    if (stream === ACCESS_STREAM) await this.look();
    else if (performance.now() - this.lookedAt >= this.freshForMs) await this.sharedLook();
    return this.sealed;
  }

  /** This process has sealed the ledger. */
  seal(): void {
    this.sealed = true;
  }

  /** The store behind the connection may be another one. */
  forget(): void {
    this.sealed = false;
    this.lookedAt = Number.NEGATIVE_INFINITY;
  }

  private sharedLook(): Promise<void> {
    this.looking ??= this.look().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private async look(): Promise<void> {
    const startedAt = performance.now();
    const last = await this.streams.last(ACCESS_STREAM);
    this.sealed = last?.type === LEDGER_SEALED;
    this.lookedAt = startedAt;
  }
}
