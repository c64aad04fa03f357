import { eventHash } from '@counterfoil/canonical';
import type { NewEvent, StoredEvent } from '@counterfoil/contracts';

/** What a stored event may be changed to before it is sealed anew. */
export interface Sealing {
  /** Revision of the first; default 0. */
  readonly from?: bigint;
  /** Hash of the event before the first; default null. */
  readonly prev?: string | null;
  /** Stored in place of the events' own. */
  readonly version?: unknown;
}

/** Events as a store that took them would hold them: with revisions, links and hashes, made apart from every adapter. */
export function sealedIn(stream: string, events: readonly NewEvent[], sealing: Sealing = {}): StoredEvent[] {
  const { from = 0n } = sealing;
  let prev = sealing.prev ?? null;
  return events.map((event, n) => {
    const revision = from + BigInt(n);
    const { id, type, data } = event;
    const version = 'version' in sealing ? sealing.version : event.version;
    const metadata = { ...event.metadata, integrity: { prev } };
    const hash = eventHash({ stream, revision: String(revision), id, type, version: (version ?? null) as number, data, metadata });
    const sealed: StoredEvent = {
      stream,
      revision,
      position: BigInt(n) + 1n,
      id,
      type,
      version,
      data,
      metadata: { ...event.metadata, integrity: { prev, hash } },
    };
    prev = hash;
    return sealed;
  });
}

/** An event without its position, which is each store's own. */
export const placeless = ({ position: _, ...event }: StoredEvent): Omit<StoredEvent, 'position'> => event;
