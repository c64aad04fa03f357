import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from '@counterfoil/testing';
import { readInput, textsOf } from '../testing/items.js';
import { oldDatabase } from '../testing/sqlite/old-database.js';
import { InputError } from './input-error.js';
import { openInput } from './open-input.js';

const path = temporaryDirectory();

async function file(name: string, content: string | Buffer): Promise<string> {
  await writeFile(path(name), content);
  return path(name);
}

/** One byte at a time, with empty chunks between. */
async function* slowly(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (const byte of bytes) {
    yield Buffer.alloc(0);
    yield Buffer.of(byte);
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

const LINES = '{"a":1}\n\n{"b":"é"}';

describe('openInput: text', () => {
  it('reads a file whatever its name says, and counts its bytes', async () => {
    const source = await file('rows.sqlite3.gz', LINES);
    const size = Buffer.byteLength(LINES);
    expect(await readInput(source)).toMatchObject({
      container: 'lines',
      compressed: false,
      bytes: size,
      totalBytes: size,
      ended: true,
      otherTables: {},
      error: null,
    });
    expect(textsOf((await readInput(source)).items)).toEqual(['{"a":1}', '<blank>', '{"b":"é"}']);
  });

  it('reads a stream of any chunks', async () => {
    const found = await readInput(slowly(Buffer.from(LINES)));
    expect(textsOf(found.items)).toEqual(['{"a":1}', '<blank>', '{"b":"é"}']);
    expect(found).toMatchObject({ totalBytes: null, bytes: Buffer.byteLength(LINES), ended: true });
  });

  it('reads an empty file', async () => {
    expect(await readInput(await file('empty', ''))).toMatchObject({ items: [], container: 'lines', ended: true, error: null });
  });

  it.each<[string, Buffer, string]>([
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'UTF-16'],
    ['UTF-16 in gzip', gzipSync(Buffer.from('{"a":1}', 'utf16le')), 'UTF-16'],
    ['zip', Buffer.from('PK\u0003\u0004'), 'zip'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'],
    ['gzip in gzip', gzipSync(gzipSync('{"a":1}')), 'twice'],
  ])('refuses %s', async (_, bytes, words) => {
    await expect(readInput(await file('odd', bytes))).rejects.toMatchObject({
      code: 'not_lines',
      message: expect.stringContaining(words) as string,
    });
  });

  it.each(['none', '.'])('says what cannot be opened: %s', async (name) => {
    await expect(readInput(path(name))).rejects.toMatchObject({ name: 'InputError', code: 'read_failed' });
  });
});

describe('openInput: gzip', () => {
  it('reads a file or a stream, with offsets in the text and bytes of the packed form', async () => {
    const packed = gzipSync(LINES);
    for (const source of [await file('a', packed), slowly(packed)]) {
      const found = await readInput(source);
      expect(textsOf(found.items)).toEqual(['{"a":1}', '<blank>', '{"b":"é"}']);
      expect(found).toMatchObject({ container: 'lines', compressed: true, bytes: packed.length, ended: true, error: null });
      expect(found.items[2]).toMatchObject({ place: { line: 3, byteOffset: 9 } });
    }
    expect((await readInput(path('a'))).totalBytes).toBe(packed.length);
  });

  it('reads several members behind each other, also where they part a line', async () => {
    const packed = Buffer.concat([gzipSync('{"a":1}\n{"b"'), gzipSync(''), gzipSync(':2}\n'), gzipSync('{\n"c":3\n}')]);
    expect(textsOf((await readInput(slowly(packed))).items)).toEqual(['{"a":1}', '{"b":2}', '{\n"c":3\n}']);
  });

  it('reads a document', async () => {
    const found = await readInput(await file('a', gzipSync('[\n{"a":1},\n{"b":2}\n]')));
    expect(textsOf(found.items)).toEqual(['{"a":1}', '{"b":2}']);
    expect(found).toMatchObject({ container: 'document', compressed: true });
  });

  it('gives what comes before the place where it is cut or damaged, and then fails', async () => {
    // Random text, so that the packed form is long as well.
    const lines = Array.from({ length: 20_000 }, () => `{"n":"${randomBytes(30).toString('hex')}"}`);
    const packed = gzipSync(lines.join('\n'));
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 1000);
    const cut = packed.subarray(0, packed.length >> 1);
    for (const source of [await file('cut', cut), await file('damaged', damaged), chunksOf(packed.subarray(0, packed.length - 1))]) {
      const { items, error, ended } = await readInput(source);
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ code: 'read_failed' });
      expect(ended).toBe(false);
      expect(items.length).toBeGreaterThan(5000);
      // Damage shows only some way behind it.
      expect(textsOf(items.slice(0, 5000))).toEqual(lines.slice(0, 5000));
    }
    await expect(readInput(await file('short', packed.subarray(0, 8)))).rejects.toMatchObject({ code: 'read_failed' });
  });

  it('takes a bomb for a line that is too long', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(60 * 1024 * 1024, 0x61), Buffer.from('"}\n{"a":1}')]));
    expect(bomb.length).toBeLessThan(100 * 1024);
    const { items } = await readInput(await file('bomb', bomb));
    expect(textsOf(items)).toEqual(['<overlong>', '{"a":1}']);
    expect(items[0]).toMatchObject({ length: 60 * 1024 * 1024 + 8, head: expect.objectContaining({ length: 64 * 1024 }) as unknown });
  });

  it('puts no more of a database aside than it may, and leaves nothing behind', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(20 * 1024 * 1024)]));
    const temporaryFolder = await mkdtemp(path('spool-'));
    await expect(readInput(await file('bomb', bomb), { temporaryFolder, spoolLimit: 1024 * 1024 })).rejects.toMatchObject({
      code: 'read_failed',
      message: expect.stringContaining('larger than 1048576 bytes') as string,
    });
    expect(await readdir(temporaryFolder)).toEqual([]);
  });
});

