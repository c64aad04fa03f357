import type { EventStore } from '@counterfoil/event-store';
import { lookUp } from './append-once.js';
import type { Append, AppendedOnce, Appending } from './append-once.js';

/**
 * Says what storing would do and stores nothing. What it would have stored is remembered, so that of two copies of a record in one run
 * the second is a duplicate: by content digest, about a hundred bytes for each record.
 */
export function dryRunOf(store: EventStore): Append {
  const added = new Map<string, Set<string>>();
  return async (appending) => {
    const { stream, contentDigest } = appending;
    const before = added.get(stream);
    const found = before?.has(contentDigest) === true ? 'same' : beside(before, appending, await lookUp(store, appending));
    if (found === 'appended' || found === 'version') added.set(stream, (before ?? new Set()).add(contentDigest));
    return found;
  };
}

/** What the store says, seen that the stream would hold other contents by now. */
function beside(before: ReadonlySet<string> | undefined, { isRewritable }: Appending, stored: AppendedOnce): AppendedOnce {
  if (before === undefined || stored !== 'appended') return stored;
  return isRewritable === true ? 'version' : 'different';
}
