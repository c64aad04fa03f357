import { gzipSync } from 'node:zlib';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, OutcomeUnknownError, StoreUnavailableError, UpcastingRegistry } from '@counterfoil/event-store';
import type { AppendRequest, AppendResult } from '@counterfoil/event-store';
import { MemoryEventStore } from '@counterfoil/testing';
import fc from 'fast-check';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import { bytesOf } from '../testing/sources.js';
import { HistoryImportError } from './import-error.js';
import { importSource } from './import-source.js';
import type { ImportOptions } from './import-options.js';
import type { ImportProgress } from './progress.js';
import type { ImportReport } from './report.js';
import type { ImportSource } from '../input/byte-source.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
const newStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => registry.read(event) });
const lineOf = (n: number, inPayload = {}): string =>
  invented.line({ id: `evt_${String(n)}` }, { receipt_id: `receipt_${String(n)}`, ...inPayload });

async function imported(store: MemoryEventStore, source: ImportSource, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
  return importSource(source, { ...CONTEXT, store, ...options });
}

/** All streams with what they hold, without what each import mints for itself. */
async function streams(store: MemoryEventStore): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { stream, type, data } of store.readStored(null)) {
    const { importRun: _, line: __, byteOffset: ___, ...lasting } = data as Record<string, unknown>;
    found[stream] = { type, lasting };
  }
  return found;
}

function sums({ read, imported: a, duplicate, derivedCopy, notAReceipt, quarantined }: ImportReport): boolean {
  return read === a + duplicate + derivedCopy + notAReceipt + quarantined;
}

const MIXED = [
  lineOf(1),
  '',
  '{"event_type":"session.message","payload":{}}',
  '{"cut',
  lineOf(2),
  '   ',
  lineOf(1),
  '42',
  '{"cut',
  lineOf(3),
];

describe('importSource: counts', () => {
  it('gives each record one fate, and the report adds up', async () => {
    const store = newStore();
    const report = await imported(store, bytesOf(...MIXED));
    expect(report).toMatchObject({ read: 8, imported: 3, duplicate: 1, derivedCopy: 0, notAReceipt: 2, quarantined: 2, blankLines: 2 });
    expect(report).toMatchObject({ reasons: { not_json: 2 }, eventsAdded: 4, interrupted: false, importRun: 'run-golden' });
    expect(sums(report)).toBe(true);
    expect(report.bytes).toBe(Buffer.byteLength(`${MIXED.join('\n')}\n`));
    expect(await store.head()).toBe(4n);
  });

  it('adds nothing the second time, by the same run or another', async () => {
    const store = newStore();
    await imported(store, bytesOf(...MIXED));
    for (const importRun of ['run-golden', 'another']) {
      const report = await imported(store, bytesOf(...MIXED), { importRun });
      expect(report).toMatchObject({ imported: 0, duplicate: 4, quarantined: 2, notAReceipt: 2, eventsAdded: 0 });
    }
    expect(await store.head()).toBe(4n);
  });

  it('gives the same streams in any order and in any pieces', async () => {
    const whole = newStore();
    await imported(whole, bytesOf(...MIXED));
    const expected = await streams(whole);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(MIXED, { minLength: MIXED.length }), fc.nat({ max: 9 }), async (lines, at) => {
        const store = newStore();
        const first = await imported(store, bytesOf(...lines.slice(0, at)), { importRun: 'a' });
        const second = await imported(store, bytesOf(...lines.slice(at)), { importRun: 'b' });
        expect(await streams(store)).toEqual(expected);
        expect(first.imported + second.imported).toBe(3);
        expect(first.duplicate + second.duplicate).toBe(1);
      }),
      { numRuns: 30 },
    );
  });

  it('takes one row for one record, whether its payload was decoded or not', async () => {
    const store = newStore();
    const asText = JSON.stringify(invented.row({ payload: JSON.stringify(invented.payload()) }));
    expect(await imported(store, bytesOf(invented.line(), asText))).toMatchObject({ imported: 1, duplicate: 1 });
  });

  it('imports two rows with one old receipt id as two records', async () => {
    const store = newStore();
    const rows = [invented.line({ id: 'evt_a', workspace_id: 'default' }), invented.line({ id: 'evt_b', workspace_id: 'source-1' })];
    expect(await imported(store, bytesOf(...rows))).toMatchObject({ imported: 2, duplicate: 0 });
  });

  it('puts the later one aside where two contents have the same coordinates', async () => {
    for (const importRun of ['run-golden', 'another']) {
      const store = newStore();
      await imported(store, bytesOf(lineOf(1)));
      const report = await imported(store, bytesOf(lineOf(1, { result: 'tampered' }), lineOf(1)), { importRun });
      expect(report).toMatchObject({ imported: 0, duplicate: 1, quarantined: 1, reasons: { content_differs: 1 }, eventsAdded: 1 });
      const again = await imported(store, bytesOf(lineOf(1, { result: 'tampered' })), { importRun: 'third' });
      expect(again).toMatchObject({ quarantined: 1, eventsAdded: 0 });
    }
  });

  it('lets the earlier line win within one file, however many are on their way', async () => {
    const store = newStore();
    const lines = Array.from({ length: 50 }, (_, n) => lineOf(1, { result: `version ${String(n)}` }));
    const report = await imported(store, bytesOf(...lines));
    expect(report).toMatchObject({ imported: 1, quarantined: 49, reasons: { content_differs: 49 } });
    expect(JSON.stringify(await streams(store))).toContain('version 0');
  });
});

