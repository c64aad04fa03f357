import type { WholeLine } from '../../lines/split-lines.js';

const LF = 0x0a;
/** Lines that are held at once: each costs memory beside its bytes. */
const MOST_LINES = 1_000_000;

/** Lines of a document that is not complete yet, kept together until it is known what they are. */
export class HeldLines {
  size = 0;
  private bytes = Buffer.alloc(0);
  private readonly starts: number[] = [];
  private readonly offsets: number[] = [];
  private firstNumber = 0;

  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.size > this.limit || this.starts.length > MOST_LINES;
  }

  /** Adds a line, from a column on. A line follows the one before it. */
  add(line: WholeLine, from = 0): void {
    if (this.starts.length === 0) this.firstNumber = line.number;
    else this.append(Buffer.of(LF));
    this.starts.push(this.size);
    this.offsets.push(line.byteOffset + from);
    this.append(line.bytes.subarray(from));
  }

  clear(): void {
    this.size = 0;
    this.starts.length = 0;
    this.offsets.length = 0;
  }

  /** What is held from a place on, lines parted by LF. Valid until the next change. */
  from(at: number): Buffer {
    return this.bytes.subarray(at, this.size);
  }

  /** The lines again, each on its own. */
  *lines(): Generator<WholeLine> {
    for (const [index, start] of this.starts.entries()) {
      const next = this.starts[index + 1];
      const bytes = this.bytes.subarray(start, next === undefined ? this.size : next - 1);
      yield { kind: 'whole', number: this.firstNumber + index, byteOffset: this.offsets[index] ?? 0, bytes };
    }
  }

  private append(bytes: Buffer): void {
    if (this.size + bytes.length > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(4096, 2 * (this.size + bytes.length)));
      this.bytes.copy(grown, 0, 0, this.size);
      this.bytes = grown;
    }
    bytes.copy(this.bytes, this.size);
    this.size += bytes.length;
  }
}
