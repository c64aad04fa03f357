import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InputError } from './input-error.js';
import { untilAborted } from './until-aborted.js';

/** The path of a file, or its bytes in any chunks. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

const CHUNK_BYTES = 256 * 1024;

/** The bytes of an input as they come: counted, and stopped by a signal. */
export class ByteSource {
  /** Bytes handed on so far. */
  bytes = 0;
  /** True once the input has been read to its end, and not merely up to a stop. */
  ended = false;

  private constructor(
    private readonly source: AsyncIterable<Uint8Array>,
    /** Null for a stream, whose size nobody knows. */
    readonly totalBytes: number | null,
    /** The path of a regular file, which may be opened once more; null for anything else. */
    readonly file: string | null,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @throws InputError if there is no such file */
  static async open(source: ImportSource, signal: AbortSignal | undefined): Promise<ByteSource> {
    if (typeof source !== 'string') return new ByteSource(source, null, null, signal);
    try {
      const found = await stat(source);
      const isFile = found.isFile();
      return new ByteSource(fileChunks(source), isFile ? found.size : null, isFile ? resolve(source) : null, signal);
    } catch (error) {
      throw new InputError('read_failed', 'The file cannot be opened.', { cause: error });
    }
  }

  /** @throws InputError if reading fails on the way */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of untilAborted(this.source, this.signal)) {
        this.bytes += chunk.byteLength;
        yield chunk;
      }
      this.ended = this.signal?.aborted !== true;
    } catch (error) {
      throw new InputError('read_failed', `The input could not be read beyond byte ${this.bytes}.`, { cause: error });
    }
  }
}

/** The first bytes of a source (fewer only where it has no more), and the source as if they had not been read. */
export interface Peeked {
  readonly start: Buffer;
  /** To be read once. */
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** Lets go of the source, also where `chunks` was never begun. */
  close(): Promise<void>;
}

/** Looks at the first bytes. Chunks may be of any size, also empty. @throws what the source throws */
export async function peek(source: AsyncGenerator<Uint8Array>, size: number): Promise<Peeked> {
  const seen: Buffer[] = [];
  let bytes = 0;
  while (bytes < size) {
    const next = await source.next();
    if (next.done === true) break;
    const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    seen.push(chunk);
    bytes += chunk.length;
  }
  const close = async (): Promise<void> => {
    await source.return(undefined);
  };
  return { start: Buffer.concat(seen).subarray(0, size), chunks: replayed(seen, source), close };
}

async function* replayed(seen: readonly Buffer[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* seen;
  yield* rest;
}

/** Opened when it is first asked for, so that nothing is left open that nobody reads. */
async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>;
}
