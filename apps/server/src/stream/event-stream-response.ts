import type { ServerResponse } from 'node:http';

/** A client that takes nothing for so long is let go: it resumes where it was, and others get its place. */
const STUCK_MS = 120_000;

/** The open answer of one stream. Writes wait until the client has taken what was written before, so that nothing piles up here. */
export class EventStreamResponse {
  private readonly over = new AbortController();

  constructor(private readonly raw: ServerResponse) {
    raw.once('close', () => this.over.abort());
    // A write to a client that just left; `close` follows.
    raw.on('error', () => this.over.abort());
    // It may have left while its request was looked at.
    if (raw.closed || raw.destroyed) this.over.abort();
  }

  /** Aborts when the client has gone. */
  get gone(): AbortSignal {
    return this.over.signal;
  }

  open(headers: Readonly<Record<string, string>>): void {
    this.raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Nothing follows a stream on its connection.
      connection: 'close',
      // Proxies that collect answers would hold events back.
      'x-accel-buffering': 'no',
    });
  }

  /** Resolves when more may be written, or when the signal aborts. */
  async write(text: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.raw.write(text)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(stuck);
        this.raw.off('drain', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stuck = setTimeout(() => this.raw.destroy(), STUCK_MS);
      this.raw.once('drain', done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Ends the answer; a client that doesn't take what is left isn't waited for. */
  end(): void {
    if (this.raw.writableNeedDrain) this.raw.destroy();
    else this.raw.end();
  }
}
