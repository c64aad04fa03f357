import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreConformance } from '@counterfoil/testing';
import type { EventStoreSetup } from '@counterfoil/testing';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';

const NOBODY_ELSE = { skip: { foreign_records: 'nobody else writes into the file of a ledger' } };

eventStoreConformance(
  'SQLite',
  async (setup) => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-events-'));
    const open = ({ registry, schemas }: EventStoreSetup): Promise<SqliteEventStore> =>
      openSqliteEventStore({ file: join(directory, 'events.db'), registry, ...(schemas === null ? {} : { schemas }) });
    const store = await open(setup);
    let current = store;
    return {
      store,
      reopen: async (next = setup) => {
        await current.close();
        current = await open(next);
        return current;
      },
      another: () => open(setup),
      close: async () => {
        await current.close();
        await rm(directory, { recursive: true });
      },
    };
  },
  NOBODY_ELSE,
);
