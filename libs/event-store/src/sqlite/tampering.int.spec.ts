import type Database from 'better-sqlite3';
import { temporaryDirectory } from '@counterfoil/testing';
import { A, edited, relink, reseal, sql, tamperedStore } from './testing/tampered-store.js';

const { faultsAfter } = tamperedStore(temporaryDirectory());

describe('verify', () => {
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
});
