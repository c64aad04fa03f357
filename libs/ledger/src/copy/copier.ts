import { ACCESS_STREAM, LEDGER_SEALED, type EventStore, type RestorableStore } from '@counterfoil/event-store';
import type { StoredEvent } from '@counterfoil/contracts';
import type { KnownHeads } from './known-heads.js';
import { restoreCall } from './restore-call.js';
import { Tally } from './tally.js';
import { Window, type Group } from './window.js';

/** So many streams are written at once: a file commits them together, a server takes them side by side. */
const AT_ONCE = 64;

export interface CopierParts {
  readonly source: Pick<EventStore, 'readStored'>;
  readonly target: RestorableStore;
  readonly known: KnownHeads;
  readonly signal: AbortSignal;
  /** Before anything is written for the first time. */
  readonly onWrite: () => Promise<void>;
  /** After each window that was written. */
  readonly onWritten: (copier: Copier) => void;
}

/** Copies what stands in the source, in order of position, and counts it. */
export class Copier {
  /** What was read of the source. */
  readonly tally = new Tally();
  /** Position of the last event of the source that was read. */
  position = 0n;
  /** Position up to which everything is in the target. */
  written = 0n;
  /** Events that the target didn't hold yet. */
  added = 0;
  private failed = false;

  constructor(private readonly parts: CopierParts) {}

  /**
   * Copies from where the last call ended up to a position. Returns early when the signal aborts: then what was read isn't all written,
   * and nothing more can be said about it.
   *
   * @throws UpcastError for an event of the source that is none; what `restore` throws
   */
  async upTo(until: bigint): Promise<void> {
    let window = new Window();
    let writing: Promise<void> = Promise.resolve();
    try {
      for await (const event of this.parts.source.readStored(this.position)) {
        if (event.position > until || this.parts.signal.aborted) break;
        this.take(event, window);
        if (!window.isFull) continue;
        await writing;
        writing = this.write(window, this.position);
        // Awaited later, while the next window is read.
        writing.catch(() => undefined);
        window = new Window();
      }
    } finally {
      // Nothing is on its way any more when the caller closes the stores.
      await Promise.allSettled([writing]);
    }
    await writing;
    if (!this.parts.signal.aborted) await this.write(window, this.position);
  }

  private take(event: StoredEvent, window: Window): void {
    this.position = event.position;
    // The end of the source is no part of the copy: that goes on.
    if (event.stream === ACCESS_STREAM && event.type === LEDGER_SEALED) return;
    const { stream, revision, type, metadata } = event;
    this.tally.add({ stream, revision, type, hash: metadata.integrity.hash });
    window.add(event);
  }

  private async write(window: Window, position: bigint): Promise<void> {
    const groups = window.groups()[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = groups.next(); next.done !== true && !this.failed; next = groups.next()) await this.writeGroup(next.value);
    };
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    const refused = results.find((result) => result.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
    this.written = position;
    if (!window.isEmpty) this.parts.onWritten(this);
  }

  private async writeGroup({ stream, calls }: Group): Promise<void> {
    try {
      for (const call of calls) {
        const missing = await this.parts.known.missing(stream, call);
        if (missing.length === 0) continue;
        await this.parts.onWrite();
        // Not `+= await`: that would add to what the sum was before other streams were written.
        const added = await restoreCall(this.parts.target, stream, missing);
        this.added += added;
      }
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
