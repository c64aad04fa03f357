import { StreamIntegrityError } from '../errors.js';
import type { StreamHead } from '../port.js';
import type { Calls, StreamPage } from './calls.js';
import { failureOf } from './failures.js';
import { LAST } from './positions.js';
import type { Retrying } from './retrying.js';
import { linkOf } from './wire-event.js';
import type { WireEvent } from './wire-event.js';

/** A page ends at so many events, or when it gets heavier than this: an event may have 256 KiB. */
const PAGE_EVENTS = 256;
const PAGE_WEIGHT = 1024 * 1024;

export interface StreamRange {
  readonly from?: bigint;
  readonly direction: 'forwards' | 'backwards';
  readonly limit: number;
}

/** Reads streams of ours, from the leader: a node that was just demoted would answer with old news (stack.md, EventStoreDB row 7). */
export class StreamReader {
  constructor(
    private readonly calls: Calls,
    private readonly retrying: Retrying,
  ) {}

  /**
   * Events of a stream, in pages. A stream that isn't found has none.
   *
   * @throws StreamIntegrityError when revisions are missing in the middle or at the begin, or the stream was tombstoned
   */
  async *pages(stream: string, range: StreamRange): AsyncGenerator<readonly WireEvent[], void, undefined> {
    const forwards = range.direction === 'forwards';
    let next = await this.startOf(stream, range);
    let left = range.limit;
    while (left > 0 && next !== null) {
      const count = Math.min(left, PAGE_EVENTS);
      const page: readonly WireEvent[] = await this.page(stream, { from: next, direction: range.direction, count });
      const last = page.at(-1);
      if (last === undefined) return;
      checkRevisions(stream, page, next, forwards);
      yield page;
      left -= page.length;
      next = forwards ? last.revision + 1n : last.revision > 0n ? last.revision - 1n : null;
    }
  }

  /** The event at a revision; null when there is none. */
  async eventAt(stream: string, revision: bigint): Promise<WireEvent | null> {
    const [event] = await this.page(stream, { from: revision, direction: 'forwards', count: 1 });
    return event?.revision === revision ? event : null;
  }

  /** Events from a revision on, at most `count`, in one piece however heavy. */
  async eventsFrom(stream: string, revision: bigint, count: number): Promise<readonly WireEvent[]> {
    const events: WireEvent[] = [];
    for await (const page of this.pages(stream, { from: revision, direction: 'forwards', limit: count })) events.push(...page);
    return events;
  }

  /** The last event as it stands; null for a stream that isn't found. */
  async last(stream: string): Promise<WireEvent | null> {
    const [event] = await this.page(stream, { from: 'end', direction: 'backwards', count: 1 });
    return event ?? null;
  }

  /** @throws StreamIntegrityError when the last event has no hash, so that nothing could follow it */
  async head(stream: string): Promise<StreamHead | null> {
    const event = await this.last(stream);
    if (event === null) return null;
    const link = linkOf(event);
    if (link === null) throw new StreamIntegrityError(stream, `revision ${String(event.revision)} is not an event of ours`);
    return { revision: event.revision, position: event.position, hash: link.hash };
  }

  /** From where a read begins; null when nothing can be there. Backwards from beyond the end a server would search for long. */
  private async startOf(stream: string, { from, direction, limit }: StreamRange): Promise<bigint | 'start' | 'end' | null> {
    if (limit <= 0) return null;
    if (direction === 'forwards') return from === undefined ? 'start' : from > LAST ? null : from;
    if (from === undefined) return 'end';
    const head = await this.head(stream);
    return head === null ? null : from >= head.revision ? 'end' : from;
  }

  private page(stream: string, page: Omit<StreamPage, 'until'>): Promise<readonly WireEvent[]> {
    return this.retrying.read(async (signal) => {
      try {
        return await this.calls.streamPage(stream, { ...page, until: untilHeavy() }, signal);
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'not_found') return [];
        if (failure === 'deleted') throw new StreamIntegrityError(stream, 'it was deleted for good');
        throw error;
      }
    });
  }
}

function untilHeavy(): (event: WireEvent) => boolean {
  let sum = 0;
  return ({ weight }) => {
    sum += weight;
    return sum >= PAGE_WEIGHT;
  };
}

function checkRevisions(stream: string, page: readonly WireEvent[], from: bigint | 'start' | 'end', forwards: boolean): void {
  let due = from === 'start' ? 0n : from === 'end' ? (page[0]?.revision ?? 0n) : from;
  for (const { revision } of page) {
    if (revision !== due) {
      throw new StreamIntegrityError(stream, `revision ${String(revision)} was read where ${String(due)} is due: events are missing`);
    }
    due += forwards ? 1n : -1n;
  }
}
