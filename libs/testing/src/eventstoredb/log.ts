/** A record of the log: an event as EventStoreDB keeps it. */
export interface LogRecord {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly created: Date;
}

export type ProposedRecord = Pick<LogRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type ExpectedVersion = 'any' | 'stream_exists' | 'no_stream' | bigint;

export type AppendOutcome =
  | { readonly kind: 'stored' | 'repeated'; readonly revision: bigint; readonly position: bigint }
  | { readonly kind: 'wrong_version'; readonly current: bigint | null }
  | { readonly kind: 'deleted' };

/** What a position means for a read that begins there. */
export type Place = { readonly kind: 'at'; readonly index: number } | { readonly kind: 'end' } | { readonly kind: 'invalid' };

const RECORD_OVERHEAD = 128;

/**
 * The transaction log, in memory: what `$all` shows. Positions are byte offsets, as in the real one: they have gaps, and one that is not
 * where a record begins is invalid. Cutting it gives positions out again, as a restored backup does.
 */
export class EventLog {
  private records: LogRecord[] = [];
  private readonly streams = new Map<string, LogRecord[]>();
  private readonly lastRevisions = new Map<string, bigint>();
  private readonly softDeleted = new Map<string, bigint>();
  private readonly tombstoned = new Set<string>();
  private readonly listeners = new Set<() => void>();

  constructor() {
    // A new server has records of its own before anybody writes.
    this.write('$settings', [{ id: systemId(1), type: '$settings', ...NO_CONTENT }]);
    this.write('$$$settings', [{ id: systemId(2), type: '$metadata', ...NO_CONTENT }]);
  }

  get length(): number {
    return this.records.length;
  }

  get lastPosition(): bigint {
    return this.records.at(-1)?.position ?? -1n;
  }

  at(index: number): LogRecord | undefined {
    return this.records[index];
  }

  /** Where a position stands: on a record, after the last one, or in the middle of one. */
  placeOf(position: bigint): Place {
    if (position > this.lastPosition) return { kind: 'end' };
    const index = this.firstFrom(position);
    return this.records[index]?.position === position ? { kind: 'at', index } : { kind: 'invalid' };
  }

  /** Index of the first record at or after a position. */
  firstFrom(position: bigint): number {
    let [low, high] = [0, this.records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.position ?? 0n) >= position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The events of a stream that a read shows; null: the stream is not found. */
  stream(name: string): readonly LogRecord[] | null {
    const records = this.streams.get(name);
    if (records === undefined) return null;
    const from = this.softDeleted.get(name) ?? -1n;
    const shown = from < 0n ? records : records.filter(({ revision }) => revision > from);
    return shown.length === 0 ? null : shown;
  }

  isTombstoned(name: string): boolean {
    return this.tombstoned.has(name);
  }

  /** By the rules of stack.md, EventStoreDB rows 1 and 5: a repeated append is told by event ids alone. */
  append(stream: string, expected: ExpectedVersion, events: readonly ProposedRecord[]): AppendOutcome {
    if (this.tombstoned.has(stream)) return { kind: 'deleted' };
    const current = this.lastRevisions.get(stream) ?? -1n;
    const wanted = expected === 'no_stream' ? -1n : expected === 'any' || expected === 'stream_exists' ? current : expected;
    const wrong: AppendOutcome = { kind: 'wrong_version', current: current < 0n ? null : current };
    if (expected === 'stream_exists' && current < 0n) return wrong;
    if (wanted === current) return this.stored(stream, events);
    if (wanted > current) return wrong;
    const repeated = this.repeated(stream, wanted, events);
    if (repeated !== null) return repeated;
    return expected === 'no_stream' && this.softDeleted.has(stream) ? this.stored(stream, events) : wrong;
  }

  /** Writes without any check, as another program's events or the server's own; at the revision that follows. */
  write(stream: string, events: readonly ProposedRecord[]): bigint {
    const outcome = this.stored(stream, events);
    return 'position' in outcome ? outcome.position : -1n;
  }

  /** The stream reads as not found until something is appended; its revisions go on, and `$all` shows it still. */
  softDelete(stream: string): void {
    this.softDeleted.set(stream, this.lastRevisions.get(stream) ?? -1n);
  }

  tombstone(stream: string): void {
    this.tombstoned.add(stream);
  }

  /** Removes the events of a deleted stream from the log, as a scavenge does. */
  scavenge(stream: string): void {
    const from = this.softDeleted.get(stream) ?? -1n;
    this.keep((record) => record.stream !== stream || record.revision > from);
  }

  /** A store restored from an older backup: everything from a position on is gone, and positions are given out again. */
  cutFrom(position: bigint): void {
    this.keep((record) => record.position < position);
    this.lastRevisions.clear();
    for (const { stream, revision } of this.records) this.lastRevisions.set(stream, revision);
  }

  /** Calls back after each write. */
  onWritten(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  private repeated(stream: string, expected: bigint, events: readonly ProposedRecord[]): AppendOutcome | null {
    const records = this.streams.get(stream) ?? [];
    const there = records.filter(({ revision }) => revision > expected && revision <= expected + BigInt(events.length));
    const last = there.at(-1);
    if (last === undefined || there.length !== events.length || there.some((record, n) => record.id !== events[n]?.id)) return null;
    return { kind: 'repeated', revision: last.revision, position: last.position };
  }

  private stored(stream: string, events: readonly ProposedRecord[]): AppendOutcome {
    const records = this.streams.get(stream) ?? [];
    this.streams.set(stream, records);
    let revision = this.lastRevisions.get(stream) ?? -1n;
    for (const event of events) {
      revision++;
      const record = { ...event, stream, revision, position: this.nextPosition(), created: new Date() };
      records.push(record);
      this.records.push(record);
    }
    this.lastRevisions.set(stream, revision);
    for (const listener of [...this.listeners]) listener();
    return { kind: 'stored', revision, position: this.lastPosition };
  }

  private nextPosition(): bigint {
    const last = this.records.at(-1);
    if (last === undefined) return 0n;
    return last.position + BigInt(RECORD_OVERHEAD + last.data.length + last.metadata.length);
  }

  private keep(wanted: (record: LogRecord) => boolean): void {
    this.records = this.records.filter(wanted);
    this.streams.clear();
    for (const record of this.records) {
      const records = this.streams.get(record.stream) ?? [];
      records.push(record);
      this.streams.set(record.stream, records);
    }
  }
}

const NO_CONTENT = { contentType: 'application/json', data: Buffer.from('{}'), metadata: new Uint8Array() };

const systemId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
