import { canonicalize, eventHashFromText } from '@counterfoil/canonical';
import Database from 'better-sqlite3';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { newEvent, sessionOpened, temporaryDirectory, textEvent, textEvents } from '@counterfoil/testing';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { verifyStore } from '../verify.js';
import type { VerifyOptions, VerifyReport } from '../verify.js';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const at = temporaryDirectory();
const openStore = (): Promise<SqliteEventStore> => openSqliteEventStore({ file: at('events.db'), registry });

const A = 'session-default/a';
const B = 'session-default/b';

/** Positions 1 to 7: a0 b0 a1 b1 a2 b2 a3. */
async function fill(): Promise<void> {
  const store = await openStore();
  for (let revision = 0; revision < 4; revision++) {
    for (const [name, stream] of [
      ['a', A],
      ['b', B],
    ] as const) {
      if (revision === 3 && name === 'b') continue;
      const event =
        revision === 0 ? newEvent(sessionOpened({ workspaceId: 'default', sessionId: name })) : textEvent(`${name} ${revision}`);
      await store.append({ stream, expected: revision === 0 ? 'no_stream' : BigInt(revision - 1), events: [event] });
    }
  }
  await store.close();
}

/** Somebody with the file in hand: drops what guards the table, and the unique keys with it. */
function tamper(work: (db: Database.Database) => void): void {
  const db = new Database(at('events.db'));
  for (const name of ['events_no_update', 'events_no_delete', 'events_append_only']) db.exec(`DROP TRIGGER ${name}`);
  work(db);
  db.close();
}

async function verified(options: VerifyOptions = {}): Promise<VerifyReport> {
  const store = await openStore();
  try {
    return await verifyStore(store, options);
  } finally {
    await store.close();
  }
}

async function faultsAfter(work: (db: Database.Database) => void): Promise<unknown[]> {
  await fill();
  tamper(work);
  const report = await verified();
  expect(report.ok).toBe(report.faultCount === 0);
  return report.faults.map(({ kind, stream, revision, position }) => [kind, stream, revision, position]);
}

const sql =
  (...statements: string[]) =>
  (db: Database.Database): void => {
    for (const statement of statements) db.exec(statement);
  };

interface EventRow {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: string;
  readonly metadata: string;
}

/** Writes the hash that fits, as somebody would who knows how the chain is made. */
function reseal(db: Database.Database, position: number): string {
  const row = db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?').get(position)!;
  const { stream, id, type, version, data: dataText, metadata: metadataText } = row;
  const hash = eventHashFromText({ stream, revision: String(row.revision), id, type, version, dataText, metadataText });
  db.prepare('UPDATE events SET hash = ? WHERE position = ?').run(hash, position);
  return hash;
}

function relink(db: Database.Database, position: number, prev: string | null): void {
  const row = db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?').get(position)!;
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>;
  db.prepare('UPDATE events SET metadata = ? WHERE position = ?').run(canonicalize({ ...metadata, integrity: { prev } }), position);
}

