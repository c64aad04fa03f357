import type Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import { A, B, relink, reseal, sql, tamperedStore } from './testing/tampered-store.js';

const { fill, tamper, verified, faultsAfter } = tamperedStore(temporaryDirectory());

describe('verify', () => {
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
});
