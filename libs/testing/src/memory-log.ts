import type { StoredEvent } from '@counterfoil/contracts';
import { ACCESS_STREAM, LEDGER_SEALED } from '@counterfoil/event-store';

/** What stores in memory hold: several may be opened over one, as several processes over one file. */
export class MemoryLog {
  readonly all: StoredEvent[] = [];
  readonly streams = new Map<string, StoredEvent[]>();
  readonly listeners = new Set<(position: bigint) => void>();

  constructor(
    readonly epoch: string,
    /** Distance to the next position, at least 1. */
    private readonly step: (last: bigint) => bigint,
  ) {}

  /** Position of the newest event, 0 for none. */
  get lastPosition(): bigint {
    return this.all.at(-1)?.position ?? 0n;
  }

  stream(name: string): readonly StoredEvent[] {
    return this.streams.get(name) ?? [];
  }

  /** @param make gives the event its content; its place is where it is put */
  add(name: string, make: (place: Pick<StoredEvent, 'stream' | 'revision' | 'position'>) => StoredEvent): StoredEvent {
    const stream = this.streams.get(name) ?? [];
    const last = this.lastPosition;
    const added = make({ stream: name, revision: BigInt(stream.length), position: last + this.step(last) });
    stream.push(added);
    this.streams.set(name, stream);
    this.all.push(added);
    return added;
  }

  /** Whether any stream holds an event of this id. */
  holds(id: string): boolean {
    return this.all.some((event) => event.id === id);
  }

  /** Whether the ledger has ended. */
  get isSealed(): boolean {
    return this.stream(ACCESS_STREAM).at(-1)?.type === LEDGER_SEALED;
  }

  /** A listener that throws disturbs nobody. */
  tell(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(this.lastPosition);
      } catch {
        continue;
      }
    }
  }

  /** Index of the first event after a position, by halving: a long store must not be walked for each batch. */
  firstAfter(position: bigint): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.position ?? 0n) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
