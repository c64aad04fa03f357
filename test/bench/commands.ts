import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill, percent, seconds, withBenchLedger } from './scene.js';

const SESSIONS = 64;

/**
 * Commands decided and durably appended, 64 sessions at once, against the same bytes inserted raw in batches of the same size, with the
 * same durability and again without fsync (design §9).
 */
export async function benchCommands(say: (line: string) => void, calls: number): Promise<void> {
  const { rate, texts, perCommit } = await withBenchLedger(async (ledger, file) => {
    const took = await seconds(() => fill(ledger, SESSIONS, calls));
    const db = new Database(file, { readonly: true });
    const rows = db.prepare<[], { text: string }>("SELECT data || metadata AS text FROM events WHERE stream LIKE 'session-%'").all();
    db.close();
    return { rate: rows.length / took, texts: rows.map((row) => row.text), perCommit: SESSIONS };
  });
  for (const synchronous of ['FULL', 'OFF']) {
    const reference = raw(texts, perCommit, synchronous);
    say(
      `commands: ${rate.toFixed(0)} events/s; raw inserts of the same bytes, ${String(perCommit)} a commit, synchronous ${synchronous}: ` +
        `${reference.toFixed(0)}/s; ratio ${percent(rate, reference)} (wanted: 35 %)`,
    );
  }
}

/** Rows per second of plain inserts. */
function raw(texts: readonly string[], perCommit: number, synchronous: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-raw-'));
  const db = new Database(join(directory, 'raw.db'));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO rows (text) VALUES (?)');
  const batch = db.transaction((from: number) => {
    for (let i = from; i < Math.min(from + perCommit, texts.length); i++) insert.run(texts[i]);
  });
  const started = performance.now();
  for (let from = 0; from < texts.length; from += perCommit) batch.immediate(from);
  const took = (performance.now() - started) / 1000;
  db.close();
  rmSync(directory, { recursive: true, force: true });
  return texts.length / took;
}
