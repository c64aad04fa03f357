import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { InputError } from './input-error.js';

const CHUNK_BYTES = 256 * 1024;
const ignore = (): void => undefined;

/**
 * Unpacks gzip (RFC 1952), one member or several behind each other. Memory is bounded, whatever it unpacks to.
 *
 * @throws InputError `read_failed` where it is cut or damaged; what came before has been handed on
 */
export async function* unzip(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const fed = pipeline(source, gunzip);
  // It is awaited below; until then a failure shows in what is read.
  fed.catch(ignore);
  let bytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      if (signal?.aborted === true) return;
      bytes += chunk.length;
      yield chunk;
    }
    await fed;
  } catch (error) {
    // A source that a signal stopped looks like one that was cut.
    if (signal?.aborted === true) return;
    if (error instanceof InputError) throw error;
    throw new InputError('read_failed', `The input could not be unpacked beyond byte ${bytes}: it is cut or damaged.`, { cause: error });
  } finally {
    gunzip.destroy();
  }
}
