import type { Acknowledged } from './callers.js';
import type { Cluster } from './cluster.js';
import { foldSession, type FoldedCall } from './fold.js';
import { STREAM_PREFIX } from './members.js';
import type { RawEvent } from './event-store.child.js';

export interface StreamsReport {
  readonly faults: readonly string[];
  readonly events: number;
  /** By receipt id. */
  readonly calls: ReadonlyMap<string, FoldedCall>;
}

/** Reads each session's stream: every acknowledged command is in it once, nothing else is, and the fold of it is what must be shown. */
export async function checkStreams(
  { eventStore }: Pick<Cluster, 'eventStore'>,
  acknowledged: readonly Acknowledged[],
): Promise<StreamsReport> {
  const faults: string[] = [];
  const calls = new Map<string, FoldedCall>();
  const places = new Map<string, bigint[]>();
  let events = 0;
  for (const sessionId of new Set(acknowledged.map((one) => one.sessionId))) {
    const stream = await eventStore.readStream(`${STREAM_PREFIX}session-default/${sessionId}`);
    const folded = foldSession(sessionId, stream);
    faults.push(...folded.faults);
    for (const [receiptId, call] of folded.calls) calls.set(receiptId, call);
    for (const event of stream) {
      const key = keyOf(identityOf(sessionId, event));
      places.set(key, [...(places.get(key) ?? []), event.revision]);
    }
    events += stream.length;
  }
  for (const one of acknowledged) {
    const found = places.get(keyOf(one)) ?? [];
    const [revision] = found;
    if (found.length !== 1 || revision === undefined)
      faults.push(`${keyOf(one)} was acknowledged and is there ${String(found.length)} times`);
    else if (revision > one.revision)
      faults.push(`${keyOf(one)} was acknowledged at ${String(one.revision)} and stands at ${String(revision)}`);
  }
  // Each command was sent until it was acknowledged.
  if (events !== acknowledged.length) faults.push(`${String(events)} events for ${String(acknowledged.length)} acknowledged commands`);
  return { faults, events, calls };
}

type Identity = Pick<Acknowledged, 'sessionId' | 'receiptId' | 'attempt'> & { readonly type: string };

const keyOf = ({ sessionId, type, receiptId, attempt }: Identity): string => `${sessionId} ${type} ${receiptId ?? ''} ${attempt ?? ''}`;

function identityOf(sessionId: string, { type, data }: RawEvent): Identity {
  const { receiptId = null, attempt = null } = JSON.parse(data) as { receiptId?: string; attempt?: string };
  return { sessionId, type, receiptId, attempt };
}
