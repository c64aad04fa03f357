import fc from 'fast-check';
import { invented } from '../testing/invented-rows.js';
import { bytesOf } from '../testing/sources.js';
import type { ImportProgress } from './progress.js';
import { imported, lineOf, MIXED, newStore, streams, sums } from '../testing/importing-source.js';

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

  it('put rows aside as tampered with when their table had got a column since, which is empty in them', async () => {
    const withColumn = (value: unknown): string => JSON.stringify({ ...(JSON.parse(lineOf(1)) as object), added_later: value });
    const store = newStore();
    await imported(store, bytesOf(lineOf(1)));
    expect(await imported(store, bytesOf(withColumn(null)), { importRun: 'later' })).toMatchObject({ duplicate: 1, eventsAdded: 0 });
    expect(await imported(store, bytesOf(withColumn('')), { importRun: 'other' })).toMatchObject({ reasons: { content_differs: 1 } });
    const other = newStore();
    await imported(other, bytesOf(withColumn(null)));
    expect(await imported(other, bytesOf(lineOf(1)), { importRun: 'before' })).toMatchObject({ duplicate: 1, eventsAdded: 0 });
  });

  it('lets the earlier line win within one file, however many are on their way', async () => {
    const store = newStore();
    const lines = Array.from({ length: 50 }, (_, n) => lineOf(1, { result: `version ${String(n)}` }));
    const report = await imported(store, bytesOf(...lines));
    expect(report).toMatchObject({ imported: 1, quarantined: 49, reasons: { content_differs: 49 } });
    expect(JSON.stringify(await streams(store))).toContain('version 0');
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
