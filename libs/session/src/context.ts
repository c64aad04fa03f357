import type { FingerprintKey } from '@counterfoil/canonical';

/** Everything that a decision needs from outside, so that it stays pure and tests never freeze a clock. */
export interface DecisionContext {
  /** Milliseconds since the epoch, of the ledger's clock. */
  readonly now: number;
  /** Who asks. */
  readonly principal: string;
  /** The fingerprint key that the session pinned; for OpenSession the one that it is to pin (promise 4). */
  readonly key: FingerprintKey;
}

/** RFC 3339 in UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
