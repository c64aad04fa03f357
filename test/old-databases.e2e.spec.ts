import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countedBySql } from './corpus/counted-by-sql.js';
import { importInto, type Import } from './corpus/reading.js';
import { everyHistory } from './history/all.js';
import type { OldHistory } from './history/old-history.js';
import { byPlace, counted, countedBy, knownReceipts, readingOf, roundTrip, wanted } from './history/reading.js';

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-old-'));
const path = (name: string): string => join(directory, name);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const histories = everyHistory().map((history) => [history.name, history] as const);

/** What its database leaves behind in a ledger, and what its lines do in another one. */
async function importBoth(history: OldHistory): Promise<{ readonly database: Import; readonly lines: Import; readonly file: string }> {
  const name = (what: string): string => path(`${history.name.replaceAll(' ', '-')}-${what}`);
  const file = history.writeDatabase(name('old.sqlite3'));
  const lines = name('lines.jsonl');
  writeFileSync(lines, history.otherLines());
  return { file, database: await importInto(name('a.db'), file), lines: await importInto(name('b.db'), lines) };
}

describe.each(histories)('an old database of %s', (_, history) => {
  let done: Awaited<ReturnType<typeof importBoth>>;
  const receipts = knownReceipts(history.rows, history.lines);
  const found = (): ReturnType<typeof byPlace> => new Map([...byPlace(done.database), ...byPlace(done.lines)]);

  beforeAll(async () => {
    done = await importBoth(history);
  });

  it('leaves each record the fate that its builder knows, and adds up to what plain SQL counts', () => {
    expect(countedBy(done.database)).toEqual(counted(history.rows));
    expect(countedBy(done.lines)).toEqual(counted(history.lines));
    const counts = countedBySql(done.file);
    expect(done.database.report.rows).toBe(counts.events + counts.tasks);
    expect(done.database.report.added).toMatchObject({ tasks: counts.tasks, transitions: counts.transitions });
    expect(done.database.report.added.receipts).toBe(counts.receipts + counts.evidence);
  });

  it('gives every receipt as it must read', () => {
    const docs = found();
    expect([...docs.keys()].sort()).toEqual([...receipts.keys()].sort());
    for (const [place, expectation] of receipts) {
      const doc = docs.get(place);
      expect({ place, ...(doc && readingOf(doc, expectation)) }).toEqual({ place, ...wanted(expectation) });
    }
  });

  it('gives every old key and value back', () => {
    const docs = found();
    for (const [place, expectation] of receipts) {
      const doc = docs.get(place);
      const { given, had } = doc === undefined ? { given: null, had: expectation.old } : roundTrip(doc, expectation);
      expect({ place, given }).toEqual({ place, given: had });
    }
  });

  it('says something of every failure that it calls one, and of no success', () => {
    for (const doc of found().values()) {
      const isOf3 = doc.provenance.kind === 'imported' && doc.provenance.generation === '3';
      if (doc.status === 'succeeded') expect(doc.outcome?.error).toBeNull();
      else if (isOf3)
        expect(doc.outcome?.error).toMatchObject(
          doc.outcome?.error?.message === null ? { code: expect.stringMatching(/./) as string } : {},
        );
      if (isOf3 && doc.status === 'failed') expect(doc.outcome?.error).not.toBeNull();
    }
  });

  it('has the tasks as their rows stood, and the changes of them as they were logged', () => {
    const tasks = done.database.events.flatMap((event) =>
      event.type === 'HistoricalTaskImported' ? [{ ...event.data, taskId: event.data.coordinates['taskId'] }] : [],
    );
    const rows = history.rows.flatMap(({ columns, fates: [first] }) => (first?.is === 'task' ? [{ id: columns['id'], ...first }] : []));
    expect(
      tasks.map(({ taskId, status, recordedStatus, evidenceCount, generation }) => [
        taskId,
        status,
        recordedStatus,
        evidenceCount,
        generation,
      ]),
    ).toEqual(rows.map(({ id, status, recorded, evidence, generation }) => [id, status, recorded, evidence, generation]));
    const changes = done.database.events.flatMap((event) =>
      event.type === 'HistoricalTransitionImported' ? [[event.data.transition, event.data.to]] : [],
    );
    const logged = history.rows.flatMap(({ fates: [first] }) => (first?.is === 'transition' ? [[first.transition, first.to]] : []));
    expect(changes).toEqual(logged);
  });

  it('keeps the copies by the receipt that they are of', () => {
    const copies = done.database.events.flatMap((event) =>
      event.type === 'HistoricalCopyImported' ? [`${event.data.surface} ${String(event.data.coordinates['receiptId'])}`] : [],
    );
    const known = history.rows.flatMap(({ fates }) =>
      fates.flatMap((fate) => (fate.is === 'copy' ? [`${fate.surface} ${String(fate.receiptId)}`] : [])),
    );
    expect(copies.sort()).toEqual(known.sort());
  });
});
