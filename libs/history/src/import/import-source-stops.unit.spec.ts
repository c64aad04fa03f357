import { OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import type { AppendRequest, AppendResult } from '@counterfoil/event-store';
import { MemoryEventStore } from '@counterfoil/testing';
import { bytesOf } from '../testing/sources.js';
import { HistoryImportError } from './import-error.js';
import { imported, lineOf, newStore, sums } from '../testing/importing-source.js';

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
