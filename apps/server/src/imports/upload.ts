import type { IncomingMessage } from 'node:http';

export interface UploadOptions {
  /** How long nothing may come before the upload counts as given up. */
  readonly idleMs: number;
  /** Ends the upload from our side. */
  readonly signal: AbortSignal;
}

/** What may wake a reader that waits for more. */
const NEWS = ['readable', 'end', 'close', 'error'] as const;

/**
 * The body of a request as it comes: read no faster than it is taken, and never held as a whole. It ends before its end when the client
 * goes away, when it sends nothing for too long, or when our side stops it; `signal` then tells so.
 *
 * The request itself stays usable: Node's own iterator would take its connection with it, and the answer could not be sent.
 */
export class Upload implements AsyncIterable<Uint8Array> {
  /** Aborts when the upload ends before its end. */
  readonly signal: AbortSignal;
  private readonly over = new AbortController();

  constructor(
    private readonly request: IncomingMessage,
    private readonly options: UploadOptions,
  ) {
    this.signal = AbortSignal.any([this.over.signal, options.signal]);
    request.on('error', () => undefined);
    request.once('close', () => {
      if (!request.readableEnded) this.over.abort();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    while (!this.signal.aborted) {
      const chunk = this.request.read() as Uint8Array | null;
      if (chunk !== null) yield chunk;
      else if (this.request.readableEnded) return;
      else if (this.request.destroyed) this.over.abort();
      else await this.news();
    }
  }

  /** Resolves when there may be more to read, or when there will be none. Counted is only time in which we wait for the client. */
  private async news(): Promise<void> {
    const { request, signal } = this;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(idle);
        for (const event of NEWS) request.off(event, done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const idle = setTimeout(() => {
        this.over.abort();
      }, this.options.idleMs);
      for (const event of NEWS) request.once(event, done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted || request.readableEnded || request.destroyed) done();
    });
  }
}
