import type { RecordedEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';

/** Takes events from a subscription until it has enough, and ends it. */
export async function take(
  store: EventStore,
  options: { readonly after: bigint | null; readonly batchSize: number },
  isEnough: (events: readonly RecordedEvent[]) => boolean,
): Promise<RecordedEvent[]> {
  const abort = new AbortController();
  const events: RecordedEvent[] = [];
  for await (const batch of store.subscribeAll({ ...options, signal: abort.signal })) {
    events.push(...batch.events);
    if (isEnough(events)) abort.abort();
  }
  return events;
}

/** Takes as many events, with a subscription for each batch: begun anew where the one before ended. */
export async function takeBatchByBatch(store: EventStore, batchSize: number, count: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let after: bigint | null = null;
  while (events.length < count) {
    const abort = new AbortController();
    for await (const batch of store.subscribeAll({ after, batchSize, signal: abort.signal })) {
      events.push(...batch.events);
      after = batch.position;
      if (batch.events.length > 0) abort.abort();
    }
  }
  return events;
}
