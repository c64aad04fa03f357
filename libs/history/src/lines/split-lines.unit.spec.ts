import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { splitLines } from './split-lines.js';
import type { Line } from './split-lines.js';

const OPTIONS = { limit: 1000, headBytes: 4 };

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

async function linesOf(source: AsyncIterable<Uint8Array>, options = OPTIONS): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of splitLines(source, options)) lines.push(line);
  return lines;
}

const textOf = (line: Line | undefined): string | undefined => (line?.kind === 'whole' ? line.bytes.toString() : undefined);

describe('splitLines', () => {
  it('takes LF, CRLF, and a last line with no line end', async () => {
    const lines = await linesOf(chunks('a\nb\r\n\nlast'));
    expect(lines.map(textOf)).toEqual(['a', 'b', '', 'last']);
    expect(lines.map((line) => line.number)).toEqual([1, 2, 3, 4]);
    expect(lines.map((line) => line.byteOffset)).toEqual([0, 2, 5, 6]);
  });

  it('makes no line of what follows the last line end, and none of an empty input', async () => {
    expect(await linesOf(chunks('a\n'))).toHaveLength(1);
    expect(await linesOf(chunks())).toHaveLength(0);
    expect(await linesOf(chunks(''))).toHaveLength(0);
  });

  it('counts offsets in bytes, a byte-order mark included', async () => {
    const lines = await linesOf(chunks('\ufeffé\n日\nx'));
    expect(lines.map((line) => line.byteOffset)).toEqual([0, 6, 10]);
  });

  it('keeps a carriage return inside a line and takes off one at its end', async () => {
    expect((await linesOf(chunks('a\rb\r\r\n'))).map(textOf)).toEqual(['a\rb\r']);
  });

  it('gives the same lines however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('\n', '\r\n', 'é', '日本', 'x'.repeat(30), '')),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (parts, sizes) => {
          const bytes = Buffer.from(parts.join(''));
          const cut: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            cut.push(bytes.subarray(at, at + size));
            at += size;
          }
          const options = { limit: 40, headBytes: 4 };
          expect(await linesOf(chunks(...cut), options)).toEqual(await linesOf(chunks(bytes), options));
        },
      ),
    );
  });

  it('names an overlong line by digest and length, keeps its head only, and reads on behind it', async () => {
    const long = 'y'.repeat(1500);
    const [first, second] = await linesOf(chunks(long.slice(0, 700), `${long.slice(700)}\nnext`));
    expect(first).toEqual({
      kind: 'overlong',
      number: 1,
      byteOffset: 0,
      length: 1500,
      sha256: createHash('sha256').update(long).digest('hex'),
      head: Buffer.from('yyyy'),
    });
    expect(textOf(second)).toBe('next');
    expect(second?.byteOffset).toBe(1501);
  });

  it('reads a line of 50 MB without holding it', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x78);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 50; sent++) yield chunk;
      yield Buffer.from('\nnext\n');
    }
    const before = process.memoryUsage().arrayBuffers;
    const lines = await linesOf(source(), { limit: 4 * 1024 * 1024, headBytes: 1024 });
    expect(lines.map((line) => line.kind)).toEqual(['overlong', 'whole']);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });
});