describe('importSource: what is stored', () => {
  it('says when and where it came from, and by whom', async () => {
    const store = newStore();
    await imported(store, bytesOf('', lineOf(7)));
    for await (const { stream, version, metadata, data } of store.readStored(null)) {
      expect(stream).toBe(`history-default/${(data as { recordKey: string }).recordKey}`);
      expect(version).toBe(1);
      expect(metadata).toMatchObject({
        recordedAt: '2026-05-05T00:00:00.000Z',
        occurredAt: '2026-05-04T03:02:01.300000Z',
        actor: CONTEXT.actor,
        correlationId: 'run-golden',
      });
    }
  });

  it('names line and byte of a record that is put aside, and never its secrets', async () => {
    const store = newStore();
    await imported(store, bytesOf(lineOf(1), 'é', '{"password": "FAKE-pass-7777", "args": "Bearer FAKEbearer0123456789abcdef'));
    const events = [];
    for await (const event of store.readStored(null)) events.push(event);
    const [, first, second] = events;
    expect(first?.data).toMatchObject({ reason: 'not_json', line: 2, byteOffset: Buffer.byteLength(lineOf(1)) + 1 });
    expect(second?.data).toMatchObject({ line: 3 });
    expect(second?.stream).toMatch(/^history-default\/qx[A-Za-z0-9_-]{27}$/);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain('FAKE');
  });

  it.each<[string, string]>([
    ['duplicate_key', '{"event_type":"execution.receipt","password":"FAKE-pass-1","password":"FAKE-pass-2","payload":{}}'],
    ['not_a_number', '{"event_type":"execution.receipt","n":NaN,"password":"FAKE-pass-3","payload":"{\\"token\\":\\"FAKE-token-4\\"}"}'],
    ['not_json', '{"event_type":"execution.receipt","payload":{"args":"--token=FAKE-token-5 x","password":"FAKE-pass-6'],
    ['control_character', '{"event_type":"execution.receipt","x":"\u0001","api_key":"FAKE-key-7","payload":{}}'],
    ['wrong_type', JSON.stringify(invented.row({ id: 7 }, { args: '{"secret":"FAKE-secret-8"}' }))],
    ['time_impossible', invented.line({ created_at: 'password=FAKE-pass-9' })],
  ])('keeps no secret of a record that is put aside as %s', async (reason, text) => {
    const store = newStore();
    expect((await imported(store, bytesOf(text))).reasons).toEqual({ [reason]: 1 });
    expect(JSON.stringify(await streams(store))).not.toContain('FAKE');
  });

  it('keeps identifiers out that look like secrets, and finds the record by its content then', async () => {
    const store = newStore();
    const secret = 'ghp_FAKE0123456789abcdefFAKE0123456789ab';
    await imported(store, bytesOf(invented.line({ id: secret, session_id: secret })));
    for await (const { stream, data } of store.readStored(null)) {
      expect(stream).toMatch(/^history-default\/x/);
      expect(data).toMatchObject({ coordinates: { eventId: null, sessionId: null, userId: 'local' }, anomalies: ['identifier_withheld'] });
      expect(JSON.stringify(data)).not.toContain('FAKE');
    }
  });

  it('puts a tool aside whose name looks like a secret', async () => {
    const store = newStore();
    const report = await imported(store, bytesOf(lineOf(1, { action: 'ghp_FAKE0123456789abcdefFAKE0123456789ab' })));
    expect(report.reasons).toEqual({ secret_in_tool_name: 1 });
    expect(JSON.stringify(await streams(store))).not.toContain('FAKE');
  });
});

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

describe('importSource: dry run', () => {
  it('says what an import would do, and stores nothing', async () => {
    const lines = [...MIXED, lineOf(2, { result: 'tampered' })];
    const store = newStore();
    const dry = await imported(store, bytesOf(...lines), { dryRun: true });
    expect(await store.head()).toBe(0n);
    const wet = await imported(store, bytesOf(...lines));
    expect(dry).toEqual({ ...wet, dryRun: true });
    expect(await imported(store, bytesOf(...lines), { dryRun: true })).toMatchObject({
      eventsAdded: 0,
      imported: 0,
      duplicate: 4,
      quarantined: 3,
    });
  });
});