describe('openInput: stopping', () => {
  it('ends where the signal comes, also in gzip, and says that it did not end', async () => {
    for (const pack of [(text: string) => Buffer.from(text), gzipSync]) {
      const controller = new AbortController();
      const bytes = pack(Array.from({ length: 100_000 }, (_, n) => `{"n":${String(n)}}`).join('\n'));
      async function* stopped(): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, bytes.length >> 1);
        controller.abort();
        yield bytes.subarray(bytes.length >> 1);
      }
      const found = await readInput(stopped(), { signal: controller.signal });
      expect(found).toMatchObject({ ended: false, error: null });
      expect(found.items.length).toBeLessThan(100_000);
    }
  });

  it('lets go of a source that is not read to its end, whatever it is and however far it was read', async () => {
    const database = path('a.db');
    oldDatabase(database).close();
    for (const bytes of [Buffer.from(LINES), gzipSync(LINES), await readFile(database), gzipSync(await readFile(database))]) {
      for (const taken of [0, 1]) {
        let isOpen = true;
        const input = await openInput(
          (async function* () {
            try {
              yield bytes;
              yield Buffer.alloc(0);
            } finally {
              isOpen = false;
            }
          })(),
        );
        const items = input.items();
        if (taken > 0) await items.next();
        await items.return(undefined);
        await input.close();
        await nextTurn();
        expect(isOpen).toBe(false);
      }
    }
  });

  it('leaves no file open', async () => {
    if (!existsSync('/proc/self/fd')) return;
    const source = await file('a', LINES);
    const database = path('a.db');
    oldDatabase(database).close();
    for (const name of [source, database]) {
      const input = await openInput(name);
      await input.close();
    }
    await nextTurn();
    const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    expect(open.filter((target) => target.startsWith(path('.')))).toEqual([]);
  });
});
