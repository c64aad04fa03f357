import type { EventStoreDbOptions } from './options.js';
import type { EventStoreDbStore } from './store.js';

/**
 * Opens an event store in EventStoreDB or KurrentDB, and makes its ledger there if there is none. The client and all that it brings are
 * loaded only now: who keeps events in a file never needs them.
 *
 * @throws StoreSettingsError when a setting can't be used; StoreUnavailableError when the server can't be reached or its user may not
 *   read `$all`; OutcomeUnknownError when it didn't say whether the ledger was made; StreamIntegrityError when what stands under the
 *   prefix is another program's; LedgerMissingError when nothing does and `create` is false
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDbStore> {
  const { connect } = await import('./connect.js');
  return connect(options);
}
