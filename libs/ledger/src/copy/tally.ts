import { ChainLinks } from '@counterfoil/event-store';

const HEX_HASH = /^[0-9a-f]{64}$/;
const MODULUS = 2n ** 256n;

/** What of an event counts. */
export interface Counted {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly hash: string;
}

/** How a stream of two ledgers differs. */
export interface StreamDifference {
  readonly stream: string;
  /** Null: it isn't there. */
  readonly sourceRevision: bigint | null;
  readonly targetRevision: bigint | null;
}

/** Sums up the events of a ledger, whatever the order of its streams: two are the same if their sums are. */
export class Tally {
  events = 0;
  readonly byType = new Map<string, number>();
  private readonly heads = new ChainLinks();
  private sum = 0n;

  /** Events of one stream come in order of revision. */
  add({ stream, revision, type, hash }: Counted): void {
    this.events++;
    this.byType.set(type, (this.byType.get(type) ?? 0) + 1);
    this.heads.set(stream, { revision, hash });
    // A hash is over stream and revision too. A sum, since an event that is there twice must not cancel itself out.
    this.sum = (this.sum + (HEX_HASH.test(hash) ? BigInt(`0x${hash}`) : 1n)) % MODULUS;
  }

  get streams(): number {
    return this.heads.size;
  }

  /** The sum of all hashes, in hex. */
  get totalHash(): string {
    return this.sum.toString(16).padStart(64, '0');
  }

  equals(other: Tally): boolean {
    return (
      this.events === other.events &&
      this.sum === other.sum &&
      sameCounts(this.byType, other.byType) &&
      this.differences(other, 1).length === 0
    );
  }

  /** The streams whose heads differ; this one is the source. */
  differences(target: Tally, limit: number): readonly StreamDifference[] {
    const found: StreamDifference[] = [];
    for (const stream of new Set([...this.heads.names(), ...target.heads.names()])) {
      const [mine, theirs] = [this.heads.get(stream), target.heads.get(stream)];
      if (mine?.revision === theirs?.revision && mine?.hash === theirs?.hash) continue;
      found.push({ stream, sourceRevision: mine?.revision ?? null, targetRevision: theirs?.revision ?? null });
      if (found.length >= limit) break;
    }
    return found;
  }
}

function sameCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([type, count]) => b.get(type) === count);
}
