import type { AccessRegistry } from '@counterfoil/ledger';

/** What a key began ends about so long after it was revoked or expired. */
const KEY_CHECK_MS = 2000;

/**
 * Watches over a key for work that outlasts its request's first look at it.
 *
 * @returns the signal that aborts when the key is none any more, and what ends the watch
 */
export function watchKey(access: Pick<AccessRegistry, 'isStillLive'>, keyId: string): { readonly revoked: AbortSignal; end(): void } {
  const revoked = new AbortController();
  const timer = setInterval(() => {
    access.isStillLive(keyId).then(
      (isLive) => {
        if (!isLive) revoked.abort();
      },
      // A store that can't be reached says nothing about the key, and nothing can be done meanwhile.
      () => undefined,
    );
  }, KEY_CHECK_MS);
  return {
    revoked: revoked.signal,
    end: () => {
      clearInterval(timer);
    },
  };
}
