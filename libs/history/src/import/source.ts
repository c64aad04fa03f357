import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { untilAborted } from './until-aborted.js';

/** The path of a file, or its bytes in any chunks. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

/** The input is at fault, not the store. */
export class InputError extends Error {
  constructor(
    readonly code: 'read_failed' | 'not_lines',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'InputError';
  }
}

const CHUNK_BYTES = 256 * 1024;

const CONTAINERS: readonly (readonly [string, Buffer])[] = [
  ['compressed by gzip', Buffer.from([0x1f, 0x8b])],
  ['compressed by zip', Buffer.from('PK\u0003\u0004', 'latin1')],
  ['compressed by zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['an SQLite database', Buffer.from('SQLite format 3\0', 'latin1')],
  ['UTF-16', Buffer.from([0xff, 0xfe])],
  ['UTF-16', Buffer.from([0xfe, 0xff])],
];

/** What an input is if it is no text of lines, told by its first bytes; null for one that may be. */
function containerOf(start: Buffer): string | null {
  return CONTAINERS.find(([, magic]) => start.subarray(0, magic.length).equals(magic))?.[0] ?? null;
}

/** The bytes of an import: counted, stopped by a signal, and told apart from what isn't lines. */
export class Input {
  /** Bytes handed on so far. */
  bytes = 0;
  /** True once the input has been read to its end, and not merely up to a stop. */
  ended = false;

  private constructor(
    private readonly source: AsyncIterable<Uint8Array>,
    /** Null for a stream, whose size nobody knows. */
    readonly totalBytes: number | null,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @throws InputError if there is no such file */
  static async open(source: ImportSource, signal: AbortSignal | undefined): Promise<Input> {
    if (typeof source !== 'string') return new Input(source, null, signal);
    try {
      const { size } = await stat(source);
      return new Input(createReadStream(source, { highWaterMark: CHUNK_BYTES }), size, signal);
    } catch (error) {
      throw new InputError('read_failed', 'The file cannot be opened.', { cause: error });
    }
  }

  /** @throws InputError if reading fails on the way, or the bytes are no lines */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of untilAborted(this.source, this.signal)) {
        if (this.bytes === 0) this.refuseContainers(chunk);
        this.bytes += chunk.byteLength;
        yield chunk;
      }
      this.ended = this.signal?.aborted !== true;
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError('read_failed', `The input could not be read beyond byte ${this.bytes}.`, { cause: error });
    }
  }

  private refuseContainers(chunk: Uint8Array): void {
    const container = containerOf(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (container !== null) throw new InputError('not_lines', `The input is ${container}, not lines of UTF-8 text.`);
  }
}
