import { ProjectionEngine } from '@counterfoil/projections';
import { refuseUnfinished } from './copy/facts.js';
import type { OpenOptions } from './open-ledger.js';
import { MAIN_SET } from './projection-set.js';
import type { Settings } from './settings.js';
import { openDocumentStore, openEventStore, partitionsOf } from './stores/open-stores.js';

/** What a process needs that only projects: no keys, since what it reads is redacted and fingerprinted already. */
export interface Projections {
  readonly engine: ProjectionEngine;
  close(): Promise<void>;
}

/**
 * Opens the stores of a ledger for its projections alone. What is loaded from MongoDB is what a majority has: documents and checkpoints
 * are built on it.
 *
 * @throws as `openLedger`, but for keys
 */
export async function openProjections(
  settings: Pick<Settings, 'events' | 'readModels'>,
  { onFault }: Pick<OpenOptions, 'onFault'> = {},
): Promise<Projections> {
  const { events, readModels } = settings;
  const store = await openEventStore(events, onFault === undefined ? {} : { onFault });
  try {
    refuseUnfinished(store);
    const docs = await openDocumentStore(readModels, 'majority');
    const faults = onFault === undefined ? {} : { onFault };
    const engine = new ProjectionEngine({ events: store, docs, set: MAIN_SET, partitions: partitionsOf(readModels), ...faults });
    return {
      engine,
      close: async () => {
        await docs.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