const edited = `UPDATE events SET data = replace(data, 'a 1', 'a X') WHERE position = 3`;
describe('verify', () => {
  it('finds nothing in a store that nobody touched', async () => {
    await fill();
    const seen: bigint[][] = [];
    const report = await verified({ onProgress: (_rate, position, total) => seen.push([position, total]) });
    expect(report).toEqual({ events: 7, streams: 2, ok: true, complete: true, position: 7n, faults: [], faultCount: 0, faultsByKind: {} });
    expect(seen.at(-1)).toEqual([7n, 7n]);
  });

  it('finds nothing in an empty store', async () => {
    expect(await verified()).toMatchObject({ events: 0, ok: true, complete: true, position: 0n });
  });

  it.each<[string, (db: Database.Database) => void, unknown[]]>([
    ['data', sql(edited), [['hash_mismatch', A, 1n, 3n]]],
    [
      'the actor',
      sql(`UPDATE events SET metadata = replace(metadata, 'agent:tester', 'agent:other') WHERE position = 3`),
      [['hash_mismatch', A, 1n, 3n]],
    ],
    ['the type', sql(`UPDATE events SET type = 'SessionClosed' WHERE position = 3`), [['hash_mismatch', A, 1n, 3n]]],
    ['the version', sql(`UPDATE events SET version = 2 WHERE position = 3`), [['hash_mismatch', A, 1n, 3n]]],
    ['the version, to none', sql(`UPDATE events SET version = NULL WHERE position = 3`), [['hash_mismatch', A, 1n, 3n]]],
    ['the id', sql(`UPDATE events SET id = 'other' WHERE position = 3`), [['hash_mismatch', A, 1n, 3n]]],
    [
      'the hash',
      sql(`UPDATE events SET hash = upper(hash) WHERE position = 3`),
      [
        ['hash_mismatch', A, 1n, 3n],
        ['prev_mismatch', A, 2n, 5n],
      ],
    ],
    [
      'the revision',
      sql(`UPDATE events SET revision = 100 WHERE position = 3`),
      [
        ['hash_mismatch', A, 100n, 3n],
        ['revision_gap', A, 2n, 5n],
      ],
    ],
    ['the newest event', sql(`UPDATE events SET data = '{}' WHERE position = 7`), [['hash_mismatch', A, 3n, 7n]]],
  ])('finds an edit of %s', async (_what, work, faults) => {
    expect(await faultsAfter(work)).toEqual(faults);
  });

  it('finds an edit whose hash was made to fit, by the link of the next event', async () => {
    expect(
      await faultsAfter((db) => {
        db.exec(edited);
        reseal(db, 3);
      }),
    ).toEqual([['prev_mismatch', A, 2n, 5n]]);
  });

  it('finds a link that was rewritten', async () => {
    expect(
      await faultsAfter((db) => {
        relink(db, 7, 'ab'.repeat(32));
        reseal(db, 7);
      }),
    ).toEqual([['prev_mismatch', A, 3n, 7n]]);
  });

  it.each<[string, (db: Database.Database) => void, unknown[]]>([
    [
      'in the middle',
      sql('DELETE FROM events WHERE position = 3'),
      [
        ['position_gap', B, 1n, 4n],
        ['revision_gap', A, 2n, 5n],
      ],
    ],
    [
      'at the head of a stream',
      sql('DELETE FROM events WHERE position = 1'),
      [
        ['position_gap', B, 0n, 2n],
        ['head_missing', A, 1n, 3n],
      ],
    ],
    ['at the tail', sql('DELETE FROM events WHERE position > 5'), [['tail_missing', null, null, 6n]]],
    ['all', sql('DELETE FROM events'), [['tail_missing', null, null, 1n]]],
    [
      'a whole stream',
      sql(`DELETE FROM events WHERE stream = '${B}'`),
      [
        ['position_gap', A, 1n, 3n],
        ['position_gap', A, 2n, 5n],
        ['position_gap', A, 3n, 7n],
      ],
    ],
  ])('finds deleted events: %s', async (_what, work, faults) => {
    expect(await faultsAfter(work)).toEqual(faults);
  });

  it('finds that the first event names one before it', async () => {
    expect(
      await faultsAfter((db) => {
        relink(db, 2, 'ab'.repeat(32));
        reseal(db, 2);
      }),
    ).toEqual([
      ['head_missing', B, 0n, 2n],
      ['prev_mismatch', B, 1n, 4n],
    ]);
  });

  it('finds events in another order: nothing is missing then', async () => {
    const positions = [
      'UPDATE events SET position = 1000 WHERE position = 3',
      'UPDATE events SET position = 3 WHERE position = 5',
      'UPDATE events SET position = 5 WHERE position = 1000',
    ];
    expect(await faultsAfter(sql(...positions))).toEqual([['revision_order', A, 1n, 5n]]);
  });

  it('finds exchanged contents', async () => {
    const data = [
      'CREATE TEMP TABLE t AS SELECT position, data FROM events',
      'UPDATE events SET data = (SELECT data FROM t WHERE t.position = 8 - events.position) WHERE position IN (3, 5)',
    ];
    expect(await faultsAfter(sql(...data))).toEqual([
      ['hash_mismatch', A, 1n, 3n],
      ['hash_mismatch', A, 2n, 5n],
    ]);
  });

  it('finds an event that was moved to the end of another stream', async () => {
    expect(await faultsAfter(sql(`UPDATE events SET stream = '${B}' WHERE position = 7`))).toEqual([['event_moved', B, 3n, 7n]]);
  });

  it('finds an event that was moved out of the middle, under another revision', async () => {
    expect(await faultsAfter(sql(`UPDATE events SET stream = '${B}', revision = 9 WHERE position = 5`))).toEqual([
      ['event_moved', B, 9n, 5n],
      ['revision_gap', A, 3n, 7n],
    ]);
  });

  it('finds a stream under another name, and names it once', async () => {
    await fill();
    tamper(sql(`UPDATE events SET stream = 'session-default/c' WHERE stream = '${A}'`));
    const { faults } = await verified();
    expect(faults).toMatchObject([{ kind: 'stream_renamed', stream: 'session-default/c', revision: 0n, position: 1n }]);
    expect(faults[0]?.detail).toContain(A);
  });

  it("finds a session's events replayed under another id", async () => {
    const columns = 'type, version, hash, data, metadata';
    const work = sql(
      `INSERT INTO events (stream, revision, id, ${columns}) SELECT 'session-default/c', revision, 'c' || id, ${columns} FROM events WHERE stream = '${A}' ORDER BY position`,
    );
    expect(await faultsAfter(work)).toEqual(
      [0n, 1n, 2n, 3n].map((revision) => ['hash_mismatch', 'session-default/c', revision, 8n + revision]),
    );
  });

  it('finds a second event at a revision', async () => {
    const all = 'position, stream, revision, id, type, version, hash, data, metadata';
    const work = sql(
      `CREATE TABLE other (${all})`,
      `INSERT INTO other SELECT * FROM events`,
      `INSERT INTO other SELECT 8, stream, revision, id, type, version, hash, data, metadata FROM events WHERE position = 3`,
      `DROP TABLE events`,
      `ALTER TABLE other RENAME TO events`,
    );
    expect(await faultsAfter(work)).toEqual([['revision_repeated', A, 1n, 8n]]);
  });

  it.each<[string, (db: Database.Database) => void]>([
    ['spaces', sql(`UPDATE events SET data = replace(data, '":', '": ') WHERE position = 3`)],
    [
      'another order',
      sql(
        `UPDATE events SET metadata = '{"correlationId":"request-1",' || replace(substr(metadata, 2), '"correlationId":"request-1",', '') WHERE position = 3`,
      ),
    ],
    ['escapes', sql(String.raw`UPDATE events SET data = replace(data, 'a 1', '\u0061 1') WHERE position = 3`)],
  ])('tells text in another form from other content: %s', async (_what, work) => {
    expect(await faultsAfter(work)).toEqual([['not_canonical', A, 1n, 3n]]);
  });

  it.each<[string, (db: Database.Database) => void]>([
    ['no JSON', sql(`UPDATE events SET data = 'no json' WHERE position = 3`)],
    [
      'too deep',
      sql(
        `UPDATE events SET data = replace(printf('%.100000c', '['), '[', '[') || replace(printf('%.100000c', ']'), ']', ']') WHERE position = 3`,
      ),
    ],
    ['a lone surrogate', sql(String.raw`UPDATE events SET data = '"\ud800"' WHERE position = 3`)],
    ['no link', sql(`UPDATE events SET metadata = '{}' WHERE position = 3`)],
    ['no metadata object', sql(`UPDATE events SET metadata = 'null' WHERE position = 3`)],
    ['no version', sql(`UPDATE events SET version = 'x' WHERE position = 3`)],
  ])('tells what can not be read at all, and goes on: %s', async (_what, work) => {
    expect(await faultsAfter(work)).toEqual([['unparseable', A, 1n, 3n]]);
  });

  it('can not see a chain that was recomputed to its end: for that there are signed checkpoints', async () => {
    const work = (db: Database.Database): void => {
      db.exec(edited);
      let prev = reseal(db, 3);
      for (const position of [5, 7]) {
        relink(db, position, prev);
        prev = reseal(db, position);
      }
    };
    expect(await faultsAfter(work)).toEqual([]);
  });

  it('lists a bounded number of faults and counts all', async () => {
    const store = await openStore();
    await store.append({ stream: A, expected: 'no_stream', events: textEvents('e', 50) });
    await store.close();
    tamper(sql(`UPDATE events SET data = '{}'`));
    const report = await verified({ faultLimit: 10 });
    expect(report.faults).toHaveLength(10);
    expect(report).toMatchObject({ ok: false, events: 50, faultCount: 50, faultsByKind: { hash_mismatch: 50 } });
  });
});

