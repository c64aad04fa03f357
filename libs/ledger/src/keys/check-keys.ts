import { keyed, type FingerprintKey } from '@counterfoil/canonical';
import { LedgerStartError } from '../errors.js';
import type { KeyRing } from './key-ring.js';

/** What the ledger's store remembers once and for all. `meta` is what it was when the store was opened, or has been set by it since. */
export interface OnceStore {
  meta(key: string): string | null;
  /** @returns the value that stands: the given one, or the one that was there */
  setMetaOnce(key: string, value: string): string | Promise<string>;
}

const NAME = (id: string): string => `key_check:${id}`;

/** True when a ledger has been started with keys before: then they must be there. */
export const hasKeys = (store: OnceStore): boolean => store.meta(NAME('import')) !== null;

/**
 * Compares the ring with what the ledger remembers of its keys, and remembers new ones. Fingerprints under a wrong key would match
 * nothing for ever, so a ledger with other keys doesn't start (design §8); nor does one without a key that an old session pinned:
 * no key is retired before its sessions (promise 4). Fingerprint keys are numbered without gaps, so that a missing one is noticed.
 *
 * @throws LedgerStartError `keys_wrong`, `keys_missing`
 */
export async function checkKeys(store: OnceStore, ring: KeyRing): Promise<void> {
  await checkKey(store, ring.importKey);
  const newest = Number(ring.current.id.slice(1));
  for (let n = 1; n <= newest || store.meta(NAME(`k${n}`)) !== null; n++) await checkKey(store, ring.fingerprintKey(`k${n}`));
}

async function checkKey(store: OnceStore, key: FingerprintKey): Promise<void> {
  const check = keyed(key, 'check', 'counterfoil');
  if ((await store.setMetaOnce(NAME(key.id), check)) !== check) {
    throw new LedgerStartError('keys_wrong', `The key ${key.id} is not the one that this ledger was made with: put the right one back.`);
  }
}
