const BLOCK_RECORDS = 256;
const FIRST_RECORDS = 16;

/**
 * Records of one fixed size, side by side in blocks. The first block begins small and doubles, so that a short session costs little;
 * whole blocks are added after it, so that a long one is never copied.
 */
export class RecordBlocks {
  private readonly blocks: ArrayBuffer[] = [];
  private count = 0;

  constructor(private readonly recordBytes: number) {}

  get length(): number {
    return this.count;
  }

  get byteLength(): number {
    return this.blocks.reduce((sum, block) => sum + block.byteLength, 0);
  }

  /** Adds a record of zeros and gives its number. */
  add(): number {
    const at = this.count % BLOCK_RECORDS;
    const last = this.blocks.at(-1);
    if (at === 0 || last === undefined) {
      this.blocks.push(new ArrayBuffer((this.count === 0 ? FIRST_RECORDS : BLOCK_RECORDS) * this.recordBytes));
    } else if (at * this.recordBytes === last.byteLength) {
      const larger = new ArrayBuffer(last.byteLength * 2);
      new Uint8Array(larger).set(new Uint8Array(last));
      this.blocks[this.blocks.length - 1] = larger;
    }
    return this.count++;
  }

  /** Part of a record, to read or to write now: a view that is kept would not follow when the first block grows. */
  bytesAt(record: number, place: number, length: number): Uint8Array {
    return new Uint8Array(this.block(record), (record % BLOCK_RECORDS) * this.recordBytes + place, length);
  }

  /** A record, to read or to write now. */
  viewOf(record: number): DataView {
    return new DataView(this.block(record), (record % BLOCK_RECORDS) * this.recordBytes, this.recordBytes);
  }

  private block(record: number): ArrayBuffer {
    const block = this.blocks[Math.floor(record / BLOCK_RECORDS)];
    if (block === undefined) throw new RangeError('no such record');
    return block;
  }
}
