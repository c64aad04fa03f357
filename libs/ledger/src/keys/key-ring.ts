import type { FingerprintKey } from '@counterfoil/canonical';

/** The keys of a ledger (design §5, Ports). Signing and data keys come with checkpoints and the vault. */
export interface KeyRing {
  /** The key that new sessions pin. */
  readonly current: FingerprintKey;
  /** Keys history by content where a record has no coordinates, and old digests; never rotates (design §4). */
  readonly importKey: FingerprintKey;
  /** A key that a session pinned. @throws LedgerStartError `keys_missing` when the ring doesn't hold it */
  fingerprintKey(id: string): FingerprintKey;
}
