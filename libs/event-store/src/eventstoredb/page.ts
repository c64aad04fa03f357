import { NoAnswerError } from './failures.js';
import type { Recorded } from './wire-event.js';

/** What both kinds of read give: a stream of resolved events that can be cancelled. */
export interface PageSource {
  on(event: 'data', listener: (resolved: { readonly event?: unknown }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  cancel(): Promise<void>;
}

export interface PageLimits<T> {
  /** How long nothing may come. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  /** What is kept of a record: one of another program may have 16 MiB. */
  readonly keep: (record: Recorded) => T;
  /** Ends the page after this one. */
  readonly until?: (kept: T) => boolean;
}

/**
 * Reads until the stream ends or a record is the last one wanted, and ends the call, whatever happens: the client leaves it open when
 * only its own stream is destroyed.
 *
 * @throws the client's error, NoAnswerError, the signal's reason, or what `keep` and `until` throw
 */
export function takePage<T>(open: () => PageSource, limits: PageLimits<T>): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    if (limits.signal.aborted) {
      reject(reasonOf(limits.signal));
      return;
    }
    const page = new Page(open(), limits, (end) => {
      if (end.error === null) resolve(page.kept);
      else reject(end.error);
    });
  });
}

/** How a page ended; null: as it should. */
interface PageEnd {
  readonly error: Error | null;
}

class Page<T> {
  readonly kept: T[] = [];
  private readonly timer: NodeJS.Timeout;
  private done = false;

  constructor(
    private readonly source: PageSource,
    private readonly limits: PageLimits<T>,
    private readonly onEnd: (end: PageEnd) => void,
  ) {
    const { silenceMs, signal } = limits;
    this.timer = setTimeout(() => {
      this.finish(new NoAnswerError(silenceMs), false);
    }, silenceMs);
    signal.addEventListener('abort', this.onAbort, { once: true });
    // Stays for as long as the stream lives: it can fail again after the page was taken, and nobody else would hear.
    source.on('error', (error) => {
      this.finish(error, false);
    });
    source.on('end', () => {
      this.finish(null, true);
    });
    source.on('close', () => {
      this.finish(new Error('the read was closed'), true);
    });
    source.on('data', ({ event }) => {
      if (event !== undefined) this.take(event as Recorded);
    });
  }

  /** The client calls back where nothing may be thrown. */
  private take(record: Recorded): void {
    if (this.done) return;
    this.timer.refresh();
    try {
      const kept = this.limits.keep(record);
      this.kept.push(kept);
      if (this.limits.until?.(kept) === true) this.finish(null, false);
    } catch (error) {
      this.finish(error instanceof Error ? error : new Error('a record could not be read', { cause: error }), false);
    }
  }

  private finish(error: Error | null, ended: boolean): void {
    if (this.done) return;
    this.done = true;
    clearTimeout(this.timer);
    this.limits.signal.removeEventListener('abort', this.onAbort);
    if (!ended) this.source.cancel().catch(() => undefined);
    this.onEnd({ error });
  }

  private readonly onAbort = (): void => {
    this.finish(reasonOf(this.limits.signal), false);
  };
}

const reasonOf = (signal: AbortSignal): Error => (signal.reason instanceof Error ? signal.reason : new Error('the read was aborted'));
