import type { ChainLink } from '../verify/raw-event.js';
import { linkOf } from './wire-event.js';
import type { WireEvent } from './wire-event.js';

const KEPT = 10_000;

/**
 * The newest link known of the streams that were appended to or read last. What was written at a revision never changes, so that a link is good
 * for an append that expects just this revision, whatever came after it; only a store that was restored makes it false.
 */
export class StreamHeads {
  private readonly links = new Map<string, ChainLink>();

  /** The hash of the event at a revision of a stream, if it is known. */
  hashAt(stream: string, revision: bigint): string | null {
    const link = this.links.get(stream);
    return link?.revision === revision ? link.hash : null;
  }

  set(stream: string, link: ChainLink): void {
    const known = this.links.get(stream);
    if (known !== undefined && known.revision > link.revision) return;
    this.links.delete(stream);
    this.links.set(stream, link);
    if (this.links.size > KEPT) this.forgetOldest();
  }

  /** What was just read of a stream, from the leader: who goes on from there needn't ask for its hash once more. */
  learn(event: WireEvent | undefined): void {
    const link = event === undefined ? null : linkOf(event);
    if (event !== undefined && link !== null) this.set(event.stream, link);
  }

  clear(): void {
    this.links.clear();
  }

  private forgetOldest(): void {
    for (const stream of this.links.keys()) {
      this.links.delete(stream);
      return;
    }
  }
}
