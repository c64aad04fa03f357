const EMPTY = 0xffffffff;

/**
 * Finds record numbers by a digest that the records themselves hold: an open-addressing table of integers, 8 to 16 bytes per record.
 * `sameAsRecord` compares a wanted digest with that of a record; `digestOf` reads it, for growing.
 */
export class RecordIndex {
  private slots = new Uint32Array(64).fill(EMPTY);
  private used = 0;

  constructor(
    private readonly sameAsRecord: (digest: Uint8Array, record: number) => boolean,
    private readonly digestOf: (record: number) => Uint8Array,
  ) {}

  get byteLength(): number {
    return this.slots.byteLength;
  }

  /** The record that was added under this digest, or null. */
  find(digest: Uint8Array): number | null {
    const record = this.slots[this.slotFor(digest)] ?? EMPTY;
    return record === EMPTY ? null : record;
  }

  /** Adds a record unless one with this digest is there. */
  add(digest: Uint8Array, record: number): void {
    const slot = this.slotFor(digest);
    if (this.slots[slot] !== EMPTY) return;
    this.slots[slot] = record;
    this.used++;
    if (this.used * 2 > this.slots.length) this.grow();
  }

  private slotFor(digest: Uint8Array): number {
    const mask = this.slots.length - 1;
    for (let slot = hash(digest) & mask; ; slot = (slot + 1) & mask) {
      const record = this.slots[slot] ?? EMPTY;
      if (record === EMPTY || this.sameAsRecord(digest, record)) return slot;
    }
  }

  private grow(): void {
    const records = this.slots.filter((record) => record !== EMPTY);
    this.slots = new Uint32Array(this.slots.length * 2).fill(EMPTY);
    for (const record of records) this.slots[this.slotFor(this.digestOf(record))] = record;
  }
}

/**
 * What is looked up are digests already, so that any of their bits would do; all of them are taken, since two digests may stand side by
 * side of which one is the same in many records (one operation in every turn), and a digest may have been cut.
 */
function hash(bytes: Uint8Array): number {
  let mixed = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    // FNV-1a, over words instead of bytes; the shift brings the high bits down to where the mask looks.
    mixed = Math.imul(mixed ^ word, 0x01000193);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> 0;
}
