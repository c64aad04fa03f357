import { open } from 'node:fs/promises';
import { InputError } from './input-error.js';

/**
 * Writes a stream to a new file that only this user can read (0600).
 *
 * @param limit most bytes that it may have: a packed stream can unpack to more than any disk holds
 * @throws InputError `read_failed` beyond the limit, and what the source throws
 */
export async function spool(chunks: AsyncIterable<Uint8Array>, file: string, limit: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > limit) throw new InputError('read_failed', `The database is larger than ${limit} bytes: import it as a plain file.`);
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
}
