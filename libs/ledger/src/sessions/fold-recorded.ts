import { DomainError, SESSION_EVENTS, type RecordedEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import { evolve, evolveCall, type Call, type CallEvent, type FoldedEvent, type SessionState } from '@counterfoil/session';
import type { CachedSession } from './session-cache.js';

function toFolded(event: RecordedEvent): FoldedEvent {
  if (!Object.hasOwn(SESSION_EVENTS, event.type)) throw new Error(`${event.type} does not belong into a session's stream`);
  // Validated when it was written; upcast when it was read.
  return {
    type: event.type,
    data: event.data,
    revision: Number(event.revision),
    principal: event.metadata.actor.principal,
  } as FoldedEvent;
}

/** Folds events that the store gave back; those that were folded before are passed over. */
export function foldRecorded(cached: CachedSession, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    if (Number(event.revision) <= cached.state.revision) continue;
    cached.state = evolve(cached.state, toFolded(event));
    cached.position = event.position;
  }
}

/**
 * A call of a session. One that ended long ago is folded again from its own events, whose revisions the state keeps.
 *
 * @throws DomainError `not_found`
 */
export async function readCall(store: EventStore, stream: string, state: SessionState, receiptId: string): Promise<Call> {
  const known = state.find(receiptId);
  if (known !== null) return known;
  const ended = state.ended.get(receiptId);
  if (ended === null) throw new DomainError('not_found', 'There is no such call in this session.');
  const revisions = Object.values(ended.revisions).filter((revision): revision is number => revision !== null);
  let call: Call | null = null;
  for (const revision of revisions.sort((a, b) => a - b)) {
    // The state keeps revisions of the call's own events only.
    for await (const event of store.readStream(stream, { from: BigInt(revision), limit: 1 }))
      call = evolveCall(call, toFolded(event) as CallEvent);
  }
  if (call === null) throw new DomainError('not_found', 'There is no such call in this session.');
  state.remember(call);
  return call;
}
