import type { LedgerFactStore } from '@counterfoil/event-store';
import { LedgerStartError } from '../errors.js';
import type { LedgerStore } from '../stores/open-stores.js';
import { CopyError } from './copy-error.js';

/** In a copy: the epoch of the ledger that it is one of. */
const COPIED_FROM = 'copied_from';
/** In a copy that was whole once: the source's position up to which it was compared. */
const COPY_VERIFIED = 'copy_verified';
/** What a ledger knows of its keys moves with it; anything else is a store's own. */
const MOVES = 'key_check:';

/**
 * Makes the target a copy of the source, or sees that it is one.
 *
 * @throws CopyError `copy_onto_itself`, `copy_target_in_use`, `copy_of_another_ledger`
 */
export async function claimTarget(source: LedgerStore, target: LedgerStore): Promise<void> {
  if (source.epoch === target.epoch) throw new CopyError('copy_onto_itself', 'Both are one ledger: name another place to copy it to.');
  const standing = (await target.facts()).get(COPIED_FROM);
  if (standing === undefined && (await target.head()) > 0n) {
    throw new CopyError('copy_target_in_use', 'The target holds a ledger already: name an empty place.');
  }
  const of = standing ?? (await target.setMetaOnce(COPIED_FROM, source.epoch));
  if (of === source.epoch) return;
  throw new CopyError('copy_of_another_ledger', `The target is a copy of the ledger ${of}, not of ${source.epoch}: name an empty place.`);
}

/**
 * Takes over what the source knows of its keys. Before the events that were made with them, so that the copy never starts with others.
 *
 * @throws CopyError `copy_keys_differ`
 */
export async function copyFacts(source: LedgerFactStore, target: LedgerFactStore): Promise<void> {
  for (const [key, value] of await source.facts()) {
    if (!key.startsWith(MOVES) || (await target.setMetaOnce(key, value)) === value) continue;
    throw new CopyError('copy_keys_differ', 'A server with other keys was started on the target: name an empty place.');
  }
}

/** Leaves it in the copy that it was compared and found to be whole. */
export async function markVerified(target: LedgerFactStore, position: bigint): Promise<void> {
  await target.setMetaOnce(COPY_VERIFIED, position.toString());
}

/**
 * A server on half of a ledger would answer with half of it, and what it appended could never be told from what was to come.
 *
 * @throws LedgerStartError `copy_unfinished`
 */
export function refuseUnfinished(store: Pick<LedgerFactStore, 'meta'>): void {
  if (store.meta(COPIED_FROM) === null || store.meta(COPY_VERIFIED) !== null) return;
  throw new LedgerStartError('copy_unfinished', 'This is a copy that is not finished: run `counterfoil copy` again, to its end.');
}
