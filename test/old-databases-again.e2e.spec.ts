import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { everyHistory } from './history/all.js';
import { HistoryLedger } from './history/ledger.js';
import { taskKey } from './history/old-hashes.js';
import { gen0a } from './history/scenes/gen0.js';
import { odd } from './history/scenes/odd.js';

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-again-'));
const path = (...names: string[]): string => join(directory, ...names);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const histories = everyHistory();
const databases = path('databases');
const lines = path('lines');
const decoded = path('decoded');

/** The same records in three forms; beside them the lines that stood in no database. */
beforeAll(() => {
  for (const folder of [databases, lines, decoded]) mkdirSync(folder);
  for (const history of histories) {
    history.writeDatabase(join(databases, `${history.name}.sqlite3`));
    for (const [folder, rows] of [
      [lines, history.rowLines(false)],
      [decoded, history.rowLines(true)],
    ] as const) {
      writeFileSync(join(folder, `${history.name}.jsonl`), rows);
    }
    for (const folder of [databases, lines, decoded]) writeFileSync(join(folder, `${history.name}-lines.jsonl`), history.otherLines());
  }
});

let ledgers = 0;
async function ledgerOf(...paths: readonly string[]): Promise<HistoryLedger> {
  const ledger = await HistoryLedger.open(path(`ledger-${String(ledgers++)}.db`));
  for (const one of paths) await ledger.import(one);
  return ledger;
}

describe('old databases that are imported again', () => {
  let ledger: HistoryLedger;
  beforeAll(async () => {
    ledger = await ledgerOf(databases);
  });
  afterAll(() => ledger.close());

  it('hold what was asked for: something of everything', async () => {
    const { receipts, tasks, transitions, copies } = await ledger.portable();
    for (const docs of [receipts, tasks, transitions, copies]) expect(docs?.size).toBeGreaterThan(9);
  });

  it('add nothing the second time, not even an event that says so', async () => {
    const before = await ledger.events();
    const total = await ledger.import(databases);
    expect(total).toMatchObject({ imported: 0, eventsAdded: 0 });
    expect(total.duplicate).toBeGreaterThan(150);
    expect(await ledger.events()).toHaveLength(before.length);
  });

  it.each([
    ['as lines, with their payloads as text', lines],
    ['as lines, with everything decoded', decoded],
  ])('add nothing %s', async (_, folder) => {
    expect(await ledger.import(folder)).toMatchObject({ imported: 0, eventsAdded: 0 });
  });

  it('add nothing under another name, in gzip, or twice in one run', async () => {
    for (const { name } of histories) {
      const file = join(databases, `${name}.sqlite3`);
      const [copy, zipped] = [path(`other ${name}.bin`), path(`${name}.gz`)];
      copyFileSync(file, copy);
      writeFileSync(zipped, gzipSync(readFileSync(file)));
      expect(await ledger.import(copy, zipped, copy)).toMatchObject({ imported: 0, eventsAdded: 0 });
    }
  });

  it.each([
    [
      'from the database, file by file from the last',
      () => histories.toReversed().flatMap(({ name }) => [join(databases, `${name}-lines.jsonl`), join(databases, `${name}.sqlite3`)]),
    ],
    ['from lines with text', () => [lines]],
    ['from decoded lines', () => [decoded]],
    ['from all of them at once', () => [decoded, databases, lines]],
  ])('give the same portable documents %s', async (_, order) => {
    const other = await ledgerOf(...order());
    expect(await other.portable()).toEqual(await ledger.portable());
    await other.close();
  });

  it('give the same portable documents from lines in any order', async () => {
    const all = histories.flatMap((history) =>
      `${history.rowLines(false)}${history.otherLines()}`.split('\n').filter((line) => line !== ''),
    );
    // Every seventh line, and then the sevenths after them.
    const shuffled = all.map((line, index) => ({ line, at: (index * 7) % all.length })).sort((a, b) => b.at - a.at);
    const file = path('shuffled.jsonl');
    writeFileSync(file, shuffled.map(({ line }) => `${line}\n`).join(''));
    const other = await ledgerOf(file);
    expect(await other.portable()).toEqual(await ledger.portable());
    await other.close();
  });
});

describe('a task that was reset by another user between two imports', () => {
  const shared = `task_${taskKey('Run the tests')}`;
  const snapshot = (of: 'before' | 'after'): string => gen0a(of).writeDatabase(path(`${of}-${String(ledgers)}.sqlite3`));

  it('is as its later row says, keeps the receipts of its evidence and the log of its success, in either order', async () => {
    const [before, after] = [snapshot('before'), snapshot('after')];
    const one = await ledgerOf(before, after);
    const other = await ledgerOf(after, before);
    const documents = await one.portable();
    expect(await other.portable()).toEqual(documents);
    const ofTask = (docs: ReadonlyMap<string, object> | undefined): readonly object[] =>
      [...(docs?.values() ?? [])].filter((doc) => JSON.stringify(doc).includes(shared));
    expect(documents['tasks']?.size).toBe(4);
    expect(ofTask(documents['tasks'])).toMatchObject([{ recordedStatus: 'pending', status: 'pending', evidenceCount: 0, versions: 2 }]);
    expect(ofTask(documents['receipts'])).toHaveLength(2);
    expect(
      ofTask(documents['transitions'])
        .map((doc) => (doc as { transition: string }).transition)
        .sort(),
    ).toEqual(['task.created', 'task.created', 'task.succeeded']);
    for (const ledger of [one, other]) {
      expect(await ledger.import(before, after)).toMatchObject({ imported: 0, eventsAdded: 0 });
      await ledger.close();
    }
  });
});

describe('an odd database', () => {
  it('adds nothing the second time: what was put aside stands aside once', async () => {
    const ledger = await ledgerOf();
    const file = odd().writeDatabase(path('odd.sqlite3'));
    const first = await ledger.import(file);
    expect(first.added.quarantined).toBeGreaterThan(20);
    expect(await ledger.import(file)).toMatchObject({ imported: 0, eventsAdded: 0, quarantined: first.quarantined });
    await ledger.close();
  });
});
