import type { ChainLink } from './raw-event.js';

const HASH_BYTES = 32;
const FIRST_CAPACITY = 1024;
const HEX_HASH = /^[0-9a-f]{64}$/;

/**
 * The last link of every stream met so far: 40 bytes and a name each, since a ledger may hold a stream for every old record (design §4).
 * A hash that isn't one (someone wrote it there) is kept as zeros, which no link matches.
 */
export class ChainLinks {
  private readonly slots = new Map<string, number>();
  private hashes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  private revisions = new BigInt64Array(FIRST_CAPACITY);

  get size(): number {
    return this.slots.size;
  }

  /** The streams that were met, in order of first appearance. */
  names(): IterableIterator<string> {
    return this.slots.keys();
  }

  get(stream: string): ChainLink | null {
    const slot = this.slots.get(stream);
    return slot === undefined ? null : this.at(slot);
  }

  set(stream: string, link: ChainLink): void {
    let slot = this.slots.get(stream);
    if (slot === undefined) {
      slot = this.slots.size;
      this.slots.set(stream, slot);
      if (slot >= this.revisions.length) this.grow();
    }
    this.revisions[slot] = link.revision;
    this.hashes.fill(0, slot * HASH_BYTES, (slot + 1) * HASH_BYTES);
    if (HEX_HASH.test(link.hash)) this.hashes.write(link.hash, slot * HASH_BYTES, 'hex');
  }

  /** The streams whose newest hash this is: looks at all of them, so only for faults. */
  streamsAt(hash: string): string[] {
    if (!HEX_HASH.test(hash)) return [];
    const wanted = Buffer.from(hash, 'hex');
    const found: string[] = [];
    for (const [stream, slot] of this.slots) {
      if (wanted.equals(this.hashes.subarray(slot * HASH_BYTES, (slot + 1) * HASH_BYTES))) found.push(stream);
    }
    return found;
  }

  private at(slot: number): ChainLink {
    return {
      revision: this.revisions[slot] ?? 0n,
      hash: this.hashes.toString('hex', slot * HASH_BYTES, (slot + 1) * HASH_BYTES),
    };
  }

  private grow(): void {
    const hashes = Buffer.alloc(this.hashes.length * 2);
    this.hashes.copy(hashes);
    this.hashes = hashes;
    const revisions = new BigInt64Array(this.revisions.length * 2);
    revisions.set(this.revisions);
    this.revisions = revisions;
  }
}
