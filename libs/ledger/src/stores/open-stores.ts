import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  openEventStoreDb,
  openSqliteEventStore,
  type EventStore,
  type LedgerFactStore,
  type RestorableStore,
  type SealableStore,
  type VerifiableStore,
} from '@counterfoil/event-store';
import { openMongoDocumentStore, openSqliteDocumentStore, type DocumentStore } from '@counterfoil/read-models';
import { createRegistry } from '../registry.js';
import type { EventsLocation, ReadModelsLocation } from './locations.js';

/** An event store that also remembers facts about its ledger, and from which and into which a ledger can move. */
export type LedgerStore = EventStore & VerifiableStore & LedgerFactStore & RestorableStore & SealableStore;

export interface OpenStoreOptions {
  /** Hears of faults that were overcome. */
  readonly onFault?: (error: unknown) => void;
  /** False: there must be a ledger already. Default true. */
  readonly create?: boolean;
}

/**
 * In how many partitions the read models are kept. In a file one process projects everything; in MongoDB the projectors share them. The
 * same for every process, since the checkpoints are cut by it.
 */
export const partitionsOf = ({ kind }: ReadModelsLocation): number => (kind === 'mongodb' ? 64 : 1);

/**
 * Opens the event store at a location, and makes it where there is none.
 *
 * @throws StoreFileError, StoreUnavailableError, StoreSettingsError, StreamIntegrityError, BrokenUpcastChainError, LedgerMissingError
 */
export async function openEventStore(location: EventsLocation, options: OpenStoreOptions = {}): Promise<LedgerStore> {
  const registry = createRegistry();
  if (location.kind === 'eventstoredb') {
    const { connectionString, streamPrefix } = location;
    return openEventStoreDb({ connectionString, streamPrefix, registry, ...options });
  }
  const { create = true } = options;
  if (create) mkdirSync(dirname(location.file), { recursive: true });
  return openSqliteEventStore({ file: location.file, registry, create });
}

/**
 * Opens the document store at a location.
 *
 * @param readConcern `majority` for who goes on from what was read, as projections do
 * @throws DocumentStoreUnavailableError, DocumentStoreSettingsError
 */
export async function openDocumentStore(location: ReadModelsLocation, readConcern: 'local' | 'majority' = 'local'): Promise<DocumentStore> {
  if (location.kind === 'mongodb') return openMongoDocumentStore({ url: location.url, readConcern });
  mkdirSync(dirname(location.file), { recursive: true });
  return openSqliteDocumentStore({ file: location.file });
}
