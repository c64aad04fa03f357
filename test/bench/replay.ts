import Database from 'better-sqlite3';
import { megabytes, percent, seconds, fill, withBenchLedger } from './scene.js';

const SESSIONS = 64;

/**
 * Replay (read and upcast everything) against SELECT and JSON.parse of the same rows; a rebuild of all read models against the replay;
 * and the heap while events are projected (design §9).
 */
export async function benchReplay(say: (line: string) => void, events: number): Promise<void> {
  await withBenchLedger(async (ledger, file) => {
    await fill(ledger, SESSIONS, Math.ceil(events / 3 / SESSIONS));
    const count = Number(await ledger.store.head());
    const plain = count / (await seconds(async () => Promise.resolve(scan(file))));
    const replay =
      count /
      (await seconds(async () => {
        for await (const batch of ledger.store.readAll(null)) if (batch.events.length === 0) throw new Error('an empty batch');
      }));
    say(
      `replay: ${replay.toFixed(0)} events/s; SELECT + JSON.parse: ${plain.toFixed(0)}/s; ratio ${percent(replay, plain)} (wanted: 50 %)`,
    );

    const heap: number[] = [];
    const onProgress = (): void => {
      heap.push(process.memoryUsage().heapUsed);
    };
    const rebuild = count / (await seconds(() => ledger.engine.rebuild({ onProgress })));
    say(`rebuild: ${rebuild.toFixed(0)} events/s of ${String(count)}; ratio to replay ${percent(rebuild, replay)} (wanted: 25 %)`);
    const half = Math.floor(heap.length / 2);
    const most = (list: readonly number[]): string => megabytes(Math.max(...list));
    say(`memory: heap at most ${most(heap.slice(0, half))} in the first half of the events, ${most(heap.slice(half))} in the second`);
  });
}

function scan(file: string): number {
  const db = new Database(file, { readonly: true });
  let seen = 0;
  for (const row of db.prepare<[], { data: string; metadata: string }>('SELECT data, metadata FROM events ORDER BY position').iterate()) {
    if (JSON.parse(row.data) !== null && JSON.parse(row.metadata) !== null) seen++;
  }
  db.close();
  return seen;
}
