import { ProjectionEngine } from '@counterfoil/projections';
import { refuseUnfinished } from './copy/facts.js';
import type { OpenOptions } from './open-ledger.js';
import { MAIN_SET } from './projection-set.js';
import type { Settings } from './settings.js';
import { bindReadModels } from './stores/bind-read-models.js';
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
 * @throws as `openLedger`, but for keys; LedgerMissingError before the first server was started
 */
export async function openProjections(
  settings: Pick<Settings, 'events' | 'readModels'>,
  { onFault }: Pick<OpenOptions, 'onFault'> = {},
): Promise<Projections> {
  const { events, readModels } = settings;
  const faults = onFault === undefined ? {} : { onFault };
  // Nothing is made here: under a mistyped prefix it would be a ledger of its own.
  const store = await openEventStore(events, { create: false, ...faults });
  try {
    refuseUnfinished(store);
    const docs = await openDocumentStore(readModels, 'majority');
    try {
      const partitions = partitionsOf(readModels);
      const engine = new ProjectionEngine({ events: store, docs, set: MAIN_SET, partitions, ...faults });
      await bindReadModels(docs, store.epoch, engine, partitions);
      return {
        engine,
        close: async () => {
          await docs.close();
          await store.close();
        },
      };
    } catch (error) {
      await docs.close();
      throw error;
    }
  } catch (error) {
    await store.close();
    throw error;
  }
}
