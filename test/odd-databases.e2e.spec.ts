import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importInto, type Import } from './corpus/reading.js';
import type { OldHistory } from './history/old-history.js';
import { byPlace, counted, countedBy, knownReceipts, readingOf, roundTrip, wanted } from './history/reading.js';
import { narrow, odd, oddLines } from './history/scenes/odd.js';

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-odd-'));
const path = (name: string): string => join(directory, name);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let ledgers = 0;
const into = (source: string): Promise<Import> => importInto(path(`ledger-${String(ledgers++)}.db`), source);

function expectReceipts(found: Import, history: OldHistory): void {
  const docs = byPlace(found);
  const known = knownReceipts(history.rows, history.lines);
  expect([...docs.keys()].sort()).toEqual([...known.keys()].sort());
  for (const [place, expectation] of known) {
    const doc = docs.get(place);
    if (doc === undefined) throw new Error(place);
    expect({ place, ...readingOf(doc, expectation) }).toEqual({ place, ...wanted(expectation) });
    const { given, had } = roundTrip(doc, expectation);
    expect(given).toEqual(had);
  }
}

describe.each([odd(), narrow()].map((history) => [history.name, history] as const))('a database that is %s', (name, history) => {
  it('is imported as far as it can be read, and the rest is put aside: nothing is fatal, nothing dropped', async () => {
    const found = await into(history.writeDatabase(path(`${name}.sqlite3`)));
    expect(countedBy(found)).toEqual(counted(history.rows));
    expectReceipts(found, history);
  });

  it('says of each row that was put aside where it stood', async () => {
    const found = await into(history.writeDatabase(path(`${name}-again.sqlite3`)));
    const aside = found.events.flatMap((event) => (event.type === 'HistoricalRecordQuarantined' ? [event.data] : []));
    expect(aside.every(({ table, row }) => table !== null && row !== null)).toBe(true);
    const reasons = history.rows.flatMap(({ fates }) => fates.flatMap((fate) => (fate.is === 'aside' ? [fate.reason] : [])));
    expect(aside.map(({ reason }) => reason).sort()).toEqual(reasons.sort());
  });
});

describe('odd lines', () => {
  it('have one fate each', async () => {
    const history = oddLines();
    const file = path('odd.jsonl');
    writeFileSync(file, history.otherLines());
    const found = await into(file);
    expect(countedBy(found)).toEqual(counted(history.lines));
    expect(found.receipts).toHaveLength(1);
  });
});
