import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { FateCounts } from '@counterfoil/contracts';
import { LEDGER_STEPS, StoreUnavailableError, UpcastingRegistry } from '@counterfoil/event-store';
import { MemoryEventStore, temporaryDirectory } from '@counterfoil/testing';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import { bytesOf } from '../testing/sources.js';
import { addEvents, oldDatabase } from '../testing/sqlite/old-database.js';
import { HistoryImportError } from './import-error.js';
import { importPaths } from './import-paths.js';
import type { PathsOptions, PathsProgress, PathsReport } from './import-paths.js';
import type { ImportReport } from './report.js';

const path = temporaryDirectory();
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
const newStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => registry.read(event) });
const row = (n: number, inPayload = {}): Record<string, unknown> =>
  invented.row({ id: `evt_${String(n)}` }, { receipt_id: `receipt_${String(n)}`, ...inPayload });
const line = (n: number): string => JSON.stringify(row(n));

async function imported(store: MemoryEventStore, paths: readonly string[], options: Partial<PathsOptions> = {}): Promise<PathsReport> {
  return importPaths(paths, { ...CONTEXT, store, stdin: bytesOf(), ...options });
}

const isSum = ({ read, imported: a, duplicate, derivedCopy, notAReceipt, quarantined }: FateCounts): boolean =>
  read === a + duplicate + derivedCopy + notAReceipt + quarantined;

/** Each count is the sum of its parts: by fate, by surface, and by file. */
function expectSums({ files, total }: PathsReport): void {
  const fates = ['read', 'imported', 'duplicate', 'derivedCopy', 'notAReceipt', 'quarantined', 'rows', 'eventsAdded'] as const;
  for (const report of [...files.map((file) => file.report), total]) {
    expect(isSum(report)).toBe(true);
    for (const surface of Object.values(report.surfaces)) expect(isSum(surface)).toBe(true);
    const bySurface = Object.values(report.surfaces).reduce((sum, { read }) => sum + read, 0);
    expect(bySurface).toBe(report.read);
    expect(Object.values(report.reasons).reduce((sum, count) => sum + count, 0)).toBe(report.quarantined);
  }
  for (const fate of fates) expect(total[fate]).toBe(files.reduce((sum, { report }) => sum + report[fate], 0));
}

async function streams(store: MemoryEventStore): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { stream, type, data } of store.readStored(null)) {
    if (type === 'ImportFinished') continue;
    // What an import mints for itself, and where an input has its records.
    const { importRun: _run, line: _line, byteOffset: _offset, table: _table, row: _row, ...lasting } = data as Record<string, unknown>;
    found[stream] = { type, lasting };
  }
  return found;
}

async function finished(store: MemoryEventStore): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { stream, type, data } of store.readStored(null)) if (type === 'ImportFinished') found.push({ stream, data });
  return found;
}

/** Lines, a document, a database with a log, and each in gzip; some records stand in several of them. */
async function makeInputs(): Promise<void> {
  await mkdir(path('in/more'), { recursive: true });
  await writeFile(path('in/a.txt'), [line(1), line(2), '{"cut', '', JSON.stringify({ event_type: 'session.message' })].join('\n'));
  await writeFile(path('in/b.json'), JSON.stringify([row(2), row(3)], null, 2));
  await writeFile(path('in/c'), gzipSync([line(3), line(4), '{"cut'].join('\n')));
  const db = oldDatabase(path('in/more/old.db'), { log: true });
  addEvents(db, [row(4), row(5), { ...row(6), payload: '{"n": NaN}' }, { ...row(7), payload: Buffer.from('7b22ff227d', 'hex') }]);
  db.close();
  await writeFile(path('in/more/packed'), gzipSync(await readFile(path('in/more/old.db'))));
}

