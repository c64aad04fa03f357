import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { portableReceipt } from '@counterfoil/read-models';
import { temporaryDirectory } from '@counterfoil/testing';
import { compare } from './corpus/compare.js';
import { countedBySql } from './corpus/counted-by-sql.js';
import { readCorpus } from './corpus/expected.js';
import { importInto, type Import } from './corpus/reading.js';
import { sharedHistory } from './corpus/shared.js';

const records = sharedHistory('records');
const databases = ['gen0a.sqlite3', 'gen1.sqlite3'].flatMap((name) => sharedHistory(name) ?? []);
const lines = ['gen1.events.jsonl', 'gen1.tasks.jsonl', 'gen1.stream.jsonl', 'gen1.tui.jsonl'].flatMap((name) => sharedHistory(name) ?? []);
const isThere = records !== null && databases.length === 2 && lines.length === 4;
const corpus = isThere ? readCorpus(records) : [];
if (!isThere) process.stdout.write('skipped: ../shared/history is not there\n');

const path = temporaryDirectory();
let ledgers = 0;
const ledger = (): string => path(`ledger-${String(ledgers++)}.db`);
/** Copies: a database is opened where it stands, and that folder is not ours. */
const copied = (file: string): string => {
  const copy = path(basename(file));
  copyFileSync(file, copy);
  return copy;
};

const portable = ({ receipts }: Import): unknown =>
  new Map(receipts.map((doc) => [doc.receiptId, portableReceipt(doc)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const sum = ({ imported, duplicate, derivedCopy, notAReceipt, quarantined }: Import['report']): number =>
  imported + duplicate + derivedCopy + notAReceipt + quarantined;

/** What a ledger holds after all of them. */
async function importAll(file: string, [source, ...others]: readonly string[]): Promise<Import> {
  if (source === undefined) throw new Error('nothing to import');
  const found = await importInto(file, source);
  return others.length === 0 ? found : importAll(file, others);
}

(isThere ? describe : describe.skip)('the records of the corpus (expected in ../shared/history)', () => {
  it.each(corpus.map((record) => [record.name, record] as const))(
    '%s reads as expected, or differs for a stated reason',
    async (_, record) => {
      const differences = compare(record, await importInto(ledger(), record.path));
      expect(differences.filter(({ because }) => because === null)).toEqual([]);
    },
  );
});

(isThere ? describe : describe.skip)('the databases of the corpus (expected in ../shared/history)', () => {
  it.each(databases)('%s: the report adds up to what plain SQL counts', async (file) => {
    const source = copied(file);
    const counts = countedBySql(source);
    const { report } = await importInto(ledger(), source);
    expect(report.rows).toBe(counts.events + counts.tasks);
    expect(report.read).toBe(report.rows + counts.evidence + counts.copies);
    expect(report.read).toBe(sum(report));
    expect(report.added).toEqual({
      receipts: counts.receipts + counts.evidence,
      tasks: counts.tasks,
      taskVersions: 0,
      transitions: counts.transitions,
      copies: counts.copies,
      quarantined: 0,
    });
    expect(report.notAReceipt).toBe(counts.events - counts.receipts - counts.transitions);
  });

  it('gives the same receipts from the database as from its rows as lines', async () => {
    const file = ledger();
    const [events = '', tasks = ''] = lines;
    const fromDatabase = await importInto(ledger(), copied(databases[1] ?? ''));
    await importInto(file, events);
    const { report, ...fromLines } = await importInto(file, tasks);
    expect(portable({ report, ...fromLines })).toEqual(portable(fromDatabase));
    expect(await importInto(file, copied(databases[1] ?? ''))).toMatchObject({ report: { imported: 0, eventsAdded: 0 } });
  });

  it('gives the same receipts whatever the order of the files, and adds nothing the second time', async () => {
    const files = [...databases.map(copied), ...lines];
    const [one, other] = [ledger(), ledger()];
    const [first, second] = [await importAll(one, files), await importAll(other, files.toReversed())];
    expect(portable(second)).toEqual(portable(first));
    for (const file of files) expect((await importInto(one, file)).report.eventsAdded).toBe(0);
  });

  it('leaves no planted secret in any byte of the ledger', async () => {
    const file = ledger();
    for (const source of [...databases.map(copied), ...lines]) await importInto(file, source);
    const written = readdirSync(join(file, '..')).filter((name) => name.startsWith(basename(file)));
    expect(written.length).toBeGreaterThan(0);
    for (const name of written) expect(readFileSync(join(file, '..', name)).toString('latin1')).not.toContain('FAKE');
  });
});
