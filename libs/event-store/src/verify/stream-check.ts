import { ChainLinks } from './chain-links.js';
import { hashFits } from './event-content.js';
import type { ReadableRaw } from './event-content.js';
import type { Fault, FaultKind, FaultLog } from './faults.js';
import { originOf } from './origin.js';
import type { ChainLink } from './raw-event.js';

interface Gap {
  readonly from: bigint;
  readonly to: bigint;
  readonly fault: Fault;
  readonly arrived: Set<bigint>;
}

/** So many gaps are watched for late arrivals; a store with more is in ruins, and the count says so. */
const WATCHED_GAPS = 1000;

/** Checks events of any streams, in order of position, against the chain of their stream. */
export class StreamCheck {
  readonly links = new ChainLinks();
  private readonly gaps = new Map<string, Gap[]>();
  private readonly origins = new Map<string, string>();
  private watched = 0;

  constructor(private readonly faults: FaultLog) {}

  check(event: ReadableRaw): void {
    const last = this.links.get(event.stream);
    const next = (last?.revision ?? -1n) + 1n;
    const content = this.checkContent(event, last);
    // Where the content is wrong, so may the revision be: it counts only if it is the one that is due.
    if (content === 'intact' || (content === 'edited' && event.revision === next)) this.checkPlace(event, last);
    if (event.revision === next || (content === 'intact' && event.revision > next)) this.links.set(event.stream, event);
  }

  private checkContent(event: ReadableRaw, last: ChainLink | null): 'intact' | 'edited' | 'moved' {
    if (hashFits(event)) {
      if (!event.canonical) this.report('not_canonical', event, 'the stored text is not the canonical form of its content');
      return 'intact';
    }
    const known = this.origins.get(event.stream) ?? null;
    const origin = originOf(event, this.links, known);
    if (origin === null) {
      this.report('hash_mismatch', event, 'the hash does not fit what is stored: something of the event was changed');
      return 'edited';
    }
    // One fault for the stream, not one for each of its events.
    if (origin === known) return 'intact';
    if (event.revision === 0n && last === null) {
      this.origins.set(event.stream, origin);
      this.report('stream_renamed', event, `its events were written to the stream ${JSON.stringify(origin)}`);
      return 'intact';
    }
    this.report('event_moved', event, `it was written to the stream ${JSON.stringify(origin)}`);
    return 'moved';
  }

  private checkPlace(event: ReadableRaw, last: ChainLink | null): void {
    if (last === null) {
      if (event.revision !== 0n) {
        this.report('head_missing', event, 'the first event of the stream that is there is not its first');
      } else if (event.prev !== null) {
        this.report('head_missing', event, 'the first event of the stream names one before it');
      }
    } else if (event.revision === last.revision + 1n) {
      if (event.prev !== last.hash) this.report('prev_mismatch', event, 'it does not follow from the event before it in the stream');
    } else if (event.revision > last.revision) {
      this.reportGap(event, last.revision + 1n);
    } else {
      this.reportLate(event);
    }
  }

  private reportGap(event: ReadableRaw, from: bigint): void {
    const to = event.revision - 1n;
    const fault = this.report('revision_gap', event, `revisions ${String(from)} to ${String(to)} of the stream are missing before it`);
    if (this.watched >= WATCHED_GAPS) return;
    this.watched++;
    const gaps = this.gaps.get(event.stream);
    const gap: Gap = { from, to, fault, arrived: new Set() };
    if (gaps === undefined) this.gaps.set(event.stream, [gap]);
    else gaps.push(gap);
  }

  /** An event that a gap waited for came late: then nothing is missing, but the order was changed. */
  private reportLate(event: ReadableRaw): void {
    const { revision } = event;
    const gap = this.gaps.get(event.stream)?.find((one) => revision >= one.from && revision <= one.to && !one.arrived.has(revision));
    if (gap === undefined) {
      this.report('revision_repeated', event, 'the stream has an event at this revision already');
      return;
    }
    gap.arrived.add(revision);
    if (BigInt(gap.arrived.size) === gap.to - gap.from + 1n) this.faults.withdraw(gap.fault);
    this.report('revision_order', event, 'it stands after later events of its stream');
  }

  private report(kind: FaultKind, event: ReadableRaw, detail: string): Fault {
    const fault: Fault = { kind, stream: event.stream, revision: event.revision, position: event.position, detail };
    this.faults.add(fault);
    return fault;
  }
}