describe('importPaths', () => {
  it('imports files and folders of every kind as one run, and leaves its trace', async () => {
    await makeInputs();
    const store = newStore();
    const found = await imported(store, [path('in')]);
    expect(found.files.map((file) => [file.path.slice(path('in').length), file.container, file.compressed, file.error])).toEqual([
      ['/a.txt', 'lines', false, null],
      ['/b.json', 'document', false, null],
      ['/c', 'lines', true, null],
      ['/more/old.db', 'database', false, null],
      ['/more/packed', 'database', true, null],
    ]);
    expect(found.files[3]?.otherTables).toEqual({ memories: 0, schema_migrations: 1 });
    expect(found.total).toMatchObject({ imported: 5, duplicate: 5, importRun: 'run-golden', interrupted: false, dryRun: false });
    expectSums(found);
    const { total } = found;
    expect(await finished(store)).toEqual([
      {
        stream: 'import-default/run-golden',
        data: expect.objectContaining({
          inputs: 5,
          failedInputs: 0,
          bytes: total.bytes,
          added: total.added,
          surfaces: total.surfaces,
        }) as unknown,
      },
    ]);
    expect(await readdir(path('in/more'))).toEqual(['old.db', 'packed']);
  });

  it('adds nothing the second time, not even the trace of a run', async () => {
    await makeInputs();
    const store = newStore();
    await imported(store, [path('in')]);
    const before = await store.head();
    const again = await imported(store, [path('in')], { importRun: 'another' });
    expect(again.total).toMatchObject({ imported: 0, eventsAdded: 0, duplicate: 10 });
    expectSums(again);
    expect(await store.head()).toBe(before);
  });

  it('gives the same streams in any order of the files, and for one file under two names', async () => {
    await makeInputs();
    const one = newStore();
    await imported(one, [path('in')]);
    const expected = await streams(one);
    const names = ['more/packed', 'c', 'more/old.db', 'b.json', 'a.txt'].map((name) => path(`in/${name}`));
    const other = newStore();
    expectSums(await imported(other, names));
    expect(await streams(other)).toEqual(expected);
    await writeFile(path('twice'), await readFile(path('in/a.txt')));
    const both = await imported(other, [path('twice'), path('in/a.txt')], { importRun: 'again' });
    expect(both.total.eventsAdded).toBe(0);
    expect(both.files[0]?.report).toMatchObject({ read: 4, duplicate: 2 });
    expect(await streams(other)).toEqual(expected);
  });

  it('reads standard input', async () => {
    const found = await imported(newStore(), ['-'], { stdin: bytesOf(line(1), line(2)) });
    expect(found.files).toMatchObject([{ path: '-', container: 'lines', error: null, report: { imported: 2 } }]);
  });

  it('goes on behind files that cannot be read, and counts them', async () => {
    await writeFile(path('a'), line(1));
    await writeFile(path('b'), gzipSync(`${line(2)}\n${line(3)}\n${'x'.repeat(100_000)}`).subarray(0, -10));
    await writeFile(path('c'), Buffer.from('\ufeff{}', 'utf16le'));
    await writeFile(path('d'), line(4));
    const store = newStore();
    const found = await imported(store, [path('none'), path('a'), path('b'), path('c'), path('d')]);
    expect(found.files.map(({ error, report }) => [error?.code ?? null, report.imported])).toEqual([
      ['read_failed', 0],
      [null, 1],
      ['read_failed', 2],
      ['not_lines', 0],
      [null, 1],
    ]);
    expectSums(found);
    expect(await finished(store)).toMatchObject([{ data: { inputs: 5, failedInputs: 3 } }]);
  });

  it('stops where the store fails, and says what was stored', async () => {
    await makeInputs();
    class BrokenStore extends MemoryEventStore {
      override async append(request: Parameters<MemoryEventStore['append']>[0]): ReturnType<MemoryEventStore['append']> {
        if ((await this.head()) === 3n) throw new Error('disk full');
        return super.append(request);
      }
    }
    const store = new BrokenStore();
    const error = await imported(store, [path('in')]).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(HistoryImportError);
    expect(error).toMatchObject({ code: 'internal', cause: { message: 'disk full' }, report: { eventsAdded: 3 } });
  });

  it('fails where only the trace of the run cannot be stored', async () => {
    class NoTrace extends MemoryEventStore {
      override append(request: Parameters<MemoryEventStore['append']>[0]): ReturnType<MemoryEventStore['append']> {
        if (request.stream.startsWith('import-')) throw new StoreUnavailableError('away');
        return super.append(request);
      }
    }
    await writeFile(path('a'), line(1));
    await expect(imported(new NoTrace(), [path('a')])).rejects.toMatchObject({ code: 'store_failed', report: { imported: 1 } });
  });

  it('ends between two records when it is told to, leaves its trace, and completes later', async () => {
    await makeInputs();
    const [store, whole] = [newStore(), newStore()];
    const controller = new AbortController();
    async function* stdin(): AsyncGenerator<Uint8Array> {
      yield* bytesOf(line(10), line(11));
      controller.abort();
      yield* bytesOf(line(12));
    }
    const found = await imported(store, [path('in/a.txt'), '-', path('in')], { stdin: stdin(), signal: controller.signal });
    expect(found.files.map((file) => file.report.interrupted)).toEqual([false, true]);
    expect(found.total.interrupted).toBe(true);
    expectSums(found);
    expect(await finished(store)).toMatchObject([{ data: { interrupted: true, inputs: 2 } }]);
    const all = { stdin: bytesOf(line(10), line(11), line(12)) };
    await imported(store, [path('in/a.txt'), '-', path('in')], { ...all, importRun: 'later' });
    await imported(whole, [path('in/a.txt'), '-', path('in')], { ...all, stdin: bytesOf(line(10), line(11), line(12)) });
    expect(await streams(store)).toEqual(await streams(whole));
  });

  it('says in a dry run what it would do, over all files together', async () => {
    await makeInputs();
    const store = newStore();
    const dry = await imported(store, [path('in')], { dryRun: true });
    expect(await store.head()).toBe(0n);
    const wet = await imported(store, [path('in')]);
    const counts = (report: ImportReport): unknown => ({ ...report, dryRun: false, milliseconds: 0 });
    expect(dry.files.map((file) => counts(file.report))).toEqual(wet.files.map((file) => counts(file.report)));
    expect(counts(dry.total)).toEqual(counts(wet.total));
  });

  it('names user and session for records that name none', async () => {
    await writeFile(path('a'), line(1));
    const store = newStore();
    await imported(store, [path('a')], { given: { userId: 'u-given', sessionId: null } });
    for await (const { type, data } of store.readStored(null))
      if (type === 'HistoricalReceiptImported') expect(data).toMatchObject({ given: { userId: 'u-given', sessionId: null } });
  });

  it('tells which file it is in', async () => {
    await makeInputs();
    const told: PathsProgress[] = [];
    const found = await imported(newStore(), [path('in')], {
      onProgress: (progress) => {
        told.push(progress);
      },
    });
    const ends = told.filter(({ done }) => done);
    expect(ends.map((progress) => [progress.path, progress.index, progress.count, progress.bytes, progress.records])).toEqual(
      found.files.map((file, index) => [file.path, index, 5, file.report.bytes, file.report.read]),
    );
  });
});
