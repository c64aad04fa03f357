import { gzipSync } from 'node:zlib';
import { bytesOf } from '../testing/sources.js';
import type { ImportSource } from '../input/byte-source.js';
import { imported, lineOf, newStore, streams } from '../testing/importing-source.js';

describe('importSource: bytes', () => {
  it('takes CRLF, a byte-order mark, and a last line with no end', async () => {
    const store = newStore();
    const report = await imported(store, bytesOf(Buffer.from(`\ufeff${lineOf(1)}\r\n${lineOf(2)}\r\n\r\n${lineOf(3)}`)));
    expect(report).toMatchObject({ read: 3, imported: 3, blankLines: 1 });
  });

  it('puts a line aside that is cut in the middle by the end of the file', async () => {
    const report = await imported(newStore(), bytesOf(lineOf(1), Buffer.from(lineOf(2).slice(0, -30))));
    expect(report).toMatchObject({ imported: 1, quarantined: 1, reasons: { not_json: 1 } });
  });

  it('puts bytes aside that are no UTF-8', async () => {
    const bytes = Buffer.from(`${lineOf(1, { result: 'caf\u00e9' })}\n`, 'latin1');
    expect((await imported(newStore(), bytesOf(bytes))).reasons).toEqual({ invalid_utf8: 1 });
  });

  it('puts a line aside that is too long, by its digest and its head, and reads on', async () => {
    const store = newStore();
    const long = `{"token": "FAKE-token-8888", "text": "${'x'.repeat(5000)}`;
    const source = (): ImportSource => bytesOf(lineOf(1), long, lineOf(2));
    expect(await imported(store, source(), { lineLimit: 3000 })).toMatchObject({
      imported: 2,
      quarantined: 1,
      reasons: { line_too_long: 1 },
    });
    expect(await imported(store, source(), { lineLimit: 3000, importRun: 'b' })).toMatchObject({ quarantined: 1, eventsAdded: 0 });
    const quarantined = JSON.stringify(await streams(store));
    expect(quarantined).toContain(`"bytes":${String(Buffer.byteLength(long))}`);
    expect(quarantined).not.toContain('FAKE');
  });

  it('refuses what is no text before the first line', async () => {
    const store = newStore();
    await expect(imported(store, bytesOf(Buffer.from('\ufeff{}', 'utf16le')))).rejects.toMatchObject({
      code: 'not_lines',
      report: { read: 0, interrupted: false },
    });
    expect(await store.head()).toBe(0n);
  });

  it('takes gzip, and documents', async () => {
    const store = newStore();
    const rows = [1, 2, 3].map((n) => JSON.parse(lineOf(n)) as unknown);
    const packed = gzipSync(JSON.stringify(rows, null, 2));
    expect(await imported(store, bytesOf(packed))).toMatchObject({ read: 3, imported: 3, rows: 3, bytes: packed.length });
    expect(await imported(store, bytesOf(lineOf(1), JSON.stringify(rows), JSON.stringify(rows[0], null, 1)))).toMatchObject({
      read: 5,
      duplicate: 5,
    });
  });

  it('knows the formats that can be asked for, and names them for another one', async () => {
    expect(await imported(newStore(), bytesOf(lineOf(1)), { format: 'openkyrozen' })).toMatchObject({ imported: 1 });
    await expect(imported(newStore(), bytesOf(lineOf(1)), { format: 'csv' })).rejects.toMatchObject({
      code: 'unknown_format',
      message: expect.stringContaining('auto and openkyrozen') as string,
      report: { read: 0, importRun: 'run-golden' },
    });
  });
});