/** A store that does not always answer. */
class FlakyStore extends MemoryEventStore {
  appends = 0;
  constructor(
    private readonly failing: (append: number) => Error | null,
    private readonly before: boolean,
  ) {
    super();
  }

  override async append(request: AppendRequest): Promise<AppendResult> {
    const error = this.failing(++this.appends);
    if (error === null) return super.append(request);
    if (!this.before) await super.append(request);
    throw error;
  }
}

describe('importSource: failures', () => {
  it('is an error where the input breaks, with a report of what was stored', async () => {
    const store = newStore();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* bytesOf(lineOf(1), lineOf(2));
      throw new Error('EIO');
    }
    const error = await imported(store, broken()).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(HistoryImportError);
    expect(error).toMatchObject({ code: 'read_failed', report: { read: 2, imported: 2, interrupted: false }, cause: { message: 'EIO' } });
    expect(await store.head()).toBe(2n);
  });

  it('counts a record once whose append was stored and whose answer was lost', async () => {
    const store = new FlakyStore((append) => (append === 1 ? new OutcomeUnknownError('lost') : null), false);
    expect(await imported(store, bytesOf(lineOf(1), lineOf(2)))).toMatchObject({ imported: 2, duplicate: 0 });
    expect(await store.head()).toBe(2n);
  });

  it('waits for a store that is away for a moment', async () => {
    const store = new FlakyStore((append) => (append <= 2 ? new StoreUnavailableError('busy') : null), true);
    expect(await imported(store, bytesOf(lineOf(1)))).toMatchObject({ imported: 1 });
  });

  it('stops where the store refuses, counts what was stored, and completes the next time', async () => {
    const store = new FlakyStore((append) => (append === 3 ? new Error('disk full') : null), true);
    const lines = Array.from({ length: 200 }, (_, n) => lineOf(n));
    const error = await imported(store, bytesOf(...lines), { concurrency: 4 }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'internal', cause: { message: 'disk full' } });
    const { report } = error as HistoryImportError;
    expect(BigInt(report.imported)).toBe(await store.head());
    expect(report.imported).toBeLessThan(10);
    const rest = await imported(store, bytesOf(...lines), { importRun: 'b' });
    expect(rest).toMatchObject({ imported: 200 - report.imported, duplicate: report.imported });
  });
});

describe('importSource: stopping', () => {
  it('leaves what it counted, says so, and completes when it is run again', async () => {
    const store = newStore();
    const lines = Array.from({ length: 100 }, (_, n) => lineOf(n));
    const controller = new AbortController();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield* bytesOf(...lines.slice(0, 40));
      // The beginning of a line that the stop cuts: it must not be read as a cut record.
      yield Buffer.from(lineOf(40).slice(0, 50));
      controller.abort();
      yield Buffer.from(lineOf(40).slice(50));
    }
    const report = await imported(store, slow(), { signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true, quarantined: 0 });
    expect(sums(report)).toBe(true);
    expect(BigInt(report.imported)).toBe(await store.head());
    const rest = await imported(store, bytesOf(...lines));
    expect(rest).toMatchObject({ interrupted: false, imported: 100 - report.imported, duplicate: report.imported });
    expect(await store.head()).toBe(100n);
  });

  it('ends at once although the input never answers', async () => {
    const controller = new AbortController();
    const silent: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
    const report = imported(newStore(), silent, { signal: controller.signal });
    controller.abort();
    expect(await report).toMatchObject({ interrupted: true, read: 0 });
  });

  it('is not interrupted by a signal that comes after the end', async () => {
    const controller = new AbortController();
    const report = await imported(newStore(), bytesOf(lineOf(1)), { signal: controller.signal });
    controller.abort();
    expect(report.interrupted).toBe(false);
  });
});

describe('importSource: progress', () => {
  it('tells how far it is, and the end', async () => {
    let now = 0;
    const told: ImportProgress[] = [];
    const lines = Array.from({ length: 20 }, (_, n) => lineOf(n));
    const report = await imported(newStore(), bytesOf(...lines), {
      now: () => (now += 100),
      onProgress: (progress) => {
        told.push(progress);
      },
    });
    expect(told.length).toBeGreaterThan(2);
    expect(told.filter(({ done }) => done)).toHaveLength(1);
    expect(told.at(-1)).toMatchObject({ done: true, records: 20, bytes: report.bytes });
    expect(told.map(({ records }) => records)).toEqual([...told.map(({ records }) => records)].sort((a, b) => a - b));
  });
});
