import { LedgerMissingError } from '@counterfoil/event-store';
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
    await checkServers(source, from, to);
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
  const servers = overlappingServers(from, to);
  if (servers === null || shownLocation(from) !== shownLocation(to)) return;
  if (servers.from.streamPrefix === servers.to.streamPrefix)
    throw new CopyError('copy_onto_itself', 'Both are one ledger: name another place to copy it to.');
  throw overlapping();
}

/**
 * One server has many addresses: it is known by what it holds. Asked before anything is written, since what stands among another ledger's
 * streams can't be taken away again.
 */
async function checkServers(source: LedgerStore, from: EventsLocation, to: EventsLocation): Promise<void> {
  const servers = overlappingServers(from, to);
  if (servers === null || servers.from.streamPrefix === servers.to.streamPrefix) return;
  let seen: LedgerStore;
  try {
    seen = await openEventStore({ ...servers.to, streamPrefix: servers.from.streamPrefix }, { create: false });
  } catch (error) {
    if (error instanceof LedgerMissingError) return;
    throw error;
  }
  await seen.close();
  if (seen.epoch === source.epoch) throw overlapping();
}

type Server = Extract<EventsLocation, { kind: 'eventstoredb' }>;

interface Servers {
  readonly from: Server;
  readonly to: Server;
}

/** Null unless both are in EventStoreDB, and one's prefix begins with the other's. */
function overlappingServers(from: EventsLocation, to: EventsLocation): Servers | null {
  if (from.kind !== 'eventstoredb' || to.kind !== 'eventstoredb') return null;
  const [a, b] = [from.streamPrefix, to.streamPrefix];
  return a.startsWith(b) || b.startsWith(a) ? { from, to } : null;
}

const overlapping = (): CopyError =>
  new CopyError('copy_prefixes_overlap', 'In one server neither stream prefix may begin with the other: name another one.');
