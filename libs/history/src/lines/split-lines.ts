import { createHash, type Hash } from 'node:crypto';

const LF = 0x0a;
const CR = 0x0d;

/** A line that fits the limit. `byteOffset` is where its first byte stands in the input, a byte-order mark included. */
export interface WholeLine {
  readonly kind: 'whole';
  /** 1-based. */
  readonly number: number;
  readonly byteOffset: number;
  /** Without the line end (LF or CRLF). */
  readonly bytes: Buffer;
}

/** A line over the limit: what identifies it, and its beginning. The rest was never held. */
export interface OverlongLine {
  readonly kind: 'overlong';
  readonly number: number;
  readonly byteOffset: number;
  /** Bytes of the whole line, without the LF. */
  readonly length: number;
  /** SHA-256 of those bytes, lower-case hex. Unkeyed: never to be stored as it is (promise 4). */
  readonly sha256: string;
  readonly head: Buffer;
}

export type Line = WholeLine | OverlongLine;

export interface SplitOptions {
  /** Bytes that a line may have; longer ones become an OverlongLine. */
  readonly limit: number;
  /** Bytes that are kept of an overlong line. */
  readonly headBytes: number;
}

/** The line that is being read: its parts while it fits, then only a running digest. */
class OpenLine {
  length = 0;
  private parts: Buffer[] = [];
  private head: Buffer | null = null;
  private digest: Hash | null = null;

  constructor(
    private readonly number: number,
    private readonly byteOffset: number,
    private readonly options: SplitOptions,
  ) {}

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.digest !== null) {
      this.digest.update(bytes);
      return;
    }
    this.parts.push(bytes);
    if (this.length > this.options.limit) this.overflow();
  }

  private overflow(): void {
    const all = Buffer.concat(this.parts);
    this.digest = createHash('sha256').update(all);
    // A copy, so that the memory of the whole is let go.
    this.head = Buffer.from(all.subarray(0, this.options.headBytes));
    this.parts = [];
  }

  close(): Line {
    const { number, byteOffset, length } = this;
    if (this.digest !== null && this.head !== null) {
      return { kind: 'overlong', number, byteOffset, length, sha256: this.digest.digest('hex'), head: this.head };
    }
    const [only] = this.parts;
    const bytes = this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts);
    return { kind: 'whole', number, byteOffset, bytes: bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes };
  }
}

/**
 * Splits a stream of bytes into lines at LF, with no string in between: so that offsets are those of the input, and a character
 * cut over two chunks is whole again. Takes LF and CRLF, and a last line with no line end. Time is linear; memory is one chunk
 * and one line up to the limit, whatever the input.
 */
export async function* splitLines(source: AsyncIterable<Uint8Array>, options: SplitOptions): AsyncGenerator<Line> {
  let offset = 0;
  let number = 1;
  let open = new OpenLine(number, offset, options);
  for await (const part of source) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      open.add(chunk.subarray(from, at));
      yield open.close();
      from = at + 1;
      open = new OpenLine(++number, offset + from, options);
    }
    open.add(chunk.subarray(from));
    offset += chunk.length;
  }
  if (open.length > 0) yield open.close();
}
