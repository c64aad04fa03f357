/**
 * What can be wrong, each told apart from the others:
 * - `hash_mismatch`: something of the event was edited (data, metadata, type, version, id), or its hash
 * - `prev_mismatch`: intact by itself, but its link names another hash than the event before has: one of the two was rewritten
 * - `head_missing`: the stream begins with something else than a first event
 * - `revision_gap`: events of the stream are gone
 * - `revision_order`: an event stands after later ones of its stream
 * - `revision_repeated`: a second event at a revision
 * - `position_gap`: positions of the store are without an event
 * - `tail_missing`: positions after the newest event were given out, and their events are gone
 * - `event_moved`: the event was written to another stream
 * - `stream_renamed`: the whole stream was written under another name
 * - `not_canonical`: the content is intact, but its text is not the form that was written
 * - `unparseable`: not JSON, or not the kind of value that belongs there
 */
export const FAULT_KINDS = [
  'hash_mismatch',
  'prev_mismatch',
  'head_missing',
  'revision_gap',
  'revision_order',
  'revision_repeated',
  'position_gap',
  'tail_missing',
  'event_moved',
  'stream_renamed',
  'not_canonical',
  'unparseable',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly stream: string | null;
  readonly revision: bigint | null;
  readonly position: bigint | null;
  /** Our own sentence; quotes no data. */
  readonly detail: string;
}

/** Counts every fault and remembers the first so many. */
export class FaultLog {
  private readonly kept = new Set<Fault>();
  private readonly counts = new Map<FaultKind, number>();

  constructor(private readonly limit: number) {}

  add(fault: Fault): void {
    this.count(fault.kind, 1);
    if (this.kept.size < this.limit) this.kept.add(fault);
  }

  /** For what turned out to be something else. */
  withdraw(fault: Fault): void {
    this.count(fault.kind, -1);
    this.kept.delete(fault);
  }

  get total(): number {
    let total = 0;
    for (const count of this.counts.values()) total += count;
    return total;
  }

  list(): readonly Fault[] {
    return [...this.kept];
  }

  byKind(): Readonly<Partial<Record<FaultKind, number>>> {
    return Object.fromEntries([...this.counts].filter(([, count]) => count > 0));
  }

  private count(kind: FaultKind, by: number): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + by);
  }
}
