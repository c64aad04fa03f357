import { shownLocation, type EventsLocation } from '../stores/locations.js';
import { openEventStore, type LedgerStore } from '../stores/open-stores.js';
import { CopyError } from './copy-error.js';

export interface CopyStores {
  readonly source: LedgerStore;
  readonly target: LedgerStore;
  close(): Promise<void>;
}

/**
 * Opens where a ledger is, which must be there, and where it is to be copied to, which is made.
 *
 * @throws CopyError `copy_prefixes_overlap`; LedgerMissingError; as `openEventStore`
 */
export async function openCopyStores(from: EventsLocation, to: EventsLocation): Promise<CopyStores> {
  checkApart(from, to);
  const source = await openEventStore(from, { create: false });
  try {
    const target = await openEventStore(to);
    return {
      source,
      target,
      close: async () => {
        await target.close();
        await source.close();
      },
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** A ledger takes every stream that begins with its prefix for its own. */
function checkApart(from: EventsLocation, to: EventsLocation): void {
  if (from.kind !== 'eventstoredb' || to.kind !== 'eventstoredb' || shownLocation(from) !== shownLocation(to)) return;
  const [a, b] = [from.streamPrefix, to.streamPrefix];
  if (a === b) throw new CopyError('copy_onto_itself', 'Both are one ledger: name another place to copy it to.');
  if (!a.startsWith(b) && !b.startsWith(a)) return;
  throw new CopyError('copy_prefixes_overlap', 'In one server neither stream prefix may begin with the other: name another one.');
}
