import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { TooManyParkedError, type Poison } from './errors.js';
import { parkedKey, parkedListKey, streamDigest, type SetName } from './names.js';

/** A stream that a generation doesn't project from a position on, since an event of it is poison. */
export interface ParkedStream {
  readonly stream: string;
  readonly position: bigint;
  readonly type: string;
  readonly reason: string;
}

/**
 * The parked streams of one generation. Each has a control document of its own; they are listed by a chain, the newest first, since the
 * store can't list control documents.
 */
export class ParkedStreams {
  private readonly byStream = new Map<string, ParkedStream>();
  private readonly digests = new Set<string>();
  private listRevision: bigint | null = null;

  private constructor(
    private readonly docs: DocumentStore,
    private readonly set: SetName,
    private readonly generation: number,
    private readonly most: number,
  ) {}

  /** @param most streams that may be parked in all */
  static async load(docs: DocumentStore, set: SetName, generation: number, most: number): Promise<ParkedStreams> {
    const parked = new ParkedStreams(docs, set, generation, most);
    await parked.refresh();
    return parked;
  }

  /** Reads what others have parked since. */
  async refresh(): Promise<void> {
    await this.reload();
  }

  /** Is this event one that the generation leaves out? Events before the poison one are projected as ever. */
  isParked(stream: string, position: bigint): boolean {
    const parked = this.byStream.get(stream);
    return parked !== undefined && position >= parked.position;
  }

  /** The position from which on a stream is left out; null for one that is projected. */
  since(stream: string): bigint | null {
    return this.byStream.get(stream)?.position ?? null;
  }

  get count(): number {
    return this.byStream.size;
  }

  /** In order of position, at most `limit`. */
  list(limit: number): readonly ParkedStream[] {
    return [...this.byStream.values()].sort((a, b) => (a.position < b.position ? -1 : 1)).slice(0, limit);
  }

  /**
   * Parks a stream for good in this generation.
   * @throws TooManyParkedError
   */
  async park(poison: Poison): Promise<void> {
    const { docs, set, generation } = this;
    const digest = streamDigest(poison.stream);
    const key = parkedKey(set, generation, digest);
    for (;;) {
      // The entry before the list: whoever overwrites an entry that another is about to put into the list then names the same successor.
      const entry = await docs.control(key);
      const list = await this.reload();
      if (this.byStream.has(poison.stream)) return;
      if (this.byStream.size >= this.most) throw new TooManyParkedError(this.byStream.size);
      const { stream, position, type, reason } = poison;
      const value = { stream, position: position.toString(), type, reason, next: list?.value.first ?? null };
      if (!(await docs.compareAndSet(key, entry?.revision ?? null, value))) continue;
      const count = this.byStream.size + 1;
      if (await docs.compareAndSet(parkedListKey(set, generation), list?.revision ?? null, { first: digest, count })) {
        this.add(digest, { stream, position, type, reason });
        this.listRevision = (list?.revision ?? 0n) + 1n;
        return;
      }
    }
  }

  private add(digest: string, parked: ParkedStream): void {
    this.digests.add(digest);
    this.byStream.set(parked.stream, parked);
  }

  /** Reads what was put before the part of the chain that is known; an entry that is in it doesn't change. */
  private async reload(): Promise<ControlDocument | null> {
    const list = await this.docs.control(parkedListKey(this.set, this.generation));
    if (list === null || list.revision === this.listRevision) return list;
    const read = new Map<string, ParkedStream>();
    for (let digest = list.value.first; typeof digest === 'string' && !this.digests.has(digest);) {
      const entry = await this.docs.control(parkedKey(this.set, this.generation, digest));
      if (entry === null) break;
      const { stream, position, type, reason, next } = entry.value;
      read.set(digest, { stream: String(stream), position: BigInt(position ?? 0), type: String(type), reason: String(reason) });
      digest = next ?? null;
    }
    // All at once: after a read that was cut short nothing may look known.
    for (const [digest, parked] of read) this.add(digest, parked);
    this.listRevision = list.revision;
    return list;
  }
}
