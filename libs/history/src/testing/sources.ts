/** Lines as the chunks of a file. */
export async function* bytesOf(...lines: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield typeof line === 'string' ? Buffer.from(`${line}\n`) : line;
}
