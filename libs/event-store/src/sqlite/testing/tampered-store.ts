import { canonicalize, eventHashFromText } from '@counterfoil/canonical';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { newEvent, sessionOpened, textEvent } from '@counterfoil/testing';
import Database from 'better-sqlite3';
import { UpcastingRegistry } from '../../upcasting/registry.js';
import { LEDGER_STEPS } from '../../upcasting/steps/index.js';
import { verifyStore } from '../../verify.js';
import type { VerifyOptions, VerifyReport } from '../../verify.js';
import { openSqliteEventStore } from '../store.js';
import type { SqliteEventStore } from '../store.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });

export const A = 'session-default/a';
export const B = 'session-default/b';

/** What a test does to a store behind its back. */
export interface TamperedStore {
  readonly openStore: () => Promise<SqliteEventStore>;
  /** Positions 1 to 7: a0 b0 a1 b1 a2 b2 a3. */
  readonly fill: () => Promise<void>;
  /** Somebody with the file in hand: drops what guards the table, and the unique keys with it. */
  readonly tamper: (work: (db: Database.Database) => void) => void;
  readonly verified: (options?: VerifyOptions) => Promise<VerifyReport>;
  /** Kind, stream, revision and position of what is found wrong in a filled store after the work. */
  readonly faultsAfter: (work: (db: Database.Database) => void) => Promise<unknown[]>;
}

/** @param at gives paths in a directory of the test's own */
export function tamperedStore(at: (name: string) => string): TamperedStore {
  const openStore = (): Promise<SqliteEventStore> => openSqliteEventStore({ file: at('events.db'), registry });

  const fill = async (): Promise<void> => {
    const store = await openStore();
    await fillWithSeven(store);
    await store.close();
  };

  const tamper = (work: (db: Database.Database) => void): void => {
    const db = new Database(at('events.db'));
    for (const name of ['events_no_update', 'events_no_delete', 'events_append_only']) db.exec(`DROP TRIGGER ${name}`);
    work(db);
    db.close();
  };

  const verified = async (options: VerifyOptions = {}): Promise<VerifyReport> => {
    const store = await openStore();
    try {
      return await verifyStore(store, options);
    } finally {
      await store.close();
    }
  };

  const faultsAfter = async (work: (db: Database.Database) => void): Promise<unknown[]> => {
    await fill();
    tamper(work);
    const report = await verified();
    expect(report.ok).toBe(report.faultCount === 0);
    return report.faults.map(({ kind, stream, revision, position }) => [kind, stream, revision, position]);
  };

  return { openStore, fill, tamper, verified, faultsAfter };
}

async function fillWithSeven(store: SqliteEventStore): Promise<void> {
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
}

/** Work that is these statements. */
export const sql =
  (...statements: string[]) =>
  (db: Database.Database): void => {
    for (const statement of statements) db.exec(statement);
  };

/** An edit of the event at position 3. */
export const edited = `UPDATE events SET data = replace(data, 'a 1', 'a X') WHERE position = 3`;

interface EventRow {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: string;
  readonly metadata: string;
}

function rowAt(db: Database.Database, position: number): EventRow {
  const row = db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?').get(position);
  if (row === undefined) throw new Error(`nothing at position ${position}`);
  return row;
}

/** Writes the hash that fits, as somebody would who knows how the chain is made. */
export function reseal(db: Database.Database, position: number): string {
  const row = rowAt(db, position);
  const { stream, id, type, version, data: dataText, metadata: metadataText } = row;
  const hash = eventHashFromText({ stream, revision: String(row.revision), id, type, version, dataText, metadataText });
  db.prepare('UPDATE events SET hash = ? WHERE position = ?').run(hash, position);
  return hash;
}

/** Writes the link to the event before. */
export function relink(db: Database.Database, position: number, prev: string | null): void {
  const row = rowAt(db, position);
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>;
  db.prepare('UPDATE events SET metadata = ? WHERE position = ?').run(canonicalize({ ...metadata, integrity: { prev } }), position);
}