describe('verify in parts', () => {
  it('goes on after a position, against the chains as they stood there', async () => {
    await fill();
    expect(await verified({ resumeAfter: 4n })).toMatchObject({ events: 3, ok: true, position: 7n });
    tamper((db) => {
      db.exec(edited);
      reseal(db, 3);
    });
    expect((await verified({ resumeAfter: 4n })).faults).toMatchObject([{ kind: 'prev_mismatch', stream: A, revision: 2n }]);
    expect(await verified({ resumeAfter: 5n })).toMatchObject({ ok: true });
  });

  it('stops at a page when the signal aborts, and says how far it came', async () => {
    const store = await openStore();
    for (let from = 0; from < 600; from += 100) {
      await store.append({ stream: A, expected: from === 0 ? 'no_stream' : BigInt(from - 1), events: textEvents('e', 100) });
    }
    const abort = new AbortController();
    const first = await verifyStore(store, { signal: abort.signal, onProgress: () => abort.abort() });
    expect(first).toMatchObject({ ok: false, complete: false, faultCount: 0 });
    const rest = await verifyStore(store, { resumeAfter: first.position });
    expect(rest).toMatchObject({ ok: true, complete: true });
    expect([first.events > 0, first.events + rest.events]).toEqual([true, 600]);
    await store.close();
  });
});
